"""Slopes written from the authors' code, not from ours."""

import math


def reference_interleaved(n_head, max_exponent=8.0):
    """`get_slopes` of the ALiBi authors, with the exponent as a parameter."""

    def powers(n):
        start = 2 ** (-max_exponent / n)
        return [start * start**i for i in range(n)]

    if math.log2(n_head).is_integer():
        return powers(n_head)
    closest = 2 ** math.floor(math.log2(n_head))
    return powers(closest) + powers(2 * closest)[0::2][: n_head - closest]
