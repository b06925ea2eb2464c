"""RoFormer (Su et al., 2021), section 3.2, https://arxiv.org/abs/2104.09864.

Each pair of channels of a query or key is rotated by position * 10000^(-2k / d_head), so that a
logit depends on contents and distance only. Nothing is learned.
"""

import numpy as np
from einops import rearrange

from alibi_viz.maths.arrays import Array, Floats, alike
from alibi_viz.maths.frequencies import pair_frequencies
from alibi_viz.positions.base import PositionConfig, PositionMethod
from alibi_viz.positions.novelty import Novelty, turning_pairs


def rotary_angles(length: int, frequencies: Floats) -> Floats:
    """Returns the angle of every position and channel pair.

    Args:
        length: Positions 0 .. length - 1.
        frequencies: (pair,) radians per token.

    Returns:
        (length, pair) float64, in radians.
    """
    return np.arange(length)[:, None] * frequencies


def rotate_pairs(x: Array, angles: Floats) -> Array:
    """Returns x with each pair of neighbouring channels turned by its angle.

    Args:
        x: (batch, head, length, d_head).
        angles: (length, pair), in radians.
    """
    cos, sin = alike(x, np.cos(angles)), alike(x, np.sin(angles))
    even, odd = rearrange(x, "... (pair two) -> two ... pair", two=2)
    turned = [even * cos - odd * sin, even * sin + odd * cos]
    return rearrange(turned, "two ... pair -> ... (pair two)")


class RoPE(PositionMethod):
    """Rotary position embedding; acts on queries and keys."""

    key = "rope"
    label = "RoPE"
    paper = "Su et al., 2021, https://arxiv.org/abs/2104.09864"
    acts_on = "query_key"
    equation = r"\frac{q_i \cdot R_{\theta (j - i)}\, k_j}{\sqrt d}"
    formula = "q = <b>R(θ i)</b> W<sub>q</sub> x,  k = <b>R(θ j)</b> W<sub>k</sub> x"
    learns = ""
    style = "green"
    probed_as = "rope"

    @classmethod
    def check(cls, config: PositionConfig) -> None:
        """Raises ValueError on an odd width of a head."""
        super().check(config)
        if config.d_head % 2:
            raise ValueError(
                f"RoPE turns pairs of channels: d_head must be even, not {config.d_head}"
            )

    def rotate(self, q: Array, k: Array) -> tuple[Array, Array]:
        """Returns q and k turned by their positions 0, 1, ..."""
        angles = rotary_angles(q.shape[-2], pair_frequencies(q.shape[-1]))
        return rotate_pairs(q, angles), rotate_pairs(k, angles)

    def beyond(self, train_length: int, eval_length: int) -> Novelty:
        """Returns how far around its circle the angle between query and key goes."""
        return turning_pairs(self.config.d_head, train_length, eval_length)
