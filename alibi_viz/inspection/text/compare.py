"""How far two heads over the same text agree."""

import numpy as np

from alibi_viz.inspection.text.capture import QUERY_BLOCK, Capture


def have_same_tokens(first: Capture, second: Capture) -> bool:
    """Returns whether two captures cut the text in the same way, and so share their axes."""
    return [token.text for token in first.tokens] == [token.text for token in second.tokens]


def moved_share(
    first: Capture, second: Capture, place: tuple[int, int], other: tuple[int, int]
) -> float | None:
    """Returns the share of attention that one head puts on other keys than another.

    Half the sum over keys of |weight difference| (the total variation), a mean over the queries
    that see a key in both.

    Args:
        first: A text seen by one model.
        second: The text seen by another, or by the same one with other slopes.
        place: (layer, head) in the first, counted from 0.
        other: (layer, head) in the second, counted from 0.

    Returns:
        From 0 to 1; None where the tokens differ.
    """
    if not have_same_tokens(first, second):
        return None
    moved, counted = 0.0, 0
    for start in range(0, first.length, QUERY_BLOCK):
        rows = range(start, min(start + QUERY_BLOCK, first.length))
        ours, theirs = first.attention(*place, rows), second.attention(*other, rows)
        sees = ours.visible.any(1) & theirs.visible.any(1)
        moved += float(np.abs(ours.weights - theirs.weights)[sees].sum()) / 2
        counted += int(sees.sum())
    return moved / max(counted, 1)
