"""How far two heads over the same text agree."""

import numpy as np

from alibi_viz.inspection.text.capture import QUERY_BLOCK
from alibi_viz.ui.canvas.map import Panel


def have_same_tokens(first: Panel, second: Panel) -> bool:
    """Returns whether two panels cut the text in the same way, and so share their axes."""
    return [token.text for token in first.capture.tokens] == [
        token.text for token in second.capture.tokens
    ]


def moved_share(first: Panel, second: Panel) -> float | None:
    """Returns the share of attention that the second head puts on other keys than the first.

    Half the sum over keys of |weight difference| (the total variation), a mean over the queries
    that see a key in both; None where the tokens differ.
    """
    if not have_same_tokens(first, second):
        return None
    moved, counted = 0.0, 0
    for start in range(0, first.capture.length, QUERY_BLOCK):
        rows = range(start, min(start + QUERY_BLOCK, first.capture.length))
        one, other = (
            panel.capture.attention(panel.layer, panel.head, rows) for panel in (first, second)
        )
        sees = one.visible.any(1) & other.visible.any(1)
        moved += float(np.abs(one.weights - other.weights)[sees].sum()) / 2
        counted += int(sees.sum())
    return moved / max(counted, 1)
