"""Ways to tell a transformer where its tokens stand; `METHODS` is the only list of them.

A method is a file here that holds its facts and its formulas, and a line in `METHODS`. Reading them
imports no torch; only building the module that trains one does.
"""

from typing import TYPE_CHECKING

from alibi_viz.positions.alibi import ALiBi
from alibi_viz.positions.base import PositionConfig, PositionMethod
from alibi_viz.positions.kerple import KERPLE
from alibi_viz.positions.learned import Learned
from alibi_viz.positions.nope import NoPE
from alibi_viz.positions.rope import RoPE
from alibi_viz.positions.sinusoidal import Sinusoidal
from alibi_viz.positions.t5 import T5Bias

if TYPE_CHECKING:
    from alibi_viz.positions.module import Position

METHODS: dict[str, type[PositionMethod]] = {
    method.key: method for method in (ALiBi, Sinusoidal, Learned, RoPE, T5Bias, KERPLE, NoPE)
}
"""Every method by its key, in the order in which pages list them."""


def find_method(key: str) -> type[PositionMethod]:
    """Returns the method called `key`.

    Raises:
        ValueError: No method has that key.
    """
    if key not in METHODS:
        raise ValueError(f"unknown position method {key!r}; known are {', '.join(METHODS)}")
    return METHODS[key]


def build_position(key: str, config: PositionConfig) -> "Position":
    """Returns a new torch module of the method called `key`, with numbers to start training from.

    Raises:
        ValueError: No method has that key.
    """
    from alibi_viz.positions.module import Position

    return Position(find_method(key)(config))
