"""What a position method is: its facts, and what it does in one of three places; torch-free.

A method's file holds all that is known of it. Its formulas take numpy arrays and torch tensors
alike and give back the same kind: the model trains with them (`positions.module`), and pages draw
the same ones without torch.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import ClassVar, Literal, Protocol, get_args

import numpy as np

from alibi_viz.maths.arrays import Array
from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT, SlopeRule
from alibi_viz.positions.novelty import Novelty

Place = Literal["embedding", "query_key", "logit", "nowhere"]
PLACES: tuple[Place, ...] = get_args(Place)

# Standard deviation of a token embedding before training (GPT-2's). What is added to embeddings
# has to be of their size: sinusoids of size 1 would drown them.
EMBEDDING_STD = 0.02


@dataclass(frozen=True, kw_only=True)
class PositionConfig:
    """What a position method has to know of the model that it serves."""

    n_head: int = 8
    """Attention heads in every layer."""
    d_model: int = 128
    """Width of the residual stream; the MLP is four times as wide."""
    train_length: int = 128
    """Tokens in a training window; a learned table has this many rows."""
    max_exponent: float = MAX_SLOPE_EXPONENT
    """ALiBi: the last head's slope is 2 to the power of minus this."""
    slope_rule: SlopeRule = "geometric"
    """ALiBi: "geometric" (the paper) or "interleaved" (the authors' code)."""
    learned_slopes: bool = False
    """ALiBi: whether the slopes are trained; the published method keeps them fixed."""
    free_heads: int = 0
    """ALiBi: how many of the heads, the last ones, get no bias."""
    sinusoid_amplitude: float = 1.0
    """Sinusoidal: of the sines, in standard deviations of an untrained token embedding."""

    @property
    def d_head(self) -> int:
        """Width of one head's queries, keys and values."""
        return self.d_model // self.n_head


SETTINGS = {
    field.name: field.default
    for field in fields(PositionConfig)
    if field.name not in ("n_head", "d_model", "train_length")
}
"""What single methods take, by name, with its default."""


class Draws(Protocol):
    """A source of random numbers: numpy's generators are one, `positions.module` has torch's."""

    def standard_normal(self, size: tuple[int, ...]) -> Array:
        """Returns normal numbers of mean 0 and standard deviation 1."""

    def random(self, size: tuple[int, ...]) -> Array:
        """Returns numbers evenly from 0 to 1."""


class PositionMethod(ABC):
    """A way to tell a model where its tokens stand, at the sizes of one model.

    A method states its facts and what is new to it past its training length, and overrides the one
    hook of the place where it acts. What it does not override leaves everything as it is.
    """

    key: ClassVar[str]
    """Name in code, files and URLs; also its module's name."""
    label: ClassVar[str]
    """Name on a page."""
    paper: ClassVar[str]
    """Authors, year and address of its source."""
    acts_on: ClassVar[Place]
    """Where position enters the model."""
    equation: ClassVar[str]
    """What it computes there, in LaTeX."""
    formula: ClassVar[str]
    """The same in plain signs, as in a diagram; what is its own between <b> and </b>."""
    learns: ClassVar[str]
    """What is trained for it, in words; empty for nothing."""
    style: ClassVar[str]
    """Key of its colour, symbol and dash, see `figures.theme.METHOD_STYLES`."""
    probed_as: ClassVar[str]
    """What a probe finds in a model that has it, see `inspection.probe.method.NAMES`."""
    learning_rate_factor: ClassVar[float] = 1.0
    """Usual learning rate of what it learns, as a multiple of the rest's."""
    ends_at_train_length: ClassVar[bool] = False
    """Whether there are positions for the training length only."""
    settings: ClassVar[tuple[str, ...]] = ()
    """Fields of `PositionConfig` that are its own: no other method may change them."""

    def __init_subclass__(cls) -> None:
        """Raises TypeError for a method that leaves out one of its facts."""
        facts = ("key", "label", "paper", "acts_on", "equation", "formula", "learns", "style")
        missing = [name for name in (*facts, "probed_as") if not hasattr(cls, name)]
        if missing:
            raise TypeError(f"position method {cls.__name__} does not say its {missing[0]}")
        if cls.acts_on not in PLACES:
            raise TypeError(f"acts_on must be one of {', '.join(PLACES)}, got {cls.acts_on!r}")

    def __init__(self, config: PositionConfig, learned: Mapping[str, Array] | None = None) -> None:
        """Puts a method to work.

        Args:
            config: The sizes of the model.
            learned: What was trained, by name; numbers that training could start from if left out.

        Raises:
            ValueError: Sizes or settings that the method cannot have.
        """
        self.check(config)
        self.config = config
        self.learned = self.start(np.random.default_rng(0)) if learned is None else learned

    @classmethod
    def check(cls, config: PositionConfig) -> None:
        """Raises ValueError on sizes that the method cannot have, and on settings not its own."""
        for name, default in SETTINGS.items():
            value = getattr(config, name)
            if name not in cls.settings and value != default:
                raise ValueError(
                    f"{cls.label} has no {name}: it must be {default!r}, got {value!r}"
                )

    def start(self, draws: Draws) -> dict[str, Array]:
        """Returns what is learned, by name, with the numbers that training starts from.

        Args:
            draws: Where random numbers come from.
        """
        return {}

    def novelty(self, train_length: int, eval_length: int) -> Novelty:
        """Returns what an input of `eval_length` tokens brings that training did not.

        What is learned has to be numpy arrays.

        Args:
            train_length: Tokens in a training window, at least 1.
            eval_length: Tokens in the longer input, at least `train_length`.

        Raises:
            ValueError: A training length below 1, or a shorter evaluation length.
        """
        if not 1 <= train_length <= eval_length:
            raise ValueError(
                "train_length must be at least 1 and eval_length at least as much, got "
                f"{train_length} and {eval_length}"
            )
        found = self.beyond(train_length, eval_length)
        if eval_length > train_length:
            return found
        return replace(found, told="The input is as long as in training: nothing is new.")

    @abstractmethod
    def beyond(self, train_length: int, eval_length: int) -> Novelty:
        """Returns `novelty` at lengths that are known to be allowed; each method's own answer."""

    def embed(self, x: Array) -> Array:
        """Returns token embeddings with position added, before the first layer.

        Args:
            x: (batch, length, d_model); token 0 of every window stands at position 0.
        """
        return x

    def rotate(self, q: Array, k: Array) -> tuple[Array, Array]:
        """Returns queries and keys that carry their position, in every layer.

        Args:
            q: (batch, head, length, d_head).
            k: (batch, head, length, d_head).
        """
        return q, k

    def bias_by_distance(self, length: int) -> Array | None:
        """Returns what is added to the attention logit of each distance, or None for nothing.

        Args:
            length: Distances 0 .. length - 1, in tokens.

        Returns:
            (head, distance) float32, in nats, the same in every layer; added after 1/sqrt(d_head).
        """
        return None

    def slopes(self) -> Array | None:
        """Returns the slopes if the bias is -slope * distance: (head,) float32, in nats a token."""
        return None
