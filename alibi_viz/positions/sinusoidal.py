"""Attention Is All You Need (Vaswani et al., 2017), section 3.5, https://arxiv.org/abs/1706.03762.

embedding(position, 2k) = sin(position / 10000^(2k / d_model)), embedding(position, 2k + 1) = cos of
the same angle; added to the token embedding. Nothing is learned.

The paper multiplies token embeddings by sqrt(d_model) to bring them to the size of the sinusoids.
Here token embeddings stay as they are and sinusoids of amplitude 1 are brought to the size that
they have before training: the same ratio at the start. Token embeddings grow in training and the
sinusoids do not; multiplied embeddings grow by as much less. Hence an amplitude to choose, as a
learning rate is chosen.
"""

import torch
from einops import rearrange
from torch import Tensor

from alibi_viz.maths.frequencies import pair_frequencies
from alibi_viz.positions.base import EMBEDDING_STD, PositionMethod


def sinusoidal_embedding(length: int, d_model: int) -> Tensor:
    """Returns the sines and cosines of every position.

    Args:
        length: Positions 0 .. length - 1.
        d_model: Width, even.

    Returns:
        (length, d_model) float32, computed in float64: an angle of 16,384 radians has no
        correct digits behind the third in float32.
    """
    position = torch.arange(length, dtype=torch.float64)[:, None]
    angle = position * torch.from_numpy(pair_frequencies(d_model))
    sines = torch.stack([angle.sin(), angle.cos()], dim=-1)
    return rearrange(sines, "length pair two -> length (pair two)").float()


class Sinusoidal(PositionMethod):
    """Fixed sines and cosines; acts on the embedding."""

    def embed(self, x: Tensor) -> Tensor:
        """Returns x plus the sinusoids of positions 0, 1, ..."""
        amplitude = self.config.sinusoid_amplitude * EMBEDDING_STD
        return x + amplitude * sinusoidal_embedding(x.shape[1], x.shape[2]).to(x)
