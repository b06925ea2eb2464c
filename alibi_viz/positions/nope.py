"""The Impact of Positional Encoding (Kazemnejad et al., 2023), https://arxiv.org/abs/2305.19466.

Section 3; called NoPos by Haviv et al., 2022, https://arxiv.org/abs/2203.16634. No position
anywhere: the causal mask alone lets a decoder tell how many tokens came before.
"""

import numpy as np

from alibi_viz.positions.base import PositionMethod
from alibi_viz.positions.novelty import Novelty


class NoPE(PositionMethod):
    """No position; acts nowhere."""

    key = "nope"
    label = "NoPE"
    paper = "Kazemnejad et al., 2023, https://arxiv.org/abs/2305.19466"
    acts_on = "nowhere"
    equation = r"\frac{q_i \cdot k_j}{\sqrt d},\ \ j \le i"
    formula = "q · k / √d"
    learns = ""
    style = "grey"
    probed_as = "nope"

    def beyond(self, train_length: int, eval_length: int) -> Novelty:
        """Returns that nothing depends on position, so that nothing can be new."""
        none = np.zeros(0)
        return Novelty(
            part="nothing",
            unit="nothing",
            seen=none,
            met=none,
            lowest=none,
            ends=(0.0, 1.0),
            told="Nothing: no number depends on position. What grows is only the number of keys, "
            "as it does for every method.",
            news="nothing is new: no number depends on position",
        )
