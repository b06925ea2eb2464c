"""What our own measurements say, in sentences computed from them."""

import math
from collections.abc import Sequence

import numpy as np

from alibi_viz.charts.measured.curves import BundledModel, own_curves
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.score import Protocol
from alibi_viz.figures.extrapolation import MethodCurve
from alibi_viz.positions import METHODS

# Two changes of perplexity count as alike in a sentence below this share: seeds differ by as much.
ALIKE = 0.01

_CURSE = (
    "(The first tokens of every window are predicted from hardly any context; longer windows have "
    "a smaller share of them.)"
)


def findings(
    records: Sequence[Record],
    same_text: Sequence[Record],
    methods: Sequence[str],
    *,
    train_length: int,
    protocol: Protocol,
) -> list[str]:
    """Returns what to see in the chart of our own measurements, most important first.

    Args:
        records: Comparable records.
        same_text: Those of both protocols that score the same tokens.
        methods: Keys of the methods shown.
        train_length: Tokens in a training window.
        protocol: Protocol shown.

    Returns:
        Sentences in Markdown; none where there is nothing to compare.
    """
    curves = [
        curve
        for curve in own_curves(
            records, train_length=train_length, protocol=protocol, measure="perplexity"
        )
        if curve.method in methods
    ]
    sentences = [
        ranking(curves, train_length),
        endings(curves, train_length),
        early_tokens(same_text, train_length) if "alibi" in methods else "",
    ]
    return [sentence for sentence in sentences if sentence]


def ranking(curves: Sequence[MethodCurve], train_length: int) -> str:
    """Returns who predicts best at the training length."""
    ranked = sorted(
        (value, curve.label) for curve in curves if (value := curve.at(train_length)) is not None
    )
    if len(ranked) < 2:
        return ""
    listed = ", ".join(f"{label} {value:.2f}" for value, label in ranked)
    return f"At the training length of {train_length:,} tokens, best first: {listed}."


def endings(curves: Sequence[MethodCurve], train_length: int) -> str:
    """Returns where each method's perplexity is lowest past training, and how it ends."""
    parts = []
    for curve in curves:
        base, last = curve.at(train_length), int(curve.lengths[-1])
        if base is None or last <= train_length:
            continue
        beyond = curve.lengths >= train_length
        best = int(curve.lengths[beyond][curve.mean[beyond].argmin()])
        parts.append(
            (
                curve.mean[-1] / base,
                f"{curve.label} {curve.mean[-1] / base:.2f}× at {last:,} tokens "
                f"(lowest at {best:,})",
            )
        )
    if not parts:
        return ""
    listed = ", ".join(text for _, text in sorted(parts))
    return f"Perplexity at the longest window over perplexity at the training length: {listed}."


def early_tokens(records: Sequence[Record], train_length: int) -> str:
    """Returns how much of ALiBi's gain from longer windows is left with a sliding window."""
    both: list[MethodCurve] = []
    protocols: tuple[Protocol, ...] = ("nonoverlapping", "sliding_window")
    for protocol in protocols:
        curves = own_curves(
            records, train_length=train_length, protocol=protocol, measure="perplexity"
        )
        both += [curve for curve in curves if curve.method == "alibi"]
    if len(both) < 2:
        return ""
    common = sorted(set(both[0].lengths.tolist()) & set(both[1].lengths.tolist()))
    if train_length not in common or common[-1] == train_length:
        return ""
    last = common[-1]
    apart, sliding = (_change(curve, train_length, last) for curve in both)
    text = (
        f"From {train_length:,} to {last:,} tokens ALiBi's perplexity changes by "
        f"{_percent(apart)} in nonoverlapping windows and by {_percent(sliding)} with a sliding "
        "window over the same tokens"
    )
    if apart < -ALIKE and abs(sliding) <= ALIKE:
        return (
            f"{text}: it is flat once every token has context. The gain is the **early-token "
            f"curse** diluted, not longer context used. {_CURSE}"
        )
    if apart < -ALIKE and abs(sliding) < abs(apart) / 3:
        return (
            f"{text}. Most of the gain is the **early-token curse** diluted, not longer context "
            f"used. {_CURSE}"
        )
    return f"{text}."


def by_position(curves: Sequence[MethodCurve], train_length: int) -> str:
    """Returns what context is worth, and what positions beyond training cost each method.

    Each band of positions is another part of the text. What a part is like cancels out only beside
    another method on the same part: ALiBi, without which there is no sentence.

    Args:
        curves: Of `charts.measured.curves.position_curves`.
        train_length: Tokens in a training window.
    """
    alibi = next((curve for curve in curves if curve.method == "alibi"), None)
    if alibi is None:
        return ""
    within = alibi.lengths <= train_length
    text = (
        f"an ALiBi model with one token of context is at a perplexity of {alibi.mean[0]:.0f}, "
        f"with about {alibi.lengths[within][-1]:,} at {alibi.mean[within][-1]:.1f}"
    )
    if not within.all():
        beyond = alibi.mean[~within]
        text += f", with more than in training between {beyond.min():.1f} and {beyond.max():.1f}"
    text += (
        ": every nonoverlapping window pays for its first tokens, a short one with a larger share "
        "of them. Each point is another part of the text, and ups and downs that all methods share "
        "are the text's."
    )
    ends = [
        f"{curve.label} from {_over(curve, alibi, within.sum() - 1):.2f} to "
        f"{_over(curve, alibi, len(alibi.lengths) - 1):.2f} times"
        for curve in curves
        if curve is not alibi and np.array_equal(curve.lengths, alibi.lengths)
    ]
    if within.all() or not ends:
        return text
    return (
        f"{text} Beside ALiBi's perplexity on the same tokens, from the end of the training length "
        f"to the end of the window: {', '.join(ends)}."
    )


def _over(curve: MethodCurve, reference: MethodCurve, point: int) -> float:
    return float(curve.mean[point] / reference.mean[point])


def _percent(share: float) -> str:
    return f"{100 * share:+.1f} %".replace("-", "−")


def _change(curve: MethodCurve, first: int, last: int) -> float:
    start, end = curve.at(first), curve.at(last)
    assert start is not None
    assert end is not None
    return end / start - 1


def missing(curves: Sequence[MethodCurve], methods: Sequence[str], protocol: str) -> str:
    """Returns which of the chosen methods have no record; empty where none is missing."""
    there = {curve.method for curve in curves}
    absent = [METHODS[key].label for key in methods if key not in there]
    if not absent:
        return ""
    return f"No {protocol} record yet for {', '.join(absent)}."


def flattening(models: Sequence[BundledModel]) -> str:
    """Returns how much the loss still fell in the last tenth of training."""
    falls = []
    for model in models:
        points = model.validation
        if len(points) < 3:
            continue
        start = 0.9 * points[-1][0]
        tokens, loss = min(points[:-1], key=lambda point: abs(point[0] - start))
        falls.append((loss - points[-1][1], model.method, points[-1][0] - tokens))
    if not falls:
        return ""
    fall, method, tokens = max(falls)
    return (
        f"Over the last {tokens / 1e6:.2g} million training tokens the validation loss fell by at "
        f"most {fall:.3f} nats per token ({METHODS[method].label}), which is "
        f"{100 * (1 - math.exp(-fall)):.1f} % of the perplexity. The learning rate falls to zero "
        "by then: flat does not mean that nothing was left to learn."
    )
