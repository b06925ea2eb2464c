"""Convolutional Sequence to Sequence Learning (Gehring et al., 2017), https://arxiv.org/abs/1705.03122.

Section 3.1, in the form of GPT-2: embedding(position) = a trained row of a table with train_length
rows, added to the token embedding. Past its last row the method has nothing to say.
"""

import torch
from torch import Tensor, nn

from alibi_viz.positions.base import PositionConfig, PositionMethod


class Learned(PositionMethod):
    """A trained table of absolute positions; acts on the embedding."""

    def __init__(self, config: PositionConfig) -> None:
        super().__init__(config)
        self.table = nn.Parameter(torch.zeros(config.train_length, config.d_model))

    def embed(self, x: Tensor) -> Tensor:
        """Returns x plus one row of the table for each position.

        Raises:
            ValueError: More tokens than the table has rows.
        """
        length, rows = x.shape[1], self.table.shape[0]
        if length > rows:
            raise ValueError(
                f"learned positions end at the training length of {rows} tokens, got {length}"
            )
        return x + self.table[:length].to(x.dtype)
