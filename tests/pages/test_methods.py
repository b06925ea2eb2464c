import json

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.charts.methods.pipeline import STAGES
from alibi_viz.charts.methods.variants import VARIANTS
from alibi_viz.paths import PROJECT
from alibi_viz.positions import METHODS
from alibi_viz.positions.stretch import RULES
from alibi_viz.ui.methods import controls

PAGE = PROJECT / "pages" / "methods.py"
LABELS = [method.label for method in METHODS.values()]


def page(**query):
    app = AppTest.from_file(PAGE, default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = str(value)
    return app.run()


def charts(app):
    return [element.proto for element in app.get("plotly_chart")]


def whole(app):
    """A page that ran: no error, one title, alternative text on every chart, no warning."""
    assert not app.exception
    assert [title.value for title in app.title] == ["Where position enters"]
    assert all(chart.alt for chart in charts(app))
    assert not app.warning
    return app


def sentence(app):
    return next(text.value for text in app.markdown if text.value.startswith("**What to look for"))


@pytest.mark.parametrize("label", LABELS)
def test_every_method_lights_its_place_and_shows_its_numbers(label):
    app = whole(page(method=label))
    pipeline, example = charts(app)
    assert label in pipeline.alt
    shapes = json.loads(pipeline.spec)["layout"]["shapes"]
    lit = [shape for shape in shapes if shape["line"].get("width") == 3]
    assert len(lit) == (0 if label == "NoPE" else 1)
    assert (
        len([trace for trace in json.loads(example.spec)["data"] if trace["type"] == "heatmap"])
        == 4
    )
    assert "“the”" in sentence(app)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("head", ["1", "2"])
def test_every_stage_of_both_heads(stage, head):
    app = whole(page(stage=stage, example_head=head, method="RoPE"))
    assert len(charts(app)) == 2


def test_a_link_may_name_a_method_by_its_key():
    app = page(method="t5")
    assert not app.warning
    assert app.session_state["method"] == "T5 bias"


def test_an_unknown_method_is_named_and_alibi_shown():
    app = page(method="xpos")
    assert not app.exception
    assert app.session_state["method"] == "ALiBi"
    assert "method=xpos" in app.warning[0].value


@pytest.mark.parametrize("label", LABELS)
def test_every_method_has_its_three_views_beside_another(label):
    app = whole(page(part="compare", method=label, beside="NoPE" if label != "NoPE" else "ALiBi"))
    # Three charts a method; nothing is new to NoPE, so its third is a sentence only.
    assert len(charts(app)) == 5
    headings = [heading.value for heading in app.header]
    assert headings[0] == label
    assert len([text for text in app.markdown if text.value.startswith("**New past 128")]) == 2


@pytest.mark.parametrize("window", [16, 256])
@pytest.mark.parametrize("times", [1, 8])
def test_both_ends_of_lengths(window, times):
    app = whole(
        page(part="compare", method="Learned", beside="T5 bias", window=window, times=times)
    )
    if times == 1:
        assert "nothing is new to any method" in sentence(app)
    else:
        assert f"{window * (times - 1):,} positions are new" in sentence(app)


def test_costs_stand_as_numbers_for_all_methods():
    app = whole(page(part="compare"))
    costs = next(frame.value for frame in app.dataframe if "parameters" in frame.value)
    assert costs["method"].tolist() == LABELS
    assert costs.set_index("method")["parameters"]["Learned"] == 128 * 128


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("end", [0, -1])
def test_every_variant_at_both_ends_of_its_controls(variant, end):
    values = {
        control.key: control.options[end]
        for control in (controls.SPAN, controls.VARIANT_HEAD, controls.STRETCH, controls.R1,
                        controls.R2)
    }  # fmt: skip
    app = whole(page(part="variants", variant=variant, **values))
    assert len(charts(app)) == 2
    assert "nan" not in sentence(app)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("end", [0, -1])
def test_every_stretching_at_both_ends_of_its_controls(rule, end):
    values = {control.key: control.options[end] for control in (controls.WINDOW, controls.STRETCH)}
    app = whole(page(part="stretching", stretched_by=rule, **values))
    (chart,) = charts(app)
    assert chart.alt.startswith(RULES[rule].label)
    longest = controls.STRETCH.options[end] * controls.WINDOW.options[end]
    unchanged = "changes nothing" in sentence(app)
    assert unchanged == (end == 0 and RULES[rule].depends_on_scale)
    assert unchanged or f"at {longest:,} tokens" in sentence(app)


@pytest.mark.parametrize("form", ["distance", "key"])
@pytest.mark.parametrize("end", [0, -1])
def test_half_precision_at_both_ends(form, end):
    app = whole(
        page(
            part="precision",
            form=form,
            type_heads=controls.PRECISION_HEADS.options[end],
            type_length=controls.PRECISION_LENGTH.options[end],
            type_head=controls.PRECISION_HEAD.options[end],
        )
    )
    assert len(charts(app)) == 3


def test_a_head_that_is_not_there_is_said_to_give_way():
    app = whole(page(part="precision", type_heads=8, type_head=60))
    assert "There are 8 heads; head 8 is shown." in [caption.value for caption in app.caption]


def test_the_known_case_of_half_precision_stands_in_the_sentence():
    told = sentence(whole(page(part="precision", type_heads=32, type_length=2048, type_head=1)))
    assert "0.061 % of the attention as −m (i − j), 53 % as +m j" in told
    assert "0.0049 % of the attention as −m (i − j), 11 % as +m j" in told


def test_the_parts_can_be_changed_on_the_page():
    app = page()
    for part in (*controls.PARTS[1:], controls.PARTS[0]):
        group = next(group for group in app.button_group if group.key == "part")
        app = whole(group.set_value(part).run())
        assert app.session_state["part"] == part
