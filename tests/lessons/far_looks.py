"""Cells of a trained head for which content has paid more than their distance costs."""

from functools import cache

from alibi_viz.inspection.loading import load_model
from alibi_viz.inspection.text.capture import capture
from alibi_viz.inspection.text.samples import FUNCTION
from alibi_viz.paths import CHECKPOINTS
from alibi_viz.ui.trained.offered import PREFERRED


@cache
def far_looks(layer: int, head: int, nats: float = 3.0) -> list[tuple[int, int]]:
    """Every (query, key) of a head of eight, both counted from 1, in the text of lesson 10."""
    seen = capture(load_model(CHECKPOINTS / PREFERRED), FUNCTION).attention(layer - 1, head - 1)
    return [
        (query, key)
        for query, weights in enumerate(seen.weights)
        for key in range(query)
        if weights[key] > weights[query] and (query - key) * 2.0**-head >= nats
    ]
