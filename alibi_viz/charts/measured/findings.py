"""What our own measurements say, in sentences computed from them."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from alibi_viz.charts.measured.curves import BundledModel, own_curves
from alibi_viz.evaluation.comparisons import against, change_text, comparison_of, side, told_by_word
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.score import PROTOCOLS, Protocol
from alibi_viz.figures.measured.extrapolation import MethodCurve
from alibi_viz.positions import METHODS

_CURSE = (
    "(Every nonoverlapping window scores its first tokens from hardly any context, the "
    "**early-token curse**; a long window has a smaller share of them.)"
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
        ranking(curves, records, train_length=train_length, protocol=protocol),
        endings(curves, train_length),
        early_tokens(same_text, train_length) if "alibi" in methods else "",
    ]
    return [sentence for sentence in sentences if sentence]


def ranking(
    curves: Sequence[MethodCurve],
    records: Sequence[Record],
    *,
    train_length: int,
    protocol: Protocol,
) -> str:
    """Returns perplexities at the training length, and how the others stand to ALiBi there."""
    ranked = sorted(
        (value, curve.label) for curve in curves if (value := curve.at(train_length)) is not None
    )
    if len(ranked) < 2:
        return ""
    listed = ", ".join(f"{label} {value:.2f}" for value, label in ranked)
    beside = by_word(
        records,
        [curve.method for curve in curves],
        train_length=train_length,
        protocol=protocol,
        eval_length=train_length,
    )
    return (
        f"At the training length of {train_length:,} tokens, lowest first: {listed}."
        f"{' On the same blocks, ' if beside else ''}{beside}"
    )


def by_word(
    records: Sequence[Record],
    methods: Sequence[str],
    *,
    train_length: int,
    protocol: Protocol,
    eval_length: int,
) -> str:
    """Returns which methods are ahead of ALiBi and which behind; "" where that cannot be said."""
    if "alibi" not in methods:
        return ""
    at_length = [record for record in records if record.eval_length == eval_length]
    compared = against(at_length, "alibi", train_length=train_length, protocol=protocol)
    there = {METHODS[key].label: of[eval_length] for key, of in compared.items() if key in methods}
    told = told_by_word(there, METHODS["alibi"].label)
    return f"{told}." if told else ""


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
    """Returns how much of ALiBi's gain from longer windows is left with a sliding window.

    Args:
        records: Of both protocols, on the same tokens.
        train_length: Tokens in a training window.
    """
    alibi = {"method": "alibi", "train_length": train_length}
    lengths = [
        {record.eval_length for record in side_of}
        for protocol in PROTOCOLS
        if (side_of := [r for r in records if r.protocol == protocol and _is(r, alibi)])
    ]
    common = sorted(set.intersection(*lengths)) if len(lengths) == len(PROTOCOLS) else []
    if train_length not in common or common[-1] == train_length:
        return ""
    changes = [
        comparison_of(
            side(records, **alibi, protocol=protocol, eval_length=common[-1]),
            side(records, **alibi, protocol=protocol, eval_length=train_length),
        )
        for protocol in PROTOCOLS
    ]
    apart, sliding = changes
    if apart is None or sliding is None:
        return ""
    text = (
        f"From {train_length:,} to {common[-1]:,} tokens ALiBi's perplexity changes by "
        f"{change_text(apart)} in nonoverlapping windows and by {change_text(sliding)} with "
        "a sliding window over the same tokens"
    )
    if apart.word != "ahead":
        return f"{text}."
    if sliding.word == "level":
        return f"{text}: level once every token has context. {_CURSE}"
    if sliding.difference > apart.difference / 3:
        return f"{text}: most of the fall is gone once every token has context. {_CURSE}"
    return f"{text}."


def _is(record: Record, fields: Mapping[str, object]) -> bool:
    return all(getattr(record, name) == value for name, value in fields.items())


def spread_over_seeds(records: Sequence[Record], train_length: int) -> str:
    """Returns how far apart seeds of one recipe are, near and far; "" for single seeds."""
    parts = []
    for curve in own_curves(
        records, train_length=train_length, protocol="nonoverlapping", measure="perplexity"
    ):
        if curve.n_seed.min() > 1 and train_length in curve.lengths:
            spreads = 100 * (curve.high / curve.low - 1)
            near = spreads[curve.lengths == train_length][0]
            far = f" and {spreads[-1]:.0f} %" if curve.lengths[-1] > train_length else ""
            parts.append((spreads[-1], f"{curve.label} {near:.1f}{far or ' %'}"))
    if not parts:
        return ""
    listed = ", ".join(text for _, text in sorted(parts))
    return (
        f"Highest over lowest seed, at {train_length} tokens and at the longest window: {listed}."
    )


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
        f"with one token of context ALiBi's perplexity is {alibi.mean[0]:.0f}; "
        f"with about {alibi.lengths[within][-1]:,} it is {alibi.mean[within][-1]:.1f}"
    )
    if not within.all():
        low, high = (f"{end(alibi.mean[~within]):.1f}" for end in (np.min, np.max))
        text += f"; beyond the training length it stays between {low} and {high}"
    text += (
        ". Every nonoverlapping window pays for its first tokens, and in a short one they are a "
        "larger share. Each point is another part of the text; ups and downs that all methods "
        "share are the text's."
    )
    ends = [
        f"{curve.label} from {_over(curve, alibi, within.sum() - 1):.2f}× to "
        f"{_over(curve, alibi, len(alibi.lengths) - 1):.2f}×"
        for curve in curves
        if curve is not alibi and np.array_equal(curve.lengths, alibi.lengths)
    ]
    if within.all() or not ends:
        return text
    return (
        f"{text} Relative to ALiBi on the same tokens, from the training length to the end of the "
        f"window, perplexity goes: {', '.join(ends)}."
    )


def _over(curve: MethodCurve, reference: MethodCurve, point: int) -> float:
    return float(curve.mean[point] / reference.mean[point])


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
