"""The Impact of Positional Encoding (Kazemnejad et al., 2023), https://arxiv.org/abs/2305.19466.

Section 3; called NoPos by Haviv et al., 2022, https://arxiv.org/abs/2203.16634. No position
anywhere: the causal mask alone lets a decoder tell how many tokens came before.
"""

from alibi_viz.positions.base import PositionMethod


class NoPE(PositionMethod):
    """No position; acts nowhere."""
