import pandas as pd
from streamlit.testing.v1 import AppTest


def script():
    import pandas as pd

    from alibi_viz.ui.show.figure import show_table

    show_table(pd.DataFrame({"seed": [1.5, None]}), key="numbers")


def test_a_missing_number_is_a_dash_and_no_word():
    (table,) = AppTest.from_function(script, default_timeout=30).run().dataframe
    assert table.proto.placeholder == "–"
    assert pd.isna(table.value["seed"][1])
