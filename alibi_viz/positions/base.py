"""What a position method is: one module, one of three places to act, the other two left alone."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT, SlopeRule

# Standard deviation of a token embedding before training (GPT-2's). What is added to embeddings
# has to be of their size: sinusoids of size 1 would drown them.
EMBEDDING_STD = 0.02


@dataclass(frozen=True)
class PositionConfig:
    """What a position method has to know of the model that it serves."""

    n_head: int
    """Attention heads in every layer."""
    d_model: int
    """Width of the residual stream."""
    d_head: int
    """Width of one head's queries and keys."""
    train_length: int
    """Tokens in a training window; a learned table has this many rows."""
    max_exponent: float = MAX_SLOPE_EXPONENT
    """ALiBi: the last head's slope is 2 to the power of minus this."""
    slope_rule: SlopeRule = "geometric"
    """ALiBi: how slopes are chosen for head counts that are not powers of two."""
    learned_slopes: bool = False
    """ALiBi: whether the slopes are trained; the published method keeps them fixed."""
    free_heads: int = 0
    """ALiBi: how many of the heads, the last ones, get no bias."""
    sinusoid_amplitude: float = 1.0
    """Sinusoidal: of the sines, in standard deviations of an untrained token embedding."""


class PositionMethod(nn.Module):
    """Tells a model where its tokens stand; as it stands, it tells nothing (NoPE).

    A method overrides the one hook of the place where it acts. One module serves all layers.
    """

    acts_on_queries_and_keys = False

    def __init__(self, config: PositionConfig) -> None:
        super().__init__()
        self.config = config

    def draw(self, generator: torch.Generator) -> None:
        """Fills what is learned with the numbers that training starts from.

        Tables are drawn like every matrix of the model; what has one axis keeps what it was built
        with, unless the method says otherwise.

        Args:
            generator: On the CPU, of the model's seed.
        """
        for parameter in self.parameters():
            if parameter.ndim >= 2:
                drawn = torch.randn(parameter.shape, generator=generator)
                parameter.copy_(drawn * EMBEDDING_STD)

    def embed(self, x: Tensor) -> Tensor:
        """Returns token embeddings with position added, before the first layer.

        Args:
            x: (batch, length, d_model); token 0 of every window stands at position 0.
        """
        return x

    def rotate(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """Returns queries and keys that carry their position, in every layer.

        Args:
            q: (batch, head, length, d_head).
            k: (batch, head, length, d_head).
        """
        return q, k

    def bias_by_distance(self, length: int, device: torch.device | None = None) -> Tensor | None:
        """Returns what is added to the attention logit of each distance, or None for nothing.

        Args:
            length: Distances 0 .. length - 1, in tokens.
            device: Where the result is wanted; the method's own place if left out.

        Returns:
            (head, distance) float32, in nats, the same in every layer; added after 1/sqrt(d_head).
        """
        return None

    def slopes(self, device: torch.device | None = None) -> Tensor | None:
        """Returns the slopes if the bias is -slope * distance: (head,), in nats per token."""
        return None
