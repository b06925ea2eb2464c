"""What a class answered: bars for answers that can be counted, lines for those that were drawn."""

import math
from collections.abc import Sequence
from textwrap import wrap

import plotly.graph_objects as go

from alibi_viz.figures.theme import method_colour, method_style, surface, template, with_alpha
from alibi_viz.positions import find_method

_LABEL_WIDTH = 34
_LINE, _BAR, _REST = 24, 28, 74
SKETCH_HEIGHT = 320
_LARGEST_RATIO = 4


def votes_figure(
    answers: Sequence[tuple[str, bool]],
    rounds: Sequence[Sequence[int]],
    *,
    dark: bool = False,
) -> go.Figure:
    """Returns bars with the share of each answer, those of the last round full, earlier ones pale.

    Args:
        answers: (answer,) text, and whether it is right.
        rounds: (round, answer) how many gave each answer.
        dark: Whether the figure is for the dark theme.

    Returns:
        The answers from top to bottom against percent of the class; numbers at the bars' ends.
    """
    look = surface(dark)
    labels = [_label(*answer) for answer in answers]
    lines = max(label.count("<br>") + 1 for label in labels)
    height = _REST + len(labels) * max(_LINE * lines, _BAR * len(rounds))
    figure = go.Figure(
        layout={
            "template": template(dark),
            "height": height,
            "barmode": "group",
            "bargap": 0.25,
            "showlegend": len(rounds) > 1,
            "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "traceorder": "normal"},
            "margin": {"l": 8, "r": 8, "t": 34 if len(rounds) > 1 else 12, "b": 8},
            "xaxis": {"title": {"text": "share of the answers, %"}, "range": [0, 118]},
            "yaxis": {
                "tickvals": list(range(len(labels))),
                "ticktext": labels,
                "range": [len(labels) - 0.5, -0.5],
                "showgrid": False,
                "tickfont": {"size": 13, "color": look.text},
            },
        }
    )
    figure.update_xaxes(tickvals=[0, 25, 50, 75, 100])
    colours = [look.accent if right else look.muted for _, right in answers]
    for number, counts in enumerate(rounds, 1):
        _add_vote(figure, number, counts, colours, is_last=number == len(rounds), dark=dark)
    return figure


def _add_vote(
    figure: go.Figure,
    number: int,
    counts: Sequence[int],
    colours: list[str],
    *,
    is_last: bool,
    dark: bool,
) -> None:
    """Adds the bars of one round; those of an earlier one are pale and hatched."""
    text, total = surface(dark).text, sum(counts)
    shares = [100 * count / total if total else 0.0 for count in counts]
    figure.add_bar(
        x=shares,
        y=list(range(len(counts))),
        orientation="h",
        name=f"vote {number}: {total} answered",
        marker={
            "color": colours if is_last else [with_alpha(colour, 0.35) for colour in colours],
            "pattern": {"shape": "" if is_last else "/", "fgcolor": text, "size": 6},
            "line": {"color": colours, "width": 1.5},
        },
        text=[f"{count} · {share:.0f} %" for count, share in zip(counts, shares, strict=True)],
        textposition="outside",
        constraintext="none",
        textfont={"size": 13, "color": text},
        cliponaxis=False,
        hovertemplate="%{text}<extra>%{fullData.name}</extra>",
    )


def _label(text: str, is_right: bool) -> str:
    """Returns an answer as it stands beside its bars, marked if it is right."""
    said = wrap(("✓ " if is_right else "") + text, _LABEL_WIDTH)
    return "<br>".join(f"<b>{line}</b>" if is_right else line for line in said)


def sketches_figure(
    method: str,
    train_length: int,
    multiples: Sequence[float],
    lines: Sequence[Sequence[float]],
    measured: Sequence[float | None],
    *,
    dark: bool = False,
) -> go.Figure:
    """Returns all lines that a class drew, and the measured one if there is one.

    Args:
        method: Key of the position method; decides the colour of what was measured.
        train_length: Tokens of a training window, where all lines begin.
        multiples: (multiple,) window lengths that were drawn, in training lengths.
        lines: (line, multiple) log2 of perplexity over that at the training length.
        measured: (multiple,) the same, measured; None where nothing was. Empty: not shown.
        dark: Whether the figure is for the dark theme.

    Returns:
        Perplexity relative to that at the training length against tokens of a window, both axes
        logarithmic.
    """
    look = surface(dark)
    lengths = [float(train_length), *(train_length * multiple for multiple in multiples)]
    drawn = [[1.0, *(2**height for height in line)] for line in lines]
    truth = {train_length: 1.0} | {
        length: 2**height
        for length, height in zip(lengths[1:], measured, strict=False)
        if height is not None
    }
    figure = _sketch_axes(lengths, [*truth.values(), *(v for line in drawn for v in line)], dark)
    figure.add_hline(y=1, line={"color": look.muted, "width": 1, "dash": "dot"})
    for number, line in enumerate(drawn, 1):
        figure.add_scatter(
            x=lengths,
            y=line,
            mode="lines",
            name=f"student {number}",
            line={"color": with_alpha(look.muted, 0.6), "width": 1.8, "shape": "spline"},
            hoverinfo="skip",
        )
    if measured:
        _add_measured(figure, method, truth, dark)
    return figure


def _sketch_axes(lengths: list[float], values: list[float], dark: bool) -> go.Figure:
    """Returns an empty figure: window lengths across, powers of two that hold all values up."""
    low, high = min([*values, 0.5]), max([*values, float(_LARGEST_RATIO)])
    powers = range(math.floor(math.log2(low)), math.ceil(math.log2(high)) + 1)
    return go.Figure(
        layout={
            "template": template(dark),
            "height": SKETCH_HEIGHT,
            "showlegend": False,
            "margin": {"l": 8, "r": 24, "t": 12, "b": 8},
            "xaxis": {
                "type": "log",
                "title": {"text": "window, tokens"},
                "tickvals": lengths[::2],
                "ticktext": [f"{length:,.0f}" for length in lengths[::2]],
                "range": [math.log10(lengths[0] * 0.95), math.log10(lengths[-1] * 1.05)],
            },
            "yaxis": {
                "type": "log",
                "title": {"text": f"perplexity, as a multiple<br>of that at {lengths[0]:.0f}"},
                "tickvals": [2.0**power for power in powers],
                "ticktext": [f"×{2.0**power:g}" for power in powers],
                "range": [math.log10(2.0 ** powers[0]), math.log10(2.0 ** powers[-1] * 1.05)],
            },
        }
    )


def _add_measured(figure: go.Figure, method: str, truth: dict[float, float], dark: bool) -> None:
    """Adds the measured line, from window length to ratio, and its name at its end."""
    style, colour = method_style(method), method_colour(method, dark)
    name = f"{find_method(method).label}, measured"
    figure.add_scatter(
        x=list(truth),
        y=list(truth.values()),
        mode="lines+markers",
        name=name,
        line={"color": colour, "width": 4},
        marker={"symbol": style.symbol, "size": 11},
        hovertemplate="%{x:,.0f} tokens: ×%{y:.2f}<extra>%{fullData.name}</extra>",
    )
    length, ratio = list(truth.items())[-1]
    figure.add_annotation(
        x=math.log10(length),
        y=math.log10(ratio),
        text=f"<b>{name}</b>",
        showarrow=False,
        xanchor="right",
        yanchor="bottom",
        yshift=8,
        font={"size": 13, "color": colour},
    )
