"""What a chart is: a frozen value with its whole state in its fields.

Pages, lessons, notebooks, saved files and printed programs hold the same value, so that they cannot
disagree. Its repr is the program: `eval(repr(chart)) == chart`. So fields are numbers, strings,
booleans, None, tuples of these, and frozen dataclasses of these; arrays are computed from them.

Charts are made anew with every rerun of a page. What takes long is kept: what a chart computes of
itself by `kept_by_value`, what several charts share by a function beside the class, with
`functools.lru_cache` over plain arguments. What is kept is shared by all visitors, so arrays in it
are made read-only (`maths.arrays.read_only`).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from dataclasses import Field, dataclass, fields, is_dataclass
from functools import lru_cache, wraps
from typing import Any, ClassVar, TypeVar

import pandas as pd
import plotly.graph_objects as go

from alibi_viz.evaluation.store import Stored, last_change
from alibi_viz.figures.enlarge import enlarged, lowered
from alibi_viz.figures.numbers import drawn_numbers
from alibi_viz.figures.print_size import print_version
from alibi_viz.figures.stand_alone import stand_alone_html

_LONGEST_LINE = 88


@dataclass(frozen=True)
class Look:
    """How a figure is to look, whatever it shows."""

    dark: bool = False
    """Whether it is for the dark theme."""
    type_scale: float = 1.0
    """How much larger its type is than on a desk."""
    tallest: int | None = None
    """Pixels that it may be high; any number if None."""


@dataclass(frozen=True)
class Chart(ABC):
    """One chart; a subclass adds the fields that decide what it shows.

    A subclass is a frozen dataclass; it defines `name`, `title`, `draw`, `alt`, `sentence` and
    `state`, `table` where the numbers are other than those drawn, and `reads` where records are.
    """

    reads: ClassVar[tuple[type[Stored], ...]] = ()
    """Kinds of records that it is drawn from."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What its element on a page and its files are called."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What it is, in a line: a page says it elsewhere, a file has to itself."""

    @abstractmethod
    def draw(self, dark: bool) -> go.Figure:
        """Returns the figure in one theme, with type of the usual size."""

    @abstractmethod
    def alt(self) -> str:
        """Returns what the figure shows, for those who cannot see it."""

    @abstractmethod
    def sentence(self) -> str:
        """Returns what to look for, in Markdown, with the numbers of this state."""

    @abstractmethod
    def state(self) -> dict[str, str]:
        """Returns every setting that the figure depends on, in words, by its name in words."""

    def drawn_from(self) -> Hashable | None:
        """Returns what decides the figure besides its fields: files, and when they last changed.

        Pages keep what they have drawn as long as this stays the same. None: it is never kept.
        """
        return last_change(*self.reads)

    def figure(self, look: Look = Look()) -> go.Figure:
        """Returns the figure, a new one each time.

        Args:
            look: Theme and size of type.
        """
        figure = self.draw(look.dark)
        if look.type_scale != 1:
            figure = enlarged(figure, look.type_scale)
        if look.tallest is not None and (figure.layout.height or 0) > look.tallest:
            figure = lowered(figure, look.tallest)
        return figure

    def table(self) -> pd.DataFrame:
        """Returns the numbers, true values with their units in the names of the columns."""
        return drawn_numbers(self.draw(dark=False))

    @property
    def words(self) -> str:
        """The state in words, as a line: "heads 8 · rule geometric"."""
        return " · ".join(f"{name} {value}" for name, value in self.state().items())

    def program(self) -> str:
        """Returns a Python program that draws the figure."""
        classes = sorted({type(part) for part in _parts(self)}, key=lambda kind: kind.__name__)
        modules: dict[str, list[str]] = {}
        for kind in classes:
            modules.setdefault(kind.__module__, []).append(kind.__name__)
        imports = [
            f"from {module} import {', '.join(modules[module])}" for module in sorted(modules)
        ]
        return "\n".join([*imports, "", f"chart = {_spelled(self)}", "chart.figure().show()", ""])

    def print_figure(self) -> go.Figure:
        """Returns the figure at print size, 17 cm wide, with its title and its state in it."""
        return print_version(self.draw(dark=False), title=self.title, state=self.words)

    def csv(self) -> bytes:
        """Returns the table as a file."""
        return self.table().to_csv(index=False).encode()

    def html(self) -> bytes:
        """Returns a page with the figure that works without a network."""
        return stand_alone_html(
            self.draw(dark=False),
            title=self.title,
            state=self.words,
            alt=self.alt(),
            code=self.program(),
            metadata=self.state(),
        ).encode()


C = TypeVar("C", bound=Chart)
R = TypeVar("R")
_KEPT = 64


def kept_by_value(compute: Callable[[C], R]) -> Callable[[C], R]:
    """Makes a chart's method compute once for all equal charts, until what they read changes.

    Args:
        compute: A method without arguments; what it returns is shared, so nobody may change it.
    """

    @lru_cache(maxsize=_KEPT)
    def known(chart: C, source: Hashable) -> R:
        return compute(chart)

    @wraps(compute)
    def asked(chart: C) -> R:
        source = chart.drawn_from()
        return compute(chart) if source is None else known(chart, source)

    return asked


def _parts(value: Any) -> Iterator[Any]:
    """Yields a value and all values in it that a program has to import."""
    if is_dataclass(value):
        yield value
        for field in _stated(value):
            yield from _parts(getattr(value, field.name))
    elif isinstance(value, (tuple, frozenset)):
        for item in value:
            yield from _parts(item)


def _stated(value: Any) -> list[Field[Any]]:
    """Returns the fields that are part of the state; the others hold what has been computed."""
    return [field for field in fields(value) if field.repr]


def _spelled(value: Any, indent: int = 0) -> str:
    r"""Returns a value as a program spells it: on one line, or an item a line where that is long.

    >>> _spelled((1, 2.0, "a")), _spelled(math.inf), _spelled("one\ntwo")
    ("(1, 2.0, 'a')", "float('inf')", "(\n    'one\\n'\n    'two'\n)")
    """
    deeper = " " * (indent + 4)
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if isinstance(value, str):
        lines = value.splitlines(keepends=True)
        items, opened, closed = [repr(line) for line in lines], "(", ")"
        if len(lines) < 2:
            return repr(value)
        return (
            f"{opened}\n"
            + "".join(f"{deeper}{item}\n" for item in items)
            + f"{' ' * indent}{closed}"
        )
    if is_dataclass(value) and not isinstance(value, type):
        named = ((field.name, getattr(value, field.name)) for field in _stated(value))
        items = [f"{name}={_spelled(part, indent + 4)}" for name, part in named]
        opened, closed = f"{type(value).__name__}(", ")"
    elif isinstance(value, tuple):
        items, opened, closed = [_spelled(part, indent + 4) for part in value], "(", ")"
        if len(items) == 1:
            closed = ",)"
    else:
        return repr(value)
    line = opened + ", ".join(items) + closed
    if len(line) + indent <= _LONGEST_LINE and "\n" not in line:
        return line
    if closed == ",)":
        closed = ")"
    return (
        f"{opened}\n" + "".join(f"{deeper}{item},\n" for item in items) + f"{' ' * indent}{closed}"
    )
