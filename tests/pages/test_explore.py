import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.maths.decay import attention_by_distance
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.paths import PROJECT
from alibi_viz.ui.explore.controls import COLOUR, SCALE
from alibi_viz.ui.link.heads import EXPONENT, HEADS, LENGTH


def page(**query):
    app = AppTest.from_file(PROJECT / "app.py", default_timeout=30)
    for name, value in query.items():
        app.query_params[name] = str(value)
    # A link to the root, as it was when this page stood there, leads here.
    app = app.run()
    return app if query else app.switch_page("pages/explore.py").run()


def live_data(app):
    """What the canvas is told."""
    (canvas,) = (
        element.proto
        for element in app.get("bidi_component")
        if element.proto.component_name == "alibi_live"
    )
    return json.loads(canvas.json)


def unfolded(app, name):
    """The table under a line that a visitor has opened; it is made only then."""
    app.session_state[f"{name}_open"] = True
    (table,) = app.run().dataframe
    return table.value


def said(app):
    return "\n".join(text.value for text in app.markdown)


def test_the_page_opens_with_one_title_and_the_papers_eight_heads():
    app = page()
    assert not app.exception
    assert [title.value for title in app.title] == ["Slopes & biases"]
    told = live_data(app)
    assert (told["heads"], told["exponent"], told["length"]) == (8, 8.0, 512)
    assert (told["head"], told["cell"], told["rule"]) == (3, [400, 352], "geometric")
    # ln 2 * 2 = 1.4; 1 - exp(-6 / 2) = 0.9502; ln 2 * 256 = 177.4; and by the geometric series
    # 1 - 0.95 (1 - exp(-512 / 256)) = exp(-442 / 256), rounded up.
    assert "**at equal content**, head 1 halves its attention weight every 1.4 tokens" in said(app)
    assert "keeps 95 % of it on the 6 nearest of its 512 keys" in said(app)
    assert "Head 8 halves it every 177 tokens and needs 442." in said(app)


@pytest.mark.parametrize("control", [HEADS, EXPONENT, LENGTH], ids=lambda control: control.key)
def test_each_slider_works_at_both_ends(control):
    app = page()
    for end in (control.options[0], control.options[-1]):
        app.select_slider(control.key).set_value(end).run()
        assert not app.exception
        assert live_data(app)[control.key] == end
        assert len(unfolded(app, "slopes")) == live_data(app)["heads"]


def test_all_sliders_work_at_their_ends_together():
    for index in (0, -1):
        ends = {control.key: control.options[index] for control in (HEADS, EXPONENT, LENGTH)}
        app = page(**ends)
        assert not app.exception
        assert {key: live_data(app)[key] for key in ends} == ends


@pytest.mark.parametrize("control", [COLOUR, SCALE], ids=lambda control: control.key)
def test_each_choice_reaches_the_canvas(control):
    app = page()
    for option in control.options:
        app.segmented_control(control.key).set_value(option).run()
        assert not app.exception
        assert live_data(app)[control.key] == option


def test_the_rule_is_there_exactly_when_it_matters_and_is_remembered():
    app = page(heads=12)
    app.segmented_control("rule").set_value("interleaved").run()
    assert live_data(app)["rule"] == "interleaved"
    # Head 9 of 12: 2 ** (-8 * 9 / 12) = 1/64 by the paper, 2 ** (-8 / 16) by the authors' code.
    effect = next(text.value for text in app.caption if "head 9" in text.value)
    assert "1/64 by the geometric rule, 0.707 by the interleaved one" in effect
    app.select_slider("heads").set_value(16).run()
    assert "rule" not in [choice.key for choice in app.segmented_control]
    assert not any("interleaved" in text.value for text in app.caption)
    app.select_slider("heads").set_value(6).run()
    assert app.segmented_control("rule").value == "interleaved"


def test_a_folded_table_is_not_made():
    assert not page().dataframe


def test_the_table_has_exact_fractions_where_there_are_any():
    table = unfolded(page(heads=16), "slopes")
    assert table["as a fraction"].tolist()[:4] == ["0.707", "1/2", "0.354", "1/4"]
    assert table["as a fraction"].iloc[-1] == "1/256"
    # ln 2 / (1/2)
    assert table["half-life, tokens"][1] == pytest.approx(1.3862943611)
    assert table["95% window at 512 tokens"].iloc[[1, -1]].tolist() == [6, 442]


def test_the_rows_table_adds_up():
    table = unfolded(page(head=1, cell="3.2", length=4), "row")
    assert table["distance, tokens"].tolist() == [0, 1, 2, 3]
    assert table["key"].tolist() == [3, 2, 1, 0]
    # Slope 1/2, four keys: the paper's bias and its softmax, by hand.
    np.testing.assert_allclose(table["bias, nats"], [0, -0.5, -1, -1.5])
    np.testing.assert_allclose(
        table["attention weight"], [0.4551, 0.2760, 0.1674, 0.1015], atol=5e-5
    )
    assert table["held up to here"].iloc[-1] == pytest.approx(1)


def test_the_python_shown_reproduces_the_state(capsys):
    app = page(heads=12, exponent=10, length=1024, rule="interleaved", head=9, cell="700.650")
    assert not app.code
    app.session_state["python_open"] = True
    exec(app.run().code[0].value, {})
    slope = alibi_slopes(12, 10.0, "interleaved")[8]
    weight = attention_by_distance([slope], 1024, 700)[0, 50]
    shown = [float(number) for number in capsys.readouterr().out.split()]
    assert shown == pytest.approx([slope, -50 * slope, weight], rel=1e-15)


def test_the_equations_carry_the_current_numbers():
    app = page(heads=12, exponent=10, rule="interleaved", head=9)
    unfolded(app, "row")
    header, slope = (text.value for text in app.latex)
    # Two sequences: 8 heads by 2 ** (-10 h / 8), then every second one of 16.
    assert r"10\,h/8" in header
    assert r"m_{9} = 2^{-10 \cdot 1 / 16} = 0.64842" in slope
    app = page()
    unfolded(app, "row")
    assert r"m_{3} = 2^{-8 \cdot 3 / 8} = 1/8 = 0.125" in app.latex[1].value


def test_a_link_beyond_the_limits_gets_the_nearest_state_and_a_note_for_each():
    app = page(heads=99, exponent="3.3", length="abc", colour="pink", head=-2, cell="600.9")
    told = live_data(app)
    assert (told["heads"], told["exponent"], told["length"]) == (64, 3.25, 512)
    assert (told["colour"], told["head"], told["cell"]) == ("log weight", 1, [511, 9])
    notes = "\n".join(note.value for note in app.warning)
    for asked, shown in [
        ("heads=99", "64"),
        ("exponent=3.3", "3.25"),
        ("length=abc", "512"),
        ("colour=pink", "log weight"),
        ("head=-2", "1"),
        ("cell=600.9", "511.9"),
    ]:
        assert f"`{asked}`, which is not allowed. Shown instead: {shown}." in notes


def test_a_note_goes_when_its_control_is_moved():
    app = page(heads=99)
    assert len(app.warning) == 1
    app.select_slider("length").set_value(64).run()
    assert len(app.warning) == 1
    app.select_slider("heads").set_value(4).run()
    assert len(app.warning) == 0


def test_a_link_spelled_otherwise_needs_no_note():
    app = page(exponent="10.0")
    assert live_data(app)["exponent"] == 10
    assert len(app.warning) == 0


def test_a_chosen_head_that_is_gone_gives_way_to_the_last_one():
    app = page(heads=16, head=12)
    app.select_slider("heads").set_value(5).run()
    assert live_data(app)["head"] == 5
    assert len(app.warning) == 0


def test_figures_to_take_away_are_drawn_when_a_menu_is_opened_only():
    app = page()
    assert len(app.get("plotly_chart")) == 0
