"""Slopes read back from a model: what really acts on its logits, whatever its configuration says.

With all queries zero, content is zero, and the last row's weights come from position alone. For
ALiBi ln p falls by one slope with every token of distance; without any bias it is flat; for
anything else it is no straight line. The weights are read through the values (see
`Adapter.read_weights`), so that fused kernels which return no weights can be read as well.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from alibi_viz.inspection.adapters.contract import Adapter, AttentionPath, Reading, Slopes
from alibi_viz.inspection.line_fit import fit_lines

Situation = Literal["whole text", "last token from the cache", "behind padding"]

# Nearest keys to read, the query's own included.
READ_DISTANCES = 64
# Enough to tell whether another way of computing attention gives the same slopes.
FEW_DISTANCES = 24
PADDING = 5
# Weights below these are not read: they are, or may be, rounded to fewer digits or to zero.
SMALLEST = {torch.float16: 2.0**-14, torch.bfloat16: 1e-30, torch.float32: 1e-30}
# A line needs two points, and a third to see that it is one.
FEWEST_POINTS = 3


@dataclass(frozen=True)
class ReadBack:
    """Slopes of all heads as they act on one path, in one situation."""

    path: AttentionPath
    situation: Situation
    length: int
    """Tokens of the text."""
    slopes: Slopes
    """(layer, head) of the straight line through ln p, in nats per token."""
    deviation: Slopes
    """(layer, head) largest distance of ln p from that line, in nats."""
    points: NDArray[np.int64]
    """(layer, head) distances that could be read."""
    distinct: NDArray[np.int64]
    """(layer, head) different weights among them."""
    precision: float
    """What ln p can be off by from rounding the weights alone, in nats."""

    @property
    def slope_precision(self) -> Slopes:
        """(layer, head) what a slope can be off by from that."""
        return 2 * self.precision / np.maximum(self.points - 1, 1)

    @property
    def is_linear(self) -> NDArray[np.bool_]:
        """(layer, head) whether ln p is a straight line, up to biases rounded to 8 bits."""
        rounding = 2.0**-8 * np.abs(self.slopes) * self.length
        enough: NDArray[np.bool_] = self.points >= FEWEST_POINTS
        return enough & (self.deviation <= self.precision + rounding)

    @property
    def is_flat(self) -> NDArray[np.bool_]:
        """(layer, head) whether there is no slope at all."""
        return self.is_linear & (np.abs(self.slopes) <= self.slope_precision)

    @property
    def words(self) -> str:
        """Path and situation in words."""
        return f"{self.path.label}, {self.situation}"


def read_back_slopes(
    adapter: Adapter,
    path: AttentionPath | None = None,
    *,
    length: int = READ_DISTANCES,
    distances: int = READ_DISTANCES,
    situation: Situation = "whole text",
    n_layer: int | None = None,
) -> ReadBack:
    """Returns the slope that acts on the logits, for each layer and head.

    Args:
        adapter: A loaded model.
        path: How to compute attention; as the library does by itself if left out.
        length: Tokens of the text, at least 3.
        distances: Nearest keys to read.
        situation: Whether the text comes at once, its last token alone, or after padding.
        n_layer: Layers to run, from the first; all if left out.

    Raises:
        UnreadableModel: The model computes attention where it cannot be read.
        ValueError: A text that is too short, or longer than the model can take.
    """
    if length < FEWEST_POINTS:
        raise ValueError(f"length must be at least {FEWEST_POINTS}, got {length}")
    path = path or adapter.default_path
    ids = probe_ids(length, adapter.facts.vocab_size)
    nearest = torch.arange(length - 1, max(length - 1 - distances, -1), -1)
    parts = [
        adapter.read_weights(
            Reading(
                ids,
                path,
                keys,
                padding=PADDING if situation == "behind padding" else 0,
                in_steps=situation == "last token from the cache",
                n_layer=n_layer,
            )
        )
        for keys in torch.split(nearest, adapter.facts.d_head)
    ]
    weights = torch.cat(parts, dim=-1).double().cpu().numpy()
    return _fit_lines(weights, adapter.dtype, path, situation, length)


def probe_ids(length: int, vocab_size: int) -> Tensor:
    """Returns (length,) token ids, the same ones every time."""
    generator = torch.Generator().manual_seed(0)
    return torch.randint(0, vocab_size, (length,), generator=generator)


def _fit_lines(
    weights: Slopes, dtype: torch.dtype, path: AttentionPath, situation: Situation, length: int
) -> ReadBack:
    """Returns the lines through ln p.

    Args:
        weights: (layer, head, distance), nearest key first.
        dtype: The model's.
        path: Passed on.
        situation: Passed on.
        length: Passed on.
    """
    usable = weights >= SMALLEST.get(dtype, 1e-30)
    log_weights = np.log(np.where(usable, weights, 1.0))
    count = usable.sum(-1)
    distance = np.arange(weights.shape[-1], dtype=np.float64)
    lines = fit_lines(distance, log_weights, usable)
    distinct = np.apply_along_axis(lambda row: len(np.unique(row[row > 0])), -1, weights * usable)
    # Weights are rounded to the model's type, and exp(x) is off by x * eps in float32.
    reach = float(np.abs(log_weights).max())
    precision = torch.finfo(dtype).eps + 4 * torch.finfo(torch.float32).eps * (4 + reach)
    slopes = 0.0 - lines.gradient  # so that no slope reads 0, not -0
    return ReadBack(
        path, situation, length, slopes, lines.deviation, count, distinct, float(precision)
    )
