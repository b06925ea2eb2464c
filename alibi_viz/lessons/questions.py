"""Questions that the library answers: a number, a choice, or the line of a snippet with the bug.

No right answer is typed in: each is a function, evaluated when a student has answered. So are the
wrong answers that deserve their own feedback, each computed from the error that leads to it.
"""

import inspect
import math
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from alibi_viz.lessons.answers import Typed, read_number, spell_number

# How far from right an answer is still called close, as a share of it.
_CLOSE = 0.05


@dataclass(frozen=True)
class Verdict:
    """What a student hears about an answer."""

    right: bool
    """Whether the answer stands."""
    feedback: str
    """What to say, as Markdown: for a known error, what the error is."""
    error: str = ""
    """The known error behind the answer, in a few words; empty where there is none."""
    close: bool = False
    """Whether the answer is nearly right."""


@dataclass(frozen=True)
class Mistake:
    """A wrong number that a known error leads to."""

    error: str
    """The error in a few words, for the teacher's notes."""
    value: Callable[[], float]
    """The number that the error gives."""
    feedback: str
    """What to say to whoever makes it, as Markdown."""


@dataclass(frozen=True)
class NumberQuestion:
    """A question with a number for an answer."""

    key: str
    """Name within its lesson."""
    prompt: str
    """The question, as Markdown."""
    answer: Callable[[], float]
    """The right answer."""
    reveal: str
    """Why it is right, as Markdown; {answer} stands for the number."""
    hint: str
    """What to say to a wrong answer without a known error."""
    mistakes: tuple[Mistake, ...] = ()
    """Known errors."""
    unit: str = ""
    """The unit that the answer is asked in."""
    tolerance: float = 0.01
    """Largest relative error of an accepted answer; 0 for whole numbers that must be exact."""

    def check(self, given: str) -> Verdict:
        """Returns what to say to an answer as it was typed."""
        try:
            typed = read_number(given)
        except ValueError:
            return Verdict(False, "Type a number: `0.25`, `1/4` and `2^-2` all count as the same.")
        factor = self._factor(typed.unit)
        if not factor:
            is_near = self._agrees(typed.number, self.answer(), typed.slack)
            said = f"You gave {typed.unit}; the question asks for {self.unit}."
            return Verdict(False, said, close=is_near)
        number = typed.number * factor
        # What agrees by itself goes before what only rounding makes agree.
        for slack in (0.0, typed.slack * factor if typed.digits > 1 else 0.0):
            if self._agrees(number, self.answer(), slack) or self._is_fraction(typed, slack):
                return Verdict(True, self.explained())
            for mistake in self.mistakes:
                if self._agrees(number, mistake.value(), slack):
                    return Verdict(False, mistake.feedback, mistake.error)
        return self._nearly(typed, number) or Verdict(False, self.hint)

    def read(self, given: str) -> float:
        """Returns an answer as it was typed, in the unit that the answer is asked in.

        Raises:
            ValueError: Not a number, or one of another unit.
        """
        typed = read_number(given)
        if not (factor := self._factor(typed.unit)):
            raise ValueError(f"The question asks for {self.unit}, got {typed.unit}.")
        return typed.number * factor

    def explained(self) -> str:
        """Returns the reveal with the right answer in it."""
        return self.reveal.replace("{answer}", f"**{self.answer_text()}**")

    def in_full(self) -> str:
        """Returns the answer and why it is right."""
        return self.explained()

    def answer_text(self) -> str:
        """Returns the right answer with its unit."""
        return f"{spell_number(self.answer())} {self.unit}".strip()

    def errors(self) -> tuple[str, ...]:
        """Returns the known errors in a few words each."""
        return tuple(mistake.error for mistake in self.mistakes)

    def _factor(self, unit: str) -> float:
        """Returns what turns a number of that unit into one of the answer's; 0 if nothing does."""
        factors = {
            ("%", ""): 0.01,
            ("bits", "nats"): math.log(2),
            ("nats", "bits"): 1 / math.log(2),
        }
        if unit in ("", self.unit) or (not self.unit and unit != "%"):
            return 1.0
        return factors.get((unit, self.unit), 0.0)

    def _agrees(self, given: float, wanted: float, slack: float) -> bool:
        """Returns whether a number is another, or what rounding makes of it; whole ones exactly."""
        allowed = 0.0 if not self.tolerance else slack * (1 + 1e-9)
        relative = max(self.tolerance, 1e-9)
        return math.isclose(given, wanted, rel_tol=relative, abs_tol=max(allowed, 1e-12))

    def _is_fraction(self, typed: Typed, slack: float) -> bool:
        """Returns whether a bare fraction is the right percentage: 0.122 for 12.2 %."""
        is_bare = self.unit == "%" and not typed.unit
        return is_bare and self._agrees(100 * typed.number, self.answer(), 100 * slack)

    def _nearly(self, typed: Typed, number: float) -> Verdict | None:
        """Returns what to say to an answer that is nearly right; None if it is not."""
        wanted = self.answer()
        off = abs(number - wanted)
        slack = typed.slack * self._factor(typed.unit)
        if self.tolerance and typed.digits == 1 and off <= slack <= abs(wanted) / 4:
            return Verdict(False, "Right as far as it goes. Give one more digit.", close=True)
        if not self.unit and not typed.unit and self._agrees(number / 100, wanted, 0.0):
            said = f"Is that in percent? Then write `{typed.number:g} %`."
            return Verdict(False, said, close=True)
        if 0 < off <= _CLOSE * abs(wanted):
            share = f"{100 * off / abs(wanted):.1g} %"
            last = (
                "keep more digits on the way" if self.tolerance else "the answer is a whole number"
            )
            return Verdict(False, f"You are {share} off. Check the last step; {last}.", close=True)
        return None


@dataclass(frozen=True)
class Option:
    """One answer of a choice."""

    text: str
    """What it says, as Markdown."""
    value: Any
    """What the library's answer is compared with."""
    feedback: str
    """What to say to whoever takes it and is wrong, as Markdown."""
    error: str = ""
    """The known error behind it, in a few words; empty for the right one."""


@dataclass(frozen=True)
class ChoiceQuestion:
    """A question with a few answers, one of them right."""

    key: str
    """Name within its lesson."""
    prompt: str
    """The question, as Markdown."""
    options: tuple[Option, ...]
    """The answers, in the order shown; their values differ."""
    answer: Callable[[], Any]
    """The value of the right one."""
    reveal: str
    """Why it is right, as Markdown."""

    def check(self, given: int) -> Verdict:
        """Returns what to say to the option at place `given`, counted from 0."""
        option = self.options[given]
        if given == self.right:
            return Verdict(True, self.explained())
        return Verdict(False, option.feedback, option.error)

    @property
    def right(self) -> int:
        """Place of the right option, counted from 0.

        Raises:
            ValueError: The library's answer is not among the options.
        """
        return [option.value for option in self.options].index(self.answer())

    def explained(self) -> str:
        """Returns why the right answer is right."""
        return self.reveal

    def in_full(self) -> str:
        """Returns the answer and why it is right."""
        return f"**{self.answer_text()}**\n\n{self.explained()}"

    def answer_text(self) -> str:
        """Returns the text of the right option."""
        return self.options[self.right].text

    def errors(self) -> tuple[str, ...]:
        """Returns the known errors in a few words each."""
        return tuple(option.error for option in self.options if option.error)


@dataclass(frozen=True)
class SpotQuestion:
    """A snippet with one wrong line, and the same function with that line put right.

    Both are functions that run: a snippet is shown as its source, and its wrong line is where the
    two sources differ.
    """

    key: str
    """Name within its lesson."""
    prompt: str
    """The question, as Markdown."""
    buggy: Callable[..., Any]
    """The function that is shown; its name begins with an underscore, which is not shown."""
    fixed: Callable[..., Any]
    """The function that is right, the same but for one line."""
    agrees: Callable[[Callable[..., Any]], bool]
    """Whether a function does what the library does."""
    reveal: str
    """What is wrong with the line, as Markdown; {fix} stands for the line put right."""
    innocent: Mapping[str, str] = field(default_factory=dict)
    """What to say to whoever suspects another line, by a part of that line."""
    error: str = ""
    """The known error in the snippet, in a few words."""

    def check(self, given: int) -> Verdict:
        """Returns what to say to whoever suspects line `given`, counted from 0."""
        if given == self.right:
            return Verdict(True, self.explained())
        for part, feedback in self.innocent.items():
            if part in self.lines[given]:
                return Verdict(False, feedback, self.error)
        line = self.lines[given].strip()
        return Verdict(False, f"`{line}` does what it should. Follow one small case by hand.")

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The snippet's lines."""
        return _source(self.buggy)

    @cached_property
    def right(self) -> int:
        """Place of the wrong line, counted from 0.

        Raises:
            ValueError: The two functions do not differ in exactly one line after the first.
        """
        pairs = list(zip(self.lines, _source(self.fixed), strict=True))[1:]
        different = [place for place, (line, other) in enumerate(pairs, 1) if line != other]
        if len(different) != 1:
            raise ValueError(f"{self.key}: lines {different} differ, one line should")
        return different[0]

    def explained(self) -> str:
        """Returns what is wrong, with the line put right."""
        return self.reveal.replace("{fix}", _source(self.fixed)[self.right].strip())

    def in_full(self) -> str:
        """Returns the answer and why it is right."""
        return f"**Line {self.right + 1}**\n\n{self.explained()}"

    def answer_text(self) -> str:
        """Returns the wrong line with its number."""
        return f"Line {self.right + 1}: `{self.lines[self.right].strip()}`"

    def errors(self) -> tuple[str, ...]:
        """Returns the known error in a few words."""
        return (self.error,) if self.error else ()


Question: TypeAlias = NumberQuestion | ChoiceQuestion | SpotQuestion


def _source(function: Callable[..., Any]) -> tuple[str, ...]:
    """Returns a function's source by lines, its name without the underscore."""
    text = textwrap.dedent(inspect.getsource(function))
    return tuple(text.replace("def _", "def ", 1).rstrip().split("\n"))
