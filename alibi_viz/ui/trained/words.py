"""What the page about trained models says of a model, a text and a head, all computed from them."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from alibi_viz.figures.distance import READ_BACK_ROUNDING, nearest_power, slope_text
from alibi_viz.figures.inspection import DistanceCurve
from alibi_viz.inspection.adapters.slope_lines import SHORTEST_LINE
from alibi_viz.inspection.probe import ProbeVerdict
from alibi_viz.inspection.text.capture import Capture, Overview
from alibi_viz.inspection.text.measures import Measures, slope_measures
from alibi_viz.inspection.text.what_if import WhatIf
from alibi_viz.ui.canvas.map import Panel
from alibi_viz.ui.trained.compare import moved_share

Floats = NDArray[np.float64]
# A window this much larger than that of the slope alone is called further.
FURTHER = 1.1
# A share on the first token from which a head is said to rest there.
SINK = 0.2


def slope_name(slope: float) -> str:
    """Returns a slope as a fraction and a number: "1/8 = 0.125"."""
    name = slope_text(slope, READ_BACK_ROUNDING)
    exact = nearest_power(slope, READ_BACK_ROUNDING) or slope
    return f"{name} = {exact:.4g}" if "/" in name else name


def head_title(capture: Capture, layer: int, head: int) -> str:
    """Returns the name of a head with its slope.

    Args:
        capture: Of any model.
        layer: Counted from 0.
        head: Counted from 0.
    """
    name = f"layer {layer + 1} of {capture.n_layer}, head {head + 1} of {capture.n_head}"
    if capture.slopes is None:
        return name
    slope = float(capture.slopes[layer, head])
    return f"{name}, slope {slope_name(slope)}" if slope else f"{name}, no bias"


def theory_of(slopes: Floats, length: int, mass: float) -> Measures:
    """Returns the measures of heads that follow their slopes alone, with axes (layer, head).

    Args:
        slopes: (layer, head) in nats per token.
        length: Tokens in the text.
        mass: Share of the attention that a window holds.
    """
    return _theory(slopes.astype(np.float64).tobytes(), slopes.shape, length, mass)


# Every rerun asks for the same several times.
@lru_cache(maxsize=8)
def _theory(data: bytes, shape: tuple[int, ...], length: int, mass: float) -> Measures:
    flat = slope_measures(np.maximum(np.frombuffer(data), 0), length, mass)

    def shaped(values: Floats) -> Floats:
        return values.reshape(*shape, *values.shape[1:])

    return Measures(
        mass,
        shaped(flat.window),
        shaped(flat.first_token),
        shaped(flat.entropy),
        shaped(flat.previous_token),
        shaped(flat.mean_by_distance),
    )


def grid_words(measures: Measures, slopes: Floats | None) -> list[str]:
    """Returns a line of numbers for each head, in the order of layers and heads."""
    lines = []
    for layer, head in np.ndindex(measures.window.shape):
        slope = "" if slopes is None else f"slope {slope_name(float(slopes[layer, head]))}, "
        lines.append(
            f"layer {layer + 1}, head {head + 1}: {slope}"
            f"{measures.mass:.0%} within {_number(float(measures.window[layer, head]))} tokens, "
            f"first token {_percent(float(measures.first_token[layer, head]))}, "
            f"entropy {measures.entropy[layer, head]:.2f} nats"
        )
    return lines


def grid_order(order: str, measures: Measures, slopes: Floats | None) -> list[int]:
    """Returns the heads, counted through all layers, in the order that was asked for.

    Args:
        order: One of `trained_controls.ORDERS`; the largest value stands first.
        measures: With axes (layer, head).
        slopes: (layer, head), or None: then there is no order by slope.
    """
    values = {
        "slope": slopes,
        "window": measures.window,
        "entropy": measures.entropy,
        "first token": measures.first_token,
    }.get(order)
    if values is None:
        return list(range(measures.window.size))
    return [int(head) for head in np.argsort(-values.ravel(), kind="stable")]


def attention_sentence(measures: Measures, theory: Measures | None, slopes: Floats | None) -> str:
    """Returns which heads look further than their slopes would, and what the first token takes."""
    first = _first_token_words(measures, theory)
    if theory is None or slopes is None:
        low, high = measures.window.min(), measures.window.max()
        is_short = measures.mean_by_distance.shape[-1] < SHORTEST_LINE
        why = "so short a text tells no slope" if is_short else "no slope limits these heads"
        return (
            f"{why}; their mean windows run from {_number(low)} to {_number(high)} tokens. {first}"
        )
    ratio = measures.window / theory.window
    further = ratio > FURTHER
    count, total = int(further.sum()), further.size
    if not count:
        return (
            f"none of the {total} heads looks further than its slope alone would: content moves "
            f"attention within the window, not beyond it. {first}"
        )
    layer, head = np.unravel_index(int(ratio.argmax()), ratio.shape)
    name = slope_text(float(slopes[layer, head]), READ_BACK_ROUNDING)
    return (
        f"{count} of {total} heads {'look' if count != 1 else 'looks'} further than the slope "
        f"alone would (window more than {FURTHER - 1:.0%} larger), most of all layer {layer + 1}, "
        f"head {head + 1}: {_number(measures.window[layer, head])} tokens where slope {name} alone "
        f"needs {_number(theory.window[layer, head])}. {first}"
    )


def no_slopes(capture: Capture, name: str) -> str:
    """Returns why a model's slopes cannot be changed.

    Args:
        capture: Of a model without slopes, or a text too short to tell them.
        name: The model's.
    """
    if capture.is_too_short:
        return (
            f"This text is too short: slopes are read from biases, which takes {SHORTEST_LINE} "
            "tokens. Choose a longer one; below is the model as it is."
        )
    return (
        f"{name} has no slopes that could be changed. Choose a model with ALiBi; below is this one "
        "as it is."
    )


def windows_question(capture: Capture) -> str:
    """Returns what the chart of windows answers."""
    if capture.slopes is None:
        return "How far does each head look?"
    return "Which heads look further than their slopes alone would let them?"


def _first_token_words(measures: Measures, theory: Measures | None) -> str:
    shares = measures.first_token
    layer, head = np.unravel_index(int(shares.argmax()), shares.shape)
    resting = int((shares >= SINK).sum())
    words = (
        f"The first token takes {_percent(shares.mean())} of the attention on average and "
        f"{_percent(shares.max())} in layer {layer + 1}, head {head + 1}"
    )
    if theory is not None:
        words += (
            f", where the slope alone would give it {_percent(theory.first_token[layer, head])}"
        )
    if resting:
        rest = "rests" if resting == 1 else "rest"
        words += f"; {resting} of {shares.size} heads {rest} {SINK:.0%} or more on it"
    return f"{words}."


def what_if_sentence(result: WhatIf, moved: float | None, train_length: int | None) -> str:
    """Returns what a change does to attention and loss, within and beyond the training length.

    Args:
        result: The model with and without the change.
        moved: Share of the chosen head's attention that moved, see `moved_share`.
        train_length: Tokens that the model was trained on, None where that is not known.
    """
    before, after = result.unchanged, result.changed
    if before.mean_nll is None or after.mean_nll is None:
        return "one token predicts nothing that follows, so there is no loss to change."
    if moved == 0 and np.array_equal(before.nll, after.nll):
        return "nothing is changed yet; the two maps are the same."
    words = (
        f"the mean loss goes from {before.mean_nll:.3f} to {after.mean_nll:.3f} nats per token "
        f"({_signed(after.mean_nll - before.mean_nll)}; perplexity "
        f"{np.exp(before.mean_nll):.1f} to {np.exp(after.mean_nll):.1f})"
    )
    if train_length is not None and before.length > train_length + 1:
        # A training window of so many inputs has as many targets: the last one was trained too.
        change = after.nll - before.nll
        within, beyond = change[:train_length], change[train_length:]
        words += (
            f"; {_signed(within.mean())} on the first {train_length} predicted tokens, "
            f"{_signed(beyond.mean())} on the {len(beyond)} beyond the training length"
        )
    if moved is None:
        return f"{words}."
    return f"{words}. The change moves {_percent(moved)} of this head's attention to other keys."


def comparison_sentence(panels: Sequence[Panel], overviews: Sequence[Overview]) -> str:
    """Returns how far two heads agree, and how far each of them looks.

    Args:
        panels: Two heads.
        overviews: Of their captures.
    """
    windows = [
        _number(overview.measures.window[panel.layer, panel.head])
        for panel, overview in zip(panels, overviews, strict=True)
    ]
    first, second = panels
    reach = (
        f"{100 * overviews[0].measures.mass:.0f} % of the attention lies within {windows[0]} "
        f"tokens in {first.name} and within {windows[1]} in {second.name}"
    )
    moved = moved_share(first, second)
    if moved is None:
        return f"{reach}."
    return f"the two put {_percent(moved)} of a query's attention on different keys; {reach}."


def distances_alt(curves: Sequence[DistanceCurve]) -> str:
    """Returns what the chart of mean weights by distance shows, for those who cannot see it.

    Args:
        curves: At least one.
    """
    parts = [
        f"{curve.name} from {curve.weights[0]:.2g} at distance 0 to {curve.weights[-1]:.2g} at "
        f"{len(curve.weights) - 1:,}"
        for curve in curves
    ]
    return f"Mean attention weight against distance, in tokens: {'; '.join(parts)}."


def text_caption(capture: Capture, name: str) -> str:
    """Returns what is shown of the text: tokens, bytes, loss, and what is missing."""
    size = capture.tokens[-1].end - capture.tokens[0].start
    loss = ""
    if capture.mean_nll is not None:
        perplexity = np.exp(capture.mean_nll)
        loss = f", mean loss {capture.mean_nll:.2f} nats per token, perplexity {perplexity:.1f}"
    parts = [f"{name}: {_count(capture.length, 'token')}, {_count(size, 'byte')}{loss}."]
    return " ".join([*parts, *capture.missing])


def verdict_line(verdict: ProbeVerdict) -> str:
    """Returns the verdict in a line of Markdown: what was read back, and what was promised."""
    promised = f"{verdict.promise.words[:1].upper()}{verdict.promise.words[1:]}"
    return f"**Read back from the model:** {verdict.headline} {promised}."


def _count(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.0995 else f"{share:.1%}"


def _signed(change: float) -> str:
    return f"{change:+.3f}".replace("-", "−")
