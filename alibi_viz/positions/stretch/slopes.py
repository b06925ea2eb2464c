"""ALiBi's counterparts of RoPE's stretchings: the slopes of a trained model made flatter.

evenly:    m_h / s                          Al-Khateeb et al., 2023, https://arxiv.org/abs/2310.13017
unevenly:  m_h / s^((h - 1) / (H - 1))      "NTK-ALiBi", https://github.com/keezen/ntk_alibi
flattest:  the two flattest slopes 0        an experiment of this project

Uneven stretching is to slopes what NTK-aware interpolation is to frequencies: the steepest head
keeps its slope, the flattest loses exactly the factor s. The repository, which was not reviewed,
writes a for the scale and the slopes as 1 / (2^(8 h / H) a^((h - 1) / (H - 1))).
"""

from alibi_viz.maths.arrays import Array, as_slopes, counting_up

N_FREED = 2
"""Heads that lose their bias by `flattest_freed`."""


def slopes_over_scale(slopes: Array, scale: float, train_length: int) -> Array:
    """Returns slope / scale, the same for every head.

    Args:
        slopes: (head,) in nats per token; a torch tensor gives a torch tensor.
        scale: How much longer windows get, at least 1.
        train_length: Of no influence here.

    Returns:
        (head,) in nats per token.
    """
    return as_slopes(slopes) / scale


def uneven_slopes(slopes: Array, scale: float, train_length: int) -> Array:
    """Returns slope(h) / scale^((h - 1) / (n_head - 1)), h = 1 .. n_head from steep to flat.

    Args:
        slopes: (head,) in nats per token, at least two, in any order.
        scale: How much longer windows get, at least 1.
        train_length: Of no influence here.

    Returns:
        (head,) in nats per token, in the order given.

    Raises:
        ValueError: A single head, which would be first and last at once.
    """
    slopes = as_slopes(slopes)
    if len(slopes) < 2:
        raise ValueError(f"uneven stretching needs at least 2 heads, got {len(slopes)}")
    share = counting_up(slopes, len(slopes)) / (len(slopes) - 1)
    return slopes / scale ** share[_rank_from_steep(slopes)]


def flattest_freed(slopes: Array, scale: float, train_length: int) -> Array:
    """Returns the slopes with the `N_FREED` flattest set to 0, at any scale.

    Args:
        slopes: (head,) in nats per token, in any order.
        scale: Of no influence here.
        train_length: Of no influence here.

    Returns:
        (head,) in nats per token, in the order given.
    """
    slopes = as_slopes(slopes)
    return slopes * (_rank_from_steep(slopes) < len(slopes) - N_FREED)


def _rank_from_steep(slopes: Array) -> Array:
    """Returns each head's place from steep to flat, (head,) from 0."""
    return (-slopes).argsort().argsort()
