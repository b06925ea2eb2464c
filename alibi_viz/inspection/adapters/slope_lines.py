"""Slopes read from the position terms of a run: ALiBi's bias is a straight line for each head."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from alibi_viz.inspection.adapters.given import GivenLayer
from alibi_viz.inspection.adapters.records import LayerRecord, PositionTerm
from alibi_viz.inspection.line_fit import fit_lines

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
    values = term.values.double().cpu().numpy()
    lines = fit_lines(np.arange(values.shape[-1], dtype=np.float64), values)
    if (lines.deviation > 2**-8 * np.abs(values).max(-1) + 1e-6).any():
        return None
    return lines.gradient if term.by == "key" else -lines.gradient
