"""Runs a program that comes with a figure, and compares what it draws with the figure."""

import numpy as np
import plotly.graph_objects as go


def drawn_by(code, monkeypatch):
    """Runs a program and returns the one figure that it shows."""
    shown = []
    monkeypatch.setattr(go.Figure, "show", lambda figure: shown.append(figure))
    exec(compile(code, "figure.py", "exec"), {"__name__": "__main__"})
    assert len(shown) == 1
    return shown[0]


def axis_titles(figure):
    layout = figure.layout.to_plotly_json()
    return {
        name: axis["title"]["text"]
        for name, axis in layout.items()
        if name[1:5] == "axis" and axis.get("title", {}).get("text")
    }


def expect_same(ours, theirs):
    """Asserts that two figures draw the same numbers on the same axes."""
    assert axis_titles(ours) == axis_titles(theirs)
    assert len(ours.data) == len(theirs.data)
    for mine, other in zip(ours.data, theirs.data, strict=True):
        assert (mine.type, mine.name) == (other.type, other.name)
        for part in ("x", "y", "z", "base"):
            one, two = (getattr(trace, part, None) for trace in (mine, other))
            assert (one is None) == (two is None)
            if one is not None:
                np.testing.assert_allclose(
                    np.asarray(one, float), np.asarray(two, float), rtol=1e-12, atol=1e-12
                )
