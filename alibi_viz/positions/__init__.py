"""Seven ways to tell a transformer where its tokens stand; `METHODS` is the only list of them.

Reading the registry imports no torch; building a method does.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from alibi_viz.positions.base import PositionConfig, PositionMethod

Place = Literal["embedding", "query_key", "logit", "nowhere"]


@dataclass(frozen=True)
class Method:
    """One position method, as the registry knows it."""

    key: str
    """Name in code, files and URLs; also the module's name."""
    label: str
    """Name on a page."""
    paper: str
    """Authors, year and address of its source."""
    acts_on: Place
    """Where position enters the model."""
    parameters: str
    """What is learned for it, as a formula in the model's sizes."""
    class_name: str
    """The class in its module."""
    ends_at_train_length: bool = False
    """Whether there are positions for the training length only."""


_ALL = (
    Method(
        "alibi",
        "ALiBi",
        "Press et al., 2022, https://arxiv.org/abs/2108.12409",
        "logit",
        "none",
        "ALiBi",
    ),
    Method(
        "sinusoidal",
        "Sinusoidal",
        "Vaswani et al., 2017, https://arxiv.org/abs/1706.03762",
        "embedding",
        "none",
        "Sinusoidal",
    ),
    Method(
        "learned",
        "Learned",
        "Gehring et al., 2017, https://arxiv.org/abs/1705.03122",
        "embedding",
        "train_length x d_model",
        "Learned",
        ends_at_train_length=True,
    ),
    Method(
        "rope",
        "RoPE",
        "Su et al., 2021, https://arxiv.org/abs/2104.09864",
        "query_key",
        "none",
        "RoPE",
    ),
    Method(
        "t5",
        "T5 bias",
        "Raffel et al., 2020, https://arxiv.org/abs/1910.10683",
        "logit",
        "32 x n_head",
        "T5Bias",
    ),
    Method(
        "kerple",
        "KERPLE",
        "Chi et al., 2022, https://arxiv.org/abs/2205.09921",
        "logit",
        "2 x n_head",
        "KERPLE",
    ),
    Method(
        "nope",
        "NoPE",
        "Kazemnejad et al., 2023, https://arxiv.org/abs/2305.19466",
        "nowhere",
        "none",
        "NoPE",
    ),
)

METHODS: dict[str, Method] = {method.key: method for method in _ALL}


def find_method(key: str) -> Method:
    """Returns the method called `key`.

    Raises:
        ValueError: No method has that key.
    """
    if key not in METHODS:
        raise ValueError(f"unknown position method {key!r}; known are {', '.join(METHODS)}")
    return METHODS[key]


def build_position(key: str, config: "PositionConfig") -> "PositionMethod":
    """Returns a new module of the method called `key`, its parameters not yet initialised.

    Raises:
        ValueError: No method has that key.
    """
    method = find_method(key)
    module = import_module(f"alibi_viz.positions.{method.key}")
    position: PositionMethod = getattr(module, method.class_name)(config)
    return position
