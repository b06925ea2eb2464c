"""What the page about trained models says besides its charts: captions, the grid, the verdict."""

import numpy as np

from alibi_viz.charts.trained.run import Run, slope_name
from alibi_viz.inspection.adapters.slope_lines import SHORTEST_LINE
from alibi_viz.inspection.probe import ProbeVerdict
from alibi_viz.inspection.text.capture import Capture
from alibi_viz.ui.show.plain import unmarked
from alibi_viz.words import count, percent


def grid_words(run: Run) -> list[str]:
    """Returns a line of numbers for each head, in the order of layers and heads."""
    measures, slopes = run.overview.measures, run.capture.slopes
    lines = []
    for layer, head in np.ndindex(measures.window.shape):
        slope = "" if slopes is None else f"slope {slope_name(float(slopes[layer, head]))}, "
        lines.append(
            f"layer {layer + 1}, head {head + 1}: {slope}"
            f"{percent(measures.mass)} within {measures.window[layer, head]:.3g} tokens, "
            f"first token {percent(float(measures.first_token[layer, head]))}, "
            f"entropy {measures.entropy[layer, head]:.2f} nats"
        )
    return lines


def grid_order(order: str, run: Run) -> list[int]:
    """Returns the heads, counted through all layers, the largest value of `order` first."""
    measures = run.overview.measures
    values = {
        "slope": run.capture.slopes,
        "window": measures.window,
        "entropy": measures.entropy,
        "first token": measures.first_token,
    }.get(order)
    if values is None:
        return list(range(measures.window.size))
    return [int(head) for head in np.argsort(-values.ravel(), kind="stable")]


def no_slopes(capture: Capture, name: str) -> str:
    """Returns why a model's slopes cannot be changed."""
    if capture.is_too_short:
        return (
            f"This text is too short: slopes are read from biases, which takes {SHORTEST_LINE} "
            "tokens. Choose a longer one; below is the model as it is."
        )
    return (
        f"{name} has no slopes that could be changed. Choose a model with ALiBi; below is this one "
        "as it is."
    )


def text_caption(capture: Capture, name: str) -> str:
    """Returns what is shown of the text: tokens, bytes, loss, and what is missing."""
    size = capture.tokens[-1].end - capture.tokens[0].start
    loss = ""
    if capture.mean_nll is not None:
        perplexity = np.exp(capture.mean_nll)
        loss = f", mean loss {capture.mean_nll:.2f} nats per token, perplexity {perplexity:.1f}"
    parts = [f"{name}: {count(capture.length, 'token')}, {count(size, 'byte')}{loss}."]
    return " ".join([*parts, *capture.missing])


def answer_line(verdict: ProbeVerdict) -> str:
    """Returns the verdict in a line of Markdown: the answer, and the rule that slopes follow."""
    rule = f" Slopes read back: {verdict.rule}." if verdict.rule else ""
    return f"**{unmarked(verdict.answer)}.**{unmarked(rule)}"


def how_it_was_read(verdict: ProbeVerdict) -> str:
    """Returns how slopes are read, what was promised and in what situations texts came."""
    promised = f"{verdict.promised_words[:1].upper()}{verdict.promised_words[1:]}"
    return (
        f"{unmarked(promised)}. {unmarked(verdict.found_words)}\n\n"
        "All queries are set to zero, so that content is zero and the weights come from position "
        "alone; they are read through the values. ln p falls by one slope with every token of "
        "distance. On the command line: `python -m alibi_viz probe PATH`.\n\n"
        f"Texts came at once, and {', '.join(verdict.tried)}."
    )
