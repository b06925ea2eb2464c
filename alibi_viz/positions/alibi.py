"""Train Short, Test Long (Press et al., 2022), section 3, https://arxiv.org/abs/2108.12409.

bias(head, distance) = -slope(head) * distance, with fixed slopes. Nothing is learned, and nothing
is stored: slopes are computed from the head count in float64, whatever type the model has.
"""

import torch
from torch import Tensor, nn

from alibi_viz.maths.bias import bias_by_distance
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.positions.base import PositionConfig, PositionMethod


class ALiBi(PositionMethod):
    """Attention with linear biases; acts on the logits.

    With `learned_slopes` the logarithms of the slopes are parameters that start at the published
    values: an experiment that the paper reports as no better (section 3).
    """

    def __init__(self, config: PositionConfig) -> None:
        super().__init__(config)
        slopes = alibi_slopes(
            config.n_head, config.max_exponent, config.slope_rule, free_heads=config.free_heads
        )
        self._slopes = torch.as_tensor(slopes)
        if config.learned_slopes:
            self.log_slopes = nn.Parameter(self._slopes.log().float())

    def slopes(self, device: torch.device | None = None) -> Tensor:
        """Returns the slopes that act now, as (head,) float32, in nats per token."""
        if self.config.learned_slopes:
            return self.log_slopes.float().exp().to(device)
        return self._slopes.to(device=device, dtype=torch.float32)

    def bias_by_distance(self, length: int, device: torch.device | None = None) -> Tensor:
        """Returns -slope * distance as (head, distance) float32."""
        bias: Tensor = bias_by_distance(self.slopes(device), length)
        return bias
