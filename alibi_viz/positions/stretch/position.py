"""A trained position method, stretched to whatever window comes."""

import torch
from torch import Tensor

from alibi_viz.maths.bias import bias_by_distance
from alibi_viz.maths.frequencies import pair_frequencies
from alibi_viz.positions.module import Position
from alibi_viz.positions.rope import RoPE, rotary_angles, rotate_pairs
from alibi_viz.positions.stretch import Stretching


class StretchedPosition(Position):
    """Acts where the method acts; its parameters are those of the method, not copies."""

    def __init__(self, original: Position, stretching: Stretching) -> None:
        super().__init__(original.method)
        self.stretching = stretching

    def rotate(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """Returns q and k at the stretched frequencies, q times the factor of content logits."""
        length, train_length = q.shape[-2], self.method.config.train_length
        if isinstance(self.method, RoPE):
            own = pair_frequencies(q.shape[-1])
            angles = rotary_angles(length, self.stretching.numbers(own, length, train_length))
            q, k = rotate_pairs(q, angles), rotate_pairs(k, angles)
        else:
            q, k = super().rotate(q, k)
        factor = self.stretching.logit_factor(length, train_length)
        return (q if factor == 1 else q * factor), k

    def bias_by_distance(self, length: int, device: torch.device | None = None) -> Tensor | None:
        """Returns the method's bias, from stretched slopes where it has slopes."""
        slopes = super().slopes(device)
        if slopes is None:
            return super().bias_by_distance(length, device)
        stretched = self.stretching.numbers(slopes, length, self.method.config.train_length)
        bias: Tensor = bias_by_distance(stretched, length)
        return bias

    def slopes(self, device: torch.device | None = None) -> Tensor | None:
        """Returns the stretched slopes; None where they are another for every window."""
        slopes, rule = super().slopes(device), self.stretching.rule
        if slopes is None or rule is None:
            return slopes
        if self.stretching.scale is None and rule.depends_on_scale:
            return None
        length = self.method.config.train_length
        stretched: Tensor = self.stretching.numbers(slopes, length, length)
        return stretched
