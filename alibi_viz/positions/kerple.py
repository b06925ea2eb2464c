"""KERPLE (Chi, Fan, Ramadge and Rudnicky, 2022), https://arxiv.org/abs/2205.09921.

Equation 2, the logarithmic kernel: bias(head, distance) = -r1 ln(1 + r2 distance), with two trained
numbers above 0 for every head, the same in all layers. What is trained here is their logarithm, so
that they stay above 0; the authors train r1 and r2 themselves and cut them off at 0.01.
"""

import torch
from torch import Tensor, nn

from alibi_viz.maths.kerple import kerple_log_bias
from alibi_viz.positions.base import PositionConfig, PositionMethod

# The authors' code draws r1 evenly from 0 to 2 and r2 from 0 to 1, and takes nothing below 0.01:
# https://github.com/chijames/KERPLE, class ParallelKerpleLog.
HIGHEST_START = {"log_r1": 2.0, "log_r2": 1.0}
LOWEST_START = 0.01


class KERPLE(PositionMethod):
    """A penalty that grows with the logarithm of the distance; acts on the logits."""

    def __init__(self, config: PositionConfig) -> None:
        super().__init__(config)
        self.log_r1 = nn.Parameter(torch.zeros(config.n_head))
        self.log_r2 = nn.Parameter(torch.zeros(config.n_head))

    def draw(self, generator: torch.Generator) -> None:
        """Draws r1 and r2 as the authors' code does."""
        for name, highest in HIGHEST_START.items():
            parameter = self.get_parameter(name)
            drawn = highest * torch.rand(parameter.shape, generator=generator)
            parameter.copy_(drawn.clamp(min=LOWEST_START).log())

    def bias_by_distance(self, length: int, device: torch.device | None = None) -> Tensor:
        """Returns -r1 * ln(1 + r2 * distance) as (head, distance) float32."""
        r1, r2 = self.log_r1.float().exp(), self.log_r2.float().exp()
        bias: Tensor = kerple_log_bias(r1, r2, length)
        return bias.to(device)
