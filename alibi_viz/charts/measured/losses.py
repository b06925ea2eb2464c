"""The losses of the bundled models while they were trained: was it long enough?"""

from dataclasses import dataclass

import plotly.graph_objects as go

from alibi_viz.charts.base import Chart, kept_by_value
from alibi_viz.charts.measured import findings
from alibi_viz.charts.measured.curves import loss_curves
from alibi_viz.charts.measured.read import models_changed, models_with_curves
from alibi_viz.evaluation.records import TRAIN_LENGTH
from alibi_viz.figures.trained.losses import ValidationCurve, losses_figure


@dataclass(frozen=True)
class LossesChart(Chart):
    """Validation loss of every bundled model of one training length."""

    train_length: int = TRAIN_LENGTH
    """Tokens in a training window."""
    name = "losses"
    title = "Loss on the validation text while the models were trained"

    @property
    @kept_by_value
    def curves(self) -> tuple[ValidationCurve, ...]:
        """One curve a model; may be none."""
        return tuple(loss_curves(models_with_curves(), self.train_length))

    def drawn_from(self) -> tuple[str, int]:
        """Returns when a checkpoint last changed."""
        return models_changed()

    def draw(self, dark: bool) -> go.Figure:
        """Returns a line a model."""
        return losses_figure(self.curves, dark=dark)

    def alt(self) -> str:
        """Returns how far the losses fell at the end, for those who cannot see them."""
        return self.sentence()

    @kept_by_value
    def sentence(self) -> str:
        """Returns how much the loss still fell in the last tenth of training."""
        return findings.flattening(models_with_curves())

    def state(self) -> dict[str, str]:
        """Returns every setting, in words."""
        trained = f"windows of {self.train_length:,} tokens"
        return {"trained on": trained, "models": str(len(self.curves))}
