"""Every figure on every page can be taken away, and the Python that comes with it draws it."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.paths import PROJECT
from tests.same_figure import axis_titles, drawn_by, expect_same

# A page, the state of its link, and the figures that it shows then.
LIVE = {"all_heads", "head", "query_row", "slope_ladder"}
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
    ("extrapolation", {}, {"extrapolation", "published", "losses"}),
    (
        "extrapolation",
        {"protocol": "sliding window", "measure": "ratio", "methods": "alibi,sinusoidal"},
        {"extrapolation", "published", "losses"},
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
        "alibi_viz.ui.take_away._menu", lambda one, label: found.update({one.key: one})
    )
    return found


def opened(page, query):
    app = AppTest.from_file(PROJECT / "pages" / f"{page}.py", default_timeout=60)
    app.query_params.update({name: str(value) for name, value in query.items()})
    app = app.run()
    assert not app.exception
    return app


def expect_whole(one):
    """Asserts that what belongs to a figure outside the app is there, and can be written."""
    assert len(one.title) > 10
    assert one.state
    assert json.loads(json.dumps(dict(one.state))) == dict(one.state)
    assert len(one.alt) > 10
    assert one.code.rstrip().endswith("figure.show()")
    assert one.csv().count(b"\n") > 1
    printed = one.print_figure()
    assert one.title.split()[0] in printed.layout.title.text
    assert axis_titles(printed) == axis_titles(one.draw(dark=False))


@pytest.mark.parametrize(
    ("page", "query", "keys"), STATES, ids=lambda part: str(part) if part else "default"
)
def test_every_figure_can_be_taken_away_and_its_program_draws_it(
    taken, monkeypatch, page, query, keys
):
    app = opened(page, query)
    assert set(taken) == keys
    assert len(app.get("plotly_chart")) <= len(keys)
    for one in taken.values():
        expect_whole(one)
        expect_same(drawn_by(one.code, monkeypatch), one.draw(dark=False))
