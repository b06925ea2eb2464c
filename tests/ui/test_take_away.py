"""What the menu of a figure gives: every file of it, with title, axes and state."""

import io
import json

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.ui.show.take_away import TakeAway


def script():
    from functools import partial

    import numpy as np

    from alibi_viz.figures.slopes import slope_ladder_figure
    from alibi_viz.ui.show.figure import show_figure

    show_figure(
        partial(slope_ladder_figure, np.array([0.5, 0.25, 0.125])),
        key="three_slopes",
        title="Three slopes",
        state={"heads": 3, "exponent": 3},
        alt="Three dots",
        code="figure.show()",
    )


@pytest.fixture
def taken(monkeypatch):
    """What the page of one figure hands to its menu."""
    found = []
    monkeypatch.setattr("alibi_viz.ui.show.take_away._menu", lambda one, label: found.append(one))
    assert not AppTest.from_function(script).run().exception
    return found[0]


def menu(**query):
    app = AppTest.from_function(script)
    for name, value in query.items():
        app.session_state[name] = value
    app.session_state["take-three_slopes"] = True
    return app.run()


def test_a_closed_menu_makes_nothing(monkeypatch):
    def refuse(self):
        raise AssertionError("a file was made before anybody asked")

    for name in ("print_figure", "csv", "html"):
        monkeypatch.setattr(TakeAway, name, refuse)
    app = AppTest.from_function(script).run()
    assert not app.exception
    assert len(app.get("plotly_chart")) == 1
    assert len(app.get("download_button")) == 0


def test_an_open_menu_offers_every_file():
    app = menu()
    assert not app.exception
    assert [button.proto.label for button in app.get("download_button")] == [
        "HTML",
        "CSV",
        "Python",
    ]
    assert len(app.get("bidi_component")) == 1
    assert app.code[0].value == "figure.show()"


def test_a_link_for_an_exercise_has_no_menu():
    app = menu(_show_decay=("heads",), _page="decay")
    assert len(app.get("popover")) == 0


def test_the_numbers_are_those_that_are_drawn(taken):
    table = pd.read_csv(io.BytesIO(taken.csv()))
    assert list(table.columns) == ["curve", "head", "slope, nats per token of distance"]
    assert table["slope, nats per token of distance"].tolist() == [-1, -2, -3]


def test_the_page_has_title_state_program_and_plotlys_own_script(taken):
    page = taken.html().decode()
    assert "<title>Three slopes</title>" in page
    assert "heads 3 · exponent 3" in page
    assert "figure.show()" in page
    assert '"Three dots"' in page
    state = page.partition('id="alibi-viz">')[2].partition("</script>")[0]
    assert json.loads(state) == {"heads": 3, "exponent": 3}
    assert len(page) > 3_000_000
    assert "cdn.plot" not in page.partition("<details>")[0].rpartition("</script>")[2]


def test_the_printed_figure_is_light_and_says_what_it_is(taken):
    figure = taken.print_figure()
    assert "<b>Three slopes</b>" in figure.layout.title.text
    assert "heads 3 · exponent 3" in figure.layout.title.text
    assert figure.layout.template.layout.paper_bgcolor == "#ffffff"
