"""Every figure on every page can be taken away, and the Python that comes with it draws it."""

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.lessons.course import lessons
from alibi_viz.paths import PROJECT
from tests.same_figure import axis_titles, drawn_by, expect_same

# A page, the state of its link, and the figures that it shows then.
MODEL = {"map_1", "model_heads", "by_distance"}
MEASURED = {"extrapolation", "by_position", "published", "losses", "exponents"}
LIVE = {"all_heads", "head", "query_row", "slope_ladder"}
LESSONS = {
    "words": {"words"},
    "phases": {"phases"},
    "biases": LIVE,
    "decay": {"decay"},
    "windows": {"windows"},
    "perplexity": {"published"},
    "trained": MODEL,
    "stretching": {"stretching"},
}
STATES = [
    ("explore", {}, LIVE),
    (
        "explore",
        {"heads": 12, "rule": "interleaved", "length": 9, "colour": "weight", "scale": "per head"},
        LIVE,
    ),
    ("explore", {"heads": 1, "length": 16384, "colour": "log weight", "cell": "0.0"}, LIVE),
    ("decay", {}, {"decay", "windows"}),
    (
        "decay",
        {"heads": 12, "rule": "interleaved", "content": 2, "query": 50, "distance": "linear"},
        {"decay", "windows"},
    ),
    ("extrapolation", {}, MEASURED),
    (
        "extrapolation",
        {"protocol": "sliding window", "measure": "ratio", "methods": "alibi,sinusoidal"},
        MEASURED - {"exponents"},
    ),
    (
        "extrapolation",
        {"stretched": "both"},
        {"stretched_perplexity", "stretched_by_position", "losses"},
    ),
    ("retrieval", {}, {"recall"}),
    ("retrieval", {"contenders": "nope,alibi-e4"}, {"recall"}),
    ("retrieval", {"of": "depth"}, {"depth"}),
    ("retrieval", {"of": "middle", "middle_length": 256, "documents": "10"}, {"middle"}),
    ("retrieval", {"of": "copying"}, {"copying"}),
    ("retrieval", {"of": "one needle"}, {"needle", "needle_keys"}),
    (
        "retrieval",
        {"of": "one needle", "needle_model": "t5", "needle_distance": 64},
        {"needle", "needle_keys"},
    ),
    ("trained_attention", {}, MODEL | {"measured_windows"}),
    (
        "trained_attention",
        {
            "mode": "what if",
            "new_slopes": "interleaved",
            "new_exponent": 4,
            "bias_off": "this head",
            "sample": "one line",
            "quantity": "position",
        },
        MODEL | {"map_2", "map_difference", "loss_along"},
    ),
    (
        "trained_attention",
        {"mode": "compare", "other_model": "rope-L128-s0", "quantity": "weight"},
        MODEL | {"map_2", "map_difference"},
    ),
    ("methods", {}, {"pipeline", "worked-example"}),
    ("methods", {"method": "NoPE", "stage": "embedding"}, {"pipeline", "worked-example"}),
    (
        "methods",
        {"part": "compare"},
        {"effect-left", "matrix-left", "new-left", "effect-right", "matrix-right", "new-right"},
    ),
    (
        "methods",
        {"part": "compare", "method": "T5 bias", "beside": "learned", "window": 64, "times": 2},
        {"effect-left", "matrix-left", "new-left", "effect-right", "matrix-right", "new-right"},
    ),
    ("methods", {"part": "variants"}, {"variant-curves", "variant-matrix"}),
    (
        "methods",
        {"part": "variants", "variant": "KERPLE-log", "r1": 4, "span": 16},
        {"variant-curves", "variant-matrix"},
    ),
    (
        "methods",
        {"part": "variants", "variant": "interpolated", "stretch": 8, "variant_head": 7},
        {"variant-curves", "variant-matrix"},
    ),
    ("methods", {"part": "stretching", "stretched_by": "slopes-ntk"}, {"stretching"}),
    ("methods", {"part": "precision"}, {"distinct", "moved", "rounded-weights"}),
    (
        "methods",
        {"part": "precision", "type_heads": 12, "form": "distance", "type_head": 5},
        {"distinct", "moved", "rounded-weights"},
    ),
]


@pytest.fixture
def taken(monkeypatch):
    """What the figures of a page hand to their menus, by name."""
    found = {}
    monkeypatch.setattr(
        "alibi_viz.ui.show.take_away._menu", lambda one, label: found.update({one.name: one})
    )
    return found


def opened(page, query):
    app = AppTest.from_file(PROJECT / "pages" / f"{page}.py", default_timeout=60)
    app.query_params.update({name: str(value) for name, value in query.items()})
    app = app.run()
    assert not app.exception
    return app


def expect_whole(one):
    """Asserts that a chart is what its own tests ask for, in this state too."""
    assert one.state()
    assert all(one.state().values())
    assert one.csv().count(b"\n") > 1
    printed = one.print_figure()
    assert one.title.split()[0] in printed.layout.title.text
    assert axis_titles(printed) == axis_titles(one.figure())


def expect_all(taken, app, keys, monkeypatch):
    """Asserts that these figures and no others can be taken away, and are what they say."""
    assert set(taken) == keys
    # A canvas has figures of its own to take away; every chart has one.
    assert len(app.get("plotly_chart")) <= len(keys)
    for one in taken.values():
        expect_whole(one)
        expect_same(drawn_by(one.program(), monkeypatch), one.figure())


def name_of(state):
    page, query, _ = state
    return "-".join([page, *(f"{value}" for value in query.values())])


@pytest.mark.parametrize("state", STATES, ids=name_of)
def test_every_figure_can_be_taken_away_and_its_program_draws_it(taken, monkeypatch, state):
    page, query, keys = state
    expect_all(taken, opened(page, query), keys, monkeypatch)


@pytest.mark.parametrize("view", list(LESSONS))
def test_the_figures_of_lessons_too(taken, monkeypatch, view):
    lesson = next(lesson for lesson in lessons() if lesson.view.name == view)
    app = opened("lessons", {"lesson": lesson.slug, "step": "do"})
    expect_all(taken, app, LESSONS[view], monkeypatch)


def test_every_view_of_a_lesson_is_looked_at():
    assert {lesson.view.name for lesson in lessons()} == set(LESSONS)
