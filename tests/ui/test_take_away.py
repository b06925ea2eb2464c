"""What the menu of a figure gives: every file of it, with title, axes and state."""

import io
import json

import pandas as pd
from streamlit.testing.v1 import AppTest

from alibi_viz.charts.biases import SlopeLadderChart

CHART = SlopeLadderChart(heads=3, exponent=3.0, head=2)


def script():
    from alibi_viz.charts.biases import SlopeLadderChart
    from alibi_viz.ui.show.figure import show_chart

    show_chart(SlopeLadderChart(heads=3, exponent=3.0, head=2))


def menu(**query):
    app = AppTest.from_function(script)
    for name, value in query.items():
        app.session_state[name] = value
    app.session_state["take-slope_ladder"] = True
    return app.run()


def test_a_closed_menu_makes_nothing(monkeypatch):
    def refuse(self):
        raise AssertionError("a file was made before anybody asked")

    for name in ("print_figure", "csv", "html", "program"):
        monkeypatch.setattr(SlopeLadderChart, name, refuse)
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
    assert app.code[0].value == CHART.program().strip()


def test_a_link_for_an_exercise_has_no_menu():
    app = menu(_show_decay=("heads",), _page="decay")
    assert len(app.get("popover")) == 0


def test_the_numbers_are_true_values_and_no_places_on_an_axis():
    table = pd.read_csv(io.BytesIO(CHART.csv()))
    assert table["slope, nats per token"].tolist() == [0.5, 0.25, 0.125]


def test_the_page_has_title_state_program_and_plotlys_own_script():
    page = CHART.html().decode()
    assert "<title>The slopes of all heads</title>" in page
    assert "heads 3 · exponent 3" in page
    assert "chart.figure().show()" in page
    assert '"Slopes of 3 heads on a base-2 axis"' in page
    state = page.partition('id="alibi-viz">')[2].partition("</script>")[0]
    assert json.loads(state) == CHART.state()
    assert len(page) > 3_000_000
    assert "cdn.plot" not in page.partition("<details>")[0].rpartition("</script>")[2]


def test_the_printed_figure_is_light_and_says_what_it_is():
    figure = CHART.print_figure()
    assert "<b>The slopes of all heads</b>" in figure.layout.title.text
    assert "heads 3 · exponent 3" in figure.layout.title.text
    assert figure.layout.template.layout.paper_bgcolor == "#ffffff"


def test_the_state_in_a_menu_is_plain_text(monkeypatch):
    monkeypatch.setattr(SlopeLadderChart, "state", lambda self: {"model": "![x](http://a.example)"})
    (said,) = [element.value for element in menu().markdown if "model" in element.value]
    assert r"model !\[x\](http:\//a.example)" in said
