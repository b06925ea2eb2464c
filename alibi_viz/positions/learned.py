"""Convolutional Sequence to Sequence Learning (Gehring et al., 2017), https://arxiv.org/abs/1705.03122.

Section 3.1, in the form of GPT-2: embedding(position) = a trained row of a table with train_length
rows, added to the token embedding. Past its last row the method has nothing to say.
"""

import numpy as np

from alibi_viz.maths.arrays import Array, alike
from alibi_viz.positions.base import EMBEDDING_STD, Draws, PositionMethod
from alibi_viz.positions.novelty import Novelty


class Learned(PositionMethod):
    """A trained table of absolute positions; acts on the embedding."""

    key = "learned"
    label = "Learned"
    paper = "Gehring et al., 2017, https://arxiv.org/abs/1705.03122"
    acts_on = "embedding"
    equation = r"x_i = E_{\mathrm{token}} + P_i"
    formula = "x = E[token]  <b>+ P[i]</b>"
    learns = "its table, train_length × d_model"
    style = "ochre"
    probed_as = "learned"
    ends_at_train_length = True

    def start(self, draws: Draws) -> dict[str, Array]:
        """Returns a table drawn as token embeddings are, (position, d_model)."""
        size = (self.config.train_length, self.config.d_model)
        return {"table": EMBEDDING_STD * draws.standard_normal(size)}

    def embed(self, x: Array) -> Array:
        """Returns x plus one row of the table for each position.

        Raises:
            ValueError: More tokens than the table has rows.
        """
        length, rows = x.shape[1], len(self.learned["table"])
        if length > rows:
            raise ValueError(
                f"learned positions end at the training length of {rows} tokens, got {length}"
            )
        return x + alike(x, self.learned["table"][:length])

    def beyond(self, train_length: int, eval_length: int) -> Novelty:
        """Returns the rows of the table, and the positions that have none."""
        rows, more = len(self.learned["table"]), eval_length - train_length
        return Novelty(
            part="table",
            unit="row of the table, by position",
            seen=np.array([min(train_length, rows) - 1.0]),
            met=np.array([eval_length - 1.0]),
            lowest=np.zeros(1),
            ends=(0.0, 1.04 * eval_length),
            told=f"The table ends at row {rows:,}. The {more:,} positions after it have none: the "
            "model cannot read them at all.",
            news=f"{more:,} positions are new, and it has nothing for them",
        )
