"""Attention Is All You Need (Vaswani et al., 2017), section 3.5, https://arxiv.org/abs/1706.03762.

embedding(position, 2k) = sin(position / 10000^(2k / d_model)), embedding(position, 2k + 1) = cos of
the same angle; added to the token embedding. Nothing is learned.

The paper multiplies token embeddings by sqrt(d_model) to bring them to the size of the sinusoids.
Here token embeddings stay as they are and sinusoids of amplitude 1 are brought to the size that
they have before training: the same ratio at the start. Token embeddings grow in training and the
sinusoids do not; multiplied embeddings grow by as much less. Hence an amplitude to choose, as a
learning rate is chosen.
"""

import math

import numpy as np
from einops import rearrange
from numpy.typing import NDArray

from alibi_viz.maths.arrays import Array, alike
from alibi_viz.maths.frequencies import pair_frequencies
from alibi_viz.positions.base import EMBEDDING_STD, PositionConfig, PositionMethod
from alibi_viz.positions.novelty import Novelty, turning_pairs


def sinusoidal_embedding(length: int, d_model: int) -> NDArray[np.float32]:
    """Returns the sines and cosines of every position.

    Args:
        length: Positions 0 .. length - 1.
        d_model: Width, even.

    Returns:
        (length, d_model) float32, computed in float64: an angle of 16,384 radians has no
        correct digits behind the third in float32.
    """
    angle = np.arange(length)[:, None] * pair_frequencies(d_model)
    sines = np.stack([np.sin(angle), np.cos(angle)], axis=-1).astype(np.float32)
    embedding: NDArray[np.float32] = rearrange(sines, "length pair two -> length (pair two)")
    return embedding


class Sinusoidal(PositionMethod):
    """Fixed sines and cosines; acts on the embedding."""

    key = "sinusoidal"
    label = "Sinusoidal"
    paper = "Vaswani et al., 2017, https://arxiv.org/abs/1706.03762"
    acts_on = "embedding"
    equation = r"x_i = E_{\mathrm{token}} + (\sin \omega_k i,\ \cos \omega_k i)"
    formula = "x = E[token]  <b>+ sin, cos(ω i)</b>"
    learns = ""
    style = "blue"
    probed_as = "sinusoidal"
    settings = ("sinusoid_amplitude",)

    @classmethod
    def check(cls, config: PositionConfig) -> None:
        """Raises ValueError on an odd width, or an amplitude that is not above 0 and finite."""
        super().check(config)
        if config.d_model % 2:
            raise ValueError(f"sinusoids come in pairs: d_model must be even, not {config.d_model}")
        if not (math.isfinite(config.sinusoid_amplitude) and config.sinusoid_amplitude > 0):
            raise ValueError(
                f"sinusoid_amplitude must be positive, got {config.sinusoid_amplitude}"
            )

    def embed(self, x: Array) -> Array:
        """Returns x plus the sinusoids of positions 0, 1, ..."""
        amplitude = self.config.sinusoid_amplitude * EMBEDDING_STD
        return x + amplitude * alike(x, sinusoidal_embedding(x.shape[1], x.shape[2]))

    def beyond(self, train_length: int, eval_length: int) -> Novelty:
        """Returns how far around its circle each pair of channels goes."""
        return turning_pairs(self.config.d_model, train_length, eval_length)
