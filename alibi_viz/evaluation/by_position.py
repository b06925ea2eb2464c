"""Loss by how much context a token has: the early-token curse itself, and where methods break.

The token at position p of a window is predicted from p + 1 tokens. A causal model does not see what
follows, so the first positions of a long window are those of a short one: they are measured in many
short windows, the later ones in the few long windows that the same text fills.
"""

import numpy as np

from alibi_viz.evaluation.perplexity import nll_by_position
from alibi_viz.evaluation.position_records import Band
from alibi_viz.evaluation.stretch import Stretch
from alibi_viz.model.transformer import Transformer

# Windows that share the work: each measures the positions that the one before does not hold.
WINDOWS = (128, 1024, 4096)
BANDS_PER_OCTAVE = 2


def bands_up_to(longest: int) -> list[tuple[int, int]]:
    """Returns the first and last context of each band, two an octave.

    >>> bands_up_to(16)
    [(1, 1), (2, 2), (3, 3), (4, 5), (6, 7), (8, 10), (11, 16)]

    Args:
        longest: Most tokens of context; the last band ends there.
    """
    octaves = int(np.log2(longest))
    starts = np.round(2 ** (np.arange(BANDS_PER_OCTAVE * octaves) / BANDS_PER_OCTAVE))
    firsts = sorted({int(start) for start in starts} | {1})
    lasts = [*(first - 1 for first in firsts[1:]), longest]
    return list(zip(firsts, lasts, strict=True))


def measure_by_position(
    model: Transformer, stretch: Stretch, windows: tuple[int, ...] = WINDOWS
) -> tuple[Band, ...]:
    """Returns the mean loss by context.

    Args:
        model: Any decoder of this package.
        stretch: The text and its targets.
        windows: Tokens in the windows, rising; a model that ends earlier takes those that it has.

    Raises:
        ValueError: The text does not fill the longest window, or the model can read none.
    """
    if (longest := model.config.longest) is not None:
        windows = tuple(sorted({min(window, longest) for window in windows}))
    measured = [(window, nll_by_position(model, stretch, window)) for window in windows]
    bands = []
    for first, last in bands_up_to(windows[-1]):
        window, nll = next((w, nll) for w, nll in measured if w >= last)
        count = stretch.count // window * (last - first + 1)
        bands.append(Band(first, last, count, round(float(nll[first - 1 : last].mean()), 6)))
    return tuple(bands)
