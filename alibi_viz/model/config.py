"""The sizes of a model and its position method: all that is needed to build it."""

from dataclasses import dataclass

from alibi_viz.positions import METHODS, find_method
from alibi_viz.positions.base import PositionConfig


@dataclass(frozen=True)
class ModelConfig(PositionConfig):
    """A decoder: sizes, position method, and the length that it is trained on."""

    position: str = "alibi"
    """Key of the position method, see `alibi_viz.positions.METHODS`."""
    n_layer: int = 4
    """Blocks of attention and MLP."""
    vocab_size: int = 1024
    """Tokens in the vocabulary."""

    def __post_init__(self) -> None:
        """Raises ValueError on sizes that cannot be built, with the value and what is allowed."""
        method = find_method(self.position)
        for name in ("n_layer", "n_head", "d_model", "vocab_size", "train_length"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
        if self.d_model % self.n_head:
            raise ValueError(
                f"d_model must be a multiple of n_head, got d_model {self.d_model} "
                f"and n_head {self.n_head}"
            )
        method.check(self)

    @property
    def variant(self) -> str:
        """What the model has otherwise than the bundled ones, as "e16" or "h4-d192"; "" nothing."""
        usual = ModelConfig(self.position)
        has_rule = self.position == "alibi" and self.n_head.bit_count() > 1
        words = {
            f"h{self.n_head}": self.n_head != usual.n_head,
            # The two rules agree wherever the number of heads is a power of two.
            self.slope_rule: has_rule,
            f"d{self.d_model}": self.d_model != usual.d_model,
            f"l{self.n_layer}": self.n_layer != usual.n_layer,
            f"e{self.max_exponent:g}": self.max_exponent != usual.max_exponent,
            f"free{self.free_heads}": self.free_heads > 0,
            "learned": self.learned_slopes,
        }
        return "-".join(word for word, differs in words.items() if differs)

    @property
    def longest(self) -> int | None:
        """Most tokens that the model can read; None if its position method sets no limit."""
        return self.train_length if METHODS[self.position].ends_at_train_length else None
