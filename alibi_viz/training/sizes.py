"""Two sizes behind one command: what two cores can do, and what one data-centre GPU can do."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """The sizes of a model and of its training, as the command line's defaults."""

    layers: int
    """Blocks of attention and MLP."""
    heads: int
    """Attention heads in every layer."""
    width: int
    """d_model."""
    train_length: int
    """Tokens in a training window."""
    tokens: int
    """Training tokens in all."""
    batch_size: int
    """Windows in a batch."""


SIZES = {
    "small": Size(layers=4, heads=8, width=128, train_length=128, tokens=8_192_000, batch_size=16),
    "full": Size(layers=8, heads=8, width=256, train_length=512, tokens=50_003_968, batch_size=32),
}
