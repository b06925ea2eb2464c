"""ALiBi's variants and its neighbours, as a bias by offset from the query."""

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from alibi_viz.figures.distance import slope_text
from alibi_viz.figures.offsets import OffsetCurves
from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.bias import bias_by_distance
from alibi_viz.maths.decay import softmax
from alibi_viz.maths.kerple import kerple_log_bias
from alibi_viz.maths.sandwich import sandwich_bias
from alibi_viz.maths.slopes import alibi_slopes, interpolated_slopes
from alibi_viz.maths.two_sided import Sides, bias_by_offset, side_slopes

N_HEAD = 8
MATRIX_TOKENS = 24

_SIDES: dict[str, Sides] = {
    "causal": "causal",
    "symmetric": "symmetric",
    "one-sided": "left_right",
}
EQUATIONS = {
    "causal": r"-m_h\,(i - j),\quad j \le i",
    "symmetric": r"-m_h\,|i - j|",
    "one-sided": r"-m_h\,|i - j|\ \text{on one side}",
    "interpolated": r"-\frac{m_h}{s}\,(i - j),\ s = \tfrac{L}{L_{\mathrm{train}}}",
    "KERPLE-log": r"-r_1 \ln(1 + r_2\,(i - j))",
    "Sandwich": r"\frac{H}{8h}\sum_{k=0}^{63} \cos\frac{i - j}{10000^{k/64}}",
}
VARIANTS = tuple(EQUATIONS)
ABOUT = {
    "causal": "The published form, for a decoder.",
    "symmetric": "For an encoder, which sees both sides: all heads alike.",
    "one-sided": "For an encoder that must know the side: half of the heads see only the past, "
    "half only the future, with the slopes of four heads each.",
    "interpolated": "Flatter slopes for longer inputs: the largest bias stays what it was in "
    "training (Al-Khateeb et al. 2023).",
    "KERPLE-log": "KERPLE-log (Chi et al. 2022): two numbers a head, trained there, chosen here.",
    "Sandwich": "Sandwich (Chi et al. 2023): the inner product of sinusoidal positions, divided by "
    "a ratio for each head. Shown relative to offset 0: the softmax sees only differences.",
}


@lru_cache(maxsize=60)
def curves(
    variant: str, span: int, head: int, stretch: int, r: tuple[float, float]
) -> OffsetCurves:
    """Returns the curves of a variant; shared, nobody changes them.

    Args:
        variant: One of `VARIANTS`.
        span: Tokens on each side of the query.
        head: The chosen head, counted from 0.
        stretch: Input over training length, for interpolated slopes.
        r: r1 and r2 of KERPLE.
    """
    bias = _bias(variant, span, stretch, r)
    plain = bias_by_offset(N_HEAD, span + 1, "causal")[head]
    return OffsetCurves(
        names=_names(variant, len(bias), r),
        steepness=side_slopes(len(bias), _SIDES.get(variant, "causal")),
        offsets=np.arange(-span, span + 1),
        bias=bias,
        weights=softmax(bias),
        plain=None if variant in ("causal", "one-sided") else (plain, softmax(plain[None])[0]),
    )


def matrix(shown: OffsetCurves, chosen: int) -> Floats:
    """Returns one curve as a matrix over the nearest tokens.

    Args:
        shown: The curves.
        chosen: Index of the chosen curve.

    Returns:
        (query, key) in nats, NaN where masked.
    """
    middle = len(shown.offsets) // 2
    count = min(MATRIX_TOKENS, middle + 1)
    place = np.arange(count)
    bias = shown.bias[chosen][middle + place[None, :] - place[:, None]]
    visible: Floats = np.where(np.isneginf(bias), np.nan, bias)
    return visible


def places(shown: Floats) -> NDArray[np.int64]:
    """Returns the positions of a matrix, counted from 0."""
    return np.arange(len(shown))


def table(shown: OffsetCurves) -> pd.DataFrame:
    """Returns bias and weight by offset, one column a head."""
    columns: dict[str, Any] = {"offset, tokens": shown.offsets}
    for name, bias, weight in zip(shown.names, shown.bias, shown.weights, strict=True):
        columns[f"{name}: bias, nats"] = bias
        columns[f"{name}: weight"] = weight
    return pd.DataFrame(columns)


def sentence(variant: str, shown: OffsetCurves, chosen: int, stretch: int) -> str:
    """Returns what to see, with numbers from the curves.

    Args:
        variant: One of `VARIANTS`.
        shown: The curves.
        chosen: Index of the chosen curve.
        stretch: Input over training length.
    """
    weights, middle = shown.weights[chosen], len(shown.offsets) // 2
    past, own = float(weights[:middle].sum()), float(weights[middle])
    future = float(weights[middle + 1 :].sum())
    name = shown.names[chosen]
    if variant in _SIDES:
        return (
            f"{name} gives {past:.0%} of its attention to the past, {own:.0%} to the query's own "
            f"token and {future:.0%} to the future."
        )
    assert shown.plain is not None
    plain, plain_weights = shown.plain
    end = _nats(shown.bias[chosen, 0])
    if variant == "interpolated":
        head, _, slope = name.partition(", ")
        if stretch == 1:
            return f"{head} ({slope}) has plain ALiBi's bias, {end} nats at the far end."
        return (
            f"with its slope divided by {stretch}, {head} ({slope}) has a bias of {end} nats at "
            f"the far end, plain ALiBi {_nats(plain[0])}; the own token's weight goes from "
            f"{plain_weights[middle]:.3f} to {own:.3f}."
        )
    if variant == "KERPLE-log":
        return (
            f"{name} falls to {end} nats at the far end, plain ALiBi's head to {_nats(plain[0])}: "
            "the logarithm forgets ever more slowly, a line does not."
        )
    seen = shown.bias[chosen, : middle + 1]
    lowest = int(seen.argmin())
    return (
        f"{name}, falls steeply near the query, to {_nats(seen[-2])} nats after one token, and "
        f"ever more slowly after: lowest is {_nats(seen[lowest])} at {middle - lowest} tokens "
        f"back, where plain ALiBi's head has {_nats(plain[lowest])}."
    )


def _nats(value: float) -> str:
    """Returns nats with three digits and a typographic minus."""
    return f"{value:.3g}".replace("-", "−")


def _bias(variant: str, span: int, stretch: int, r: tuple[float, float]) -> Floats:
    """Returns (head, offset) in nats relative to offset 0, -inf where masked."""
    if variant in _SIDES:
        return bias_by_offset(N_HEAD, span + 1, _SIDES[variant])
    if variant == "interpolated":
        slopes = interpolated_slopes(alibi_slopes(N_HEAD), 1, stretch)
        return _causal(bias_by_distance(slopes, span + 1))
    if variant == "KERPLE-log":
        return _causal(kerple_log_bias(r[:1], r[1:], span + 1))
    if variant == "Sandwich":
        by_distance = sandwich_bias(N_HEAD, span + 1)
        return _causal(by_distance - by_distance[:, :1])
    raise ValueError(f"no variant is called {variant!r}")


def _causal(by_distance: Floats) -> Floats:
    """Returns a bias by offset from one by distance: the past mirrored, the future masked."""
    future = np.full((len(by_distance), by_distance.shape[1] - 1), -np.inf)
    return np.concatenate([by_distance[:, ::-1], future], axis=1)


def _names(variant: str, count: int, r: tuple[float, float]) -> list[str]:
    if variant == "KERPLE-log":
        return [f"r₁ = {r[0]:g}, r₂ = {r[1]:g}"]
    if variant == "Sandwich":
        return [f"head {head + 1}, ratio {8 * (head + 1) / count:g}" for head in range(count)]
    slopes = side_slopes(count, _SIDES.get(variant, "causal"))
    side = ("past", "future")
    return [
        f"head {head + 1}, slope {slope_text(slope)}"
        + (f", {side[2 * head // count]} only" if variant == "one-sided" else "")
        for head, slope in enumerate(slopes)
    ]
