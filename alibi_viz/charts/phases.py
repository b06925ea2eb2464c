"""How often channel pairs of sines or rotations go around within a training text."""

from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from alibi_viz.charts.base import Chart
from alibi_viz.figures.methods.phases import phases_figure
from alibi_viz.maths.arrays import Floats
from alibi_viz.positions import METHODS
from alibi_viz.positions.turns import Turning, turns_within


@dataclass(frozen=True)
class PhasesChart(Chart):
    """Turns of each channel pair within the training length."""

    position: Turning = "rope"
    """Key of the position method."""
    train_length: int = 128
    """Tokens of a text in training."""
    name = "phases"
    title = "How often each channel pair goes around within a training text"

    @property
    def _turns(self) -> Floats:
        return turns_within(self.position, self.train_length)

    @property
    def _unseen(self) -> int:
        return int((self._turns < 1).sum())

    def draw(self, dark: bool) -> go.Figure:
        """Returns a dot a pair, with the single turn marked."""
        return phases_figure(
            self._turns, method=self.position, train_length=self.train_length, dark=dark
        )

    def table(self) -> pd.DataFrame:
        """Returns one row a pair, the fastest first."""
        return pd.DataFrame({"pair": range(len(self._turns)), "turns in training": self._turns})

    def alt(self) -> str:
        """Returns what the dots show, for those who cannot see them."""
        turns = self._turns
        return (
            f"Turns of each of {len(turns)} channel pairs within {self.train_length:,} training "
            f"tokens, on a logarithmic axis: from {turns[0]:.3g} of the fastest pair to "
            f"{turns[-1]:.2g} of the slowest. {self._unseen} pairs have not gone around once."
        )

    def sentence(self) -> str:
        """Returns how many pairs meet new angles past the training length."""
        return (
            f"{self._unseen} of {len(self._turns)} pairs do not go around once within "
            f"{self.train_length:,} tokens: past them they turn to angles that training never had."
        )

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        method = METHODS[self.position].label
        return {"position method": method, "trained on": f"{self.train_length:,} tokens"}
