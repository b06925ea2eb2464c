"""What a class answered together: its votes round by round, and the lines that it drew."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart
from alibi_viz.figures.measured.answers import sketches_figure, votes_figure
from alibi_viz.positions import find_method
from alibi_viz.words import count, listed


@dataclass(frozen=True)
class VotesChart(Chart):
    """How many gave which answer, in each round of a question."""

    question: str = "ladder/third"
    """Key of the question."""
    answers: tuple[tuple[str, str, bool], ...] = (
        ("0.125", "", True),
        ("another number", "", False),
    )
    """(answer,) text, the known error behind it or "", and whether it is right."""
    rounds: tuple[tuple[int, ...], ...] = ((0, 0),)
    """(round, answer) how many gave each answer."""
    name = "votes"
    title = "What the class answered"

    def _right(self, counts: Sequence[int]) -> int:
        """Returns how many of a round were right."""
        pairs = zip(self.answers, counts, strict=True)
        return sum(number for (_, _, is_right), number in pairs if is_right)

    def draw(self, dark: bool) -> go.Figure:
        """Returns the bars of all rounds."""
        answers = [(text, is_right) for text, _, is_right in self.answers]
        return votes_figure(answers, self.rounds, dark=dark)

    def table(self) -> pd.DataFrame:
        """Returns each answer of each round, one a row."""
        return pd.DataFrame(
            [
                (number, text, error, "yes" if right else "no", given)
                for number, counts in enumerate(self.rounds, 1)
                for (text, error, right), given in zip(self.answers, counts, strict=True)
            ],
            columns=["vote", "answer", "known error", "right", "students"],
        )

    def alt(self) -> str:
        """Returns the numbers of every round, for those who cannot see them."""
        said = []
        for number, counts in enumerate(self.rounds, 1):
            pairs = zip(self.answers, counts, strict=True)
            parts = ", ".join(f"{text}: {given}" for (text, _, _), given in pairs)
            said.append(f"Vote {number}, {count(sum(counts), 'answer')}: {parts}.")
        return " ".join(said)

    def sentence(self) -> str:
        """Returns how many are right, before and after, and the errors that are left by name."""
        shares = [f"{self._right(counts)} of {sum(counts)}" for counts in self.rounds]
        said = f"**{shares[-1]}** answered right"
        if len(shares) > 1:
            said += f"; before the discussion, {listed(shares[:-1])}"
        last = self.rounds[-1]
        wrong = sorted(
            ((given, error) for (_, error, _), given in zip(self.answers, last, strict=True)),
            reverse=True,
        )
        named = [f"*{error}* ({given})" for given, error in wrong if given and error]
        return f"{said}. Errors: {'; '.join(named)}." if named else f"{said}."

    def state(self) -> dict[str, str]:
        """Returns the question and how many votes there were, in words."""
        return {"question": self.question, "votes": str(len(self.rounds))}


@dataclass(frozen=True)
class SketchesChart(Chart):
    """The lines that a class drew past the training length, and the measured one."""

    method: str = "rope"
    """Key of the position method."""
    train_length: int = 128
    """Tokens of a training window."""
    multiples: tuple[float, ...] = (2.0, 4.0)
    """Window lengths that are drawn, in training lengths."""
    lines: tuple[tuple[float, ...], ...] = ()
    """(student, multiple) log2 of perplexity over that at the training length."""
    measured: tuple[float | None, ...] = ()
    """(multiple,) the same, measured; None where nothing was. Empty until it is revealed."""
    name = "sketches"

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"Perplexity of {find_method(self.method).label} past training, as drawn"

    def draw(self, dark: bool) -> go.Figure:
        """Returns all lines over the windows' lengths."""
        return sketches_figure(
            self.method, self.train_length, self.multiples, self.lines, self.measured, dark=dark
        )

    def table(self) -> pd.DataFrame:
        """Returns every height of every line, as a factor; the measured line last."""
        named = [(f"student {place}", line) for place, line in enumerate(self.lines, 1)]
        return pd.DataFrame(
            [
                (name, round(self.train_length * multiple), 2**height)
                for name, line in (("training length", ()), *named, ("measured", self.measured))
                for multiple, height in zip((1.0, *self.multiples), (0.0, *line), strict=False)
                if height is not None and (line or name == "training length")
            ],
            columns=["line", "window, tokens", "perplexity over that at the training length"],
        )

    @property
    def _last(self) -> tuple[int, float] | None:
        """Place and height of the longest window that was measured."""
        found = [(place, h) for place, h in enumerate(self.measured) if h is not None]
        return found[-1] if found else None

    def alt(self) -> str:
        """Returns where the lines end, for those who cannot see them."""
        said = f"{count(len(self.lines), 'line')} drawn by the class."
        return f"{said} {self.sentence()}" if self._last else said

    def sentence(self) -> str:
        """Returns where the class ends and where the measured line does."""
        last = self._last
        if last is None:
            return f"{count(len(self.lines), 'line')}, all starting at {self.train_length} tokens."
        place, height = last
        at = f"{self.train_length * self.multiples[place]:,.0f} tokens"
        said = f"measured at {at}, perplexity is **{2**height:.2g} times** that of training"
        if not self.lines:
            return f"{said}."
        middle = 2 ** median(line[place] for line in self.lines)
        return f"{said}; the class's middle line says {middle:.2g} times."

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        return {
            "method": find_method(self.method).label,
            "trained on windows of": f"{self.train_length} tokens",
            "lines": str(len(self.lines)),
        }
