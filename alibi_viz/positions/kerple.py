"""KERPLE (Chi, Fan, Ramadge and Rudnicky, 2022), https://arxiv.org/abs/2205.09921.

Equation 2, the logarithmic kernel: bias(head, distance) = -r1 ln(1 + r2 distance), with two trained
numbers above 0 for every head, the same in all layers. What is trained here is their logarithm, so
that they stay above 0; the authors train r1 and r2 themselves and cut them off at 0.01.
"""

from alibi_viz.maths.arrays import Array, as_float32, exp, log
from alibi_viz.maths.kerple import kerple_log_bias
from alibi_viz.positions.base import Draws, PositionMethod
from alibi_viz.positions.novelty import Novelty, growing_penalties

# The authors' code draws r1 evenly from 0 to 2 and r2 from 0 to 1, and takes nothing below 0.01:
# https://github.com/chijames/KERPLE, class ParallelKerpleLog.
HIGHEST_START = {"log_r1": 2.0, "log_r2": 1.0}
LOWEST_START = 0.01


class KERPLE(PositionMethod):
    """A penalty that grows with the logarithm of the distance; acts on the logits."""

    key = "kerple"
    label = "KERPLE"
    paper = "Chi et al., 2022, https://arxiv.org/abs/2205.09921"
    acts_on = "logit"
    equation = r"\frac{q_i \cdot k_j}{\sqrt d} - r_{1,h} \ln\bigl(1 + r_{2,h}\,(i - j)\bigr)"
    formula = "q · k / √d  <b>− r₁ ln(1 + r₂ (i − j))</b>"
    learns = "r₁ and r₂ of each head"
    style = "violet"
    probed_as = "nonlinear"
    # A bias is used as it is, not multiplied by an input: it needs larger steps.
    learning_rate_factor = 10.0

    def start(self, draws: Draws) -> dict[str, Array]:
        """Returns the logarithms of r1 and r2, (head,) each, drawn as the authors' code does."""
        drawn = {
            name: highest * draws.random((self.config.n_head,))
            for name, highest in HIGHEST_START.items()
        }
        return {name: log(values.clip(min=LOWEST_START)) for name, values in drawn.items()}

    def bias_by_distance(self, length: int) -> Array:
        """Returns -r1 * ln(1 + r2 * distance) as (head, distance) float32."""
        r1, r2 = (exp(as_float32(self.learned[name])) for name in HIGHEST_START)
        return kerple_log_bias(r1, r2, length)

    def beyond(self, train_length: int, eval_length: int) -> Novelty:
        """Returns the penalties: each head's grows ever more slowly."""
        return growing_penalties(self, train_length, eval_length)
