"""RoFormer (Su et al., 2021), section 3.2, https://arxiv.org/abs/2104.09864.

Each pair of channels of a query or key is rotated by position * 10000^(-2k / d_head), so that a
logit depends on contents and distance only. Nothing is learned.
"""

import torch
from einops import rearrange
from torch import Tensor

from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.frequencies import pair_frequencies
from alibi_viz.positions.base import PositionMethod


def rotary_angles(length: int, frequencies: Floats) -> Tensor:
    """Returns the angle of every position and channel pair.

    Args:
        length: Positions 0 .. length - 1.
        frequencies: (pair,) radians per token.

    Returns:
        (length, pair) float64, in radians.
    """
    position = torch.arange(length, dtype=torch.float64)[:, None]
    return position * torch.from_numpy(frequencies)


def rotate_pairs(x: Tensor, angles: Tensor) -> Tensor:
    """Returns x with each pair of neighbouring channels turned by its angle.

    Args:
        x: (batch, head, length, d_head).
        angles: (length, pair), in radians.
    """
    cos, sin = angles.cos().to(x), angles.sin().to(x)
    even, odd = rearrange(x, "... (pair two) -> two ... pair", two=2)
    turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1)
    return rearrange(turned, "... pair two -> ... (pair two)")


class RoPE(PositionMethod):
    """Rotary position embedding; acts on queries and keys."""

    acts_on_queries_and_keys = True

    def rotate(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """Returns q and k turned by their positions 0, 1, ..."""
        angles = rotary_angles(q.shape[-2], pair_frequencies(q.shape[-1]))
        return rotate_pairs(q, angles), rotate_pairs(k, angles)
