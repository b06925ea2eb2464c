"""Slopes read from the position terms of a run: ALiBi's bias is a straight line for each head."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from alibi_viz.inspection.given import GivenLayer
from alibi_viz.inspection.records import LayerRecord, PositionTerm

SHORTEST_LINE = 3
"""Tokens from which a bias can be told from a straight line: two points always lie on one."""


def fitted_slopes(layers: Sequence[LayerRecord | GivenLayer]) -> NDArray[np.float64] | None:
    """Returns (layer, head) slopes of the position terms, None where they are no straight lines.

    A straight line is fitted to each; half a step of bfloat16 away from it is still one.

    Args:
        layers: What a run left; of fewer than `SHORTEST_LINE` tokens nothing can be said.
    """
    terms = [layer.position if isinstance(layer, LayerRecord) else None for layer in layers]
    lines = [_line(term) for term in terms]
    return (
        None
        if any(line is None for line in lines)
        else np.stack([x for x in lines if x is not None])
    )


def _line(term: PositionTerm | None) -> NDArray[np.float64] | None:
    if term is None or term.values.shape[-1] < SHORTEST_LINE:
        return None
    values = term.values.double()
    x = torch.arange(values.shape[-1], dtype=torch.float64)
    x, centred = x - x.mean(), values - values.mean(-1, keepdim=True)
    slope = (centred @ x) / (x @ x)
    error = (centred - slope[:, None] * x).abs().amax(-1)
    reach = values.abs().amax(-1)
    if bool((error > 2**-8 * reach + 1e-6).any()):
        return None
    return (slope if term.by == "key" else -slope).numpy()
