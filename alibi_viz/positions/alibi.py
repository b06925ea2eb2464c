"""Train Short, Test Long (Press et al., 2022), section 3, https://arxiv.org/abs/2108.12409.

bias(head, distance) = -slope(head) * distance, with fixed slopes. Nothing is learned, and nothing
is stored: slopes are computed from the head count in float64, whatever type the model has.
"""

from alibi_viz.maths.arrays import Array, as_float32, exp, log
from alibi_viz.maths.bias import bias_by_distance
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.positions.base import Draws, PositionConfig, PositionMethod
from alibi_viz.positions.novelty import Novelty, growing_penalties


class ALiBi(PositionMethod):
    """Attention with linear biases; acts on the logits.

    With `learned_slopes` the logarithms of the slopes are parameters that start at the published
    values: an experiment that the paper reports as no better (section 3).
    """

    key = "alibi"
    label = "ALiBi"
    paper = "Press et al., 2022, https://arxiv.org/abs/2108.12409"
    acts_on = "logit"
    equation = r"\frac{q_i \cdot k_j}{\sqrt d} - m_h\,(i - j)"
    formula = "q · k / √d  <b>− m (i − j)</b>"
    learns = ""
    style = "vermilion"
    probed_as = "alibi"
    settings = ("max_exponent", "slope_rule", "learned_slopes", "free_heads")

    @classmethod
    def check(cls, config: PositionConfig) -> None:
        """Raises ValueError on slopes that cannot be."""
        super().check(config)
        _published_slopes(config)
        if config.learned_slopes and config.free_heads:
            raise ValueError("a slope of 0 has no logarithm to learn: free_heads must be 0")

    def start(self, draws: Draws) -> dict[str, Array]:
        """Returns the logarithms of the published slopes, if slopes are learned."""
        if not self.config.learned_slopes:
            return {}
        return {"log_slopes": log(_published_slopes(self.config))}

    def slopes(self) -> Array:
        """Returns the slopes that act now, as (head,) float32, in nats per token."""
        if self.config.learned_slopes:
            return exp(as_float32(self.learned["log_slopes"]))
        return as_float32(_published_slopes(self.config))

    def bias_by_distance(self, length: int) -> Array:
        """Returns -slope * distance as (head, distance) float32."""
        return bias_by_distance(self.slopes(), length)

    def beyond(self, train_length: int, eval_length: int) -> Novelty:
        """Returns the penalties: each head's grows in proportion to distance."""
        return growing_penalties(self, train_length, eval_length)


def _published_slopes(config: PositionConfig) -> Array:
    return alibi_slopes(
        config.n_head, config.max_exponent, config.slope_rule, free_heads=config.free_heads
    )
