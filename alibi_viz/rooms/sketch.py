"""Questions that are answered with a line: perplexity past the training length, drawn by finger."""

import math
from dataclasses import dataclass

from alibi_viz.charts.measured.curves import comparable
from alibi_viz.claims.experiment import Experiment
from alibi_viz.evaluation.records import TRAIN_LENGTH, Record
from alibi_viz.evaluation.store import load_records
from alibi_viz.lessons.questions import Verdict
from alibi_viz.positions import find_method

# The line is drawn at these multiples of the training length, half an octave apart.
MULTIPLES = tuple(2.0 ** (step / 2) for step in range(1, 11))
# Heights that can be drawn: log2 of perplexity over perplexity at the training length.
LOWEST, HIGHEST = -1.0, 4.0

Line = tuple[float, ...]


@dataclass(frozen=True)
class SketchQuestion:
    """How does perplexity go on past the training length? There is no wrong line, only another."""

    key: str
    """Key of the position method."""

    @property
    def prompt(self) -> str:
        """The question, as Markdown."""
        return (
            f"A model with {find_method(self.key).label} is trained on windows of {TRAIN_LENGTH} "
            f"tokens. Draw how its perplexity goes on up to {TRAIN_LENGTH * MULTIPLES[-1]:,.0f} "
            "tokens."
        )

    def answer(self) -> Line:
        """Returns the measured line, at those of the `MULTIPLES` that were measured; else NaN.

        Raises:
            ValueError: The method was not measured at the training length.
        """
        records = comparable(load_records(Record))
        curve = Experiment(records).curve(self.key)
        if TRAIN_LENGTH not in curve:
            raise ValueError(f"{self.key} was not measured at {TRAIN_LENGTH} tokens")
        start = curve[TRAIN_LENGTH]
        lengths = (round(TRAIN_LENGTH * multiple) for multiple in MULTIPLES)
        return tuple(math.log2(curve.get(length, math.nan) / start) for length in lengths)

    def is_measured(self) -> bool:
        """Returns whether there is a measured line past the training length to show."""
        try:
            return any(height == height for height in self.answer())
        except ValueError:
            return False

    def check(self, given: Line) -> Verdict:
        """Returns how far a line is from the measured one."""
        pairs = [(mine, it) for mine, it in zip(given, self.answer(), strict=True) if it == it]
        if not pairs:
            return Verdict(False, "Nothing was measured past the training length.")
        worst = max((abs(mine - it) for mine, it in pairs), default=math.inf)
        feedback = (
            f"At its farthest, your line is a factor of {2**worst:.2g} from what was measured."
        )
        # Within a factor of the square root of 2 everywhere: half an octave.
        return Verdict(worst <= 0.5, feedback)

    def answer_text(self) -> str:
        """Returns the measured line in words."""
        pairs = zip(MULTIPLES, self.answer(), strict=True)
        measured = [(multiple, height) for multiple, height in pairs if height == height]
        if not measured:
            return f"No window longer than {TRAIN_LENGTH} tokens can be measured"
        multiple, height = measured[-1]
        return (
            f"Measured: at {TRAIN_LENGTH * multiple:,.0f} tokens, {2**height:.2g} times the "
            f"perplexity at {TRAIN_LENGTH}"
        )
