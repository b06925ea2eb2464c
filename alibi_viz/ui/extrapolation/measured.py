"""The charts of the page on extrapolation, with what belongs to them in a file."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from alibi_viz.evaluation.records import TRAIN_LENGTH, Record
from alibi_viz.exhibits import findings
from alibi_viz.exhibits.measured import (
    BundledModel,
    as_method_curve,
    loss_curves,
    measure_title,
    paper_curves,
    position_curves,
)
from alibi_viz.figures.extrapolation import MethodCurve, extrapolation_figure
from alibi_viz.figures.losses import losses_figure
from alibi_viz.ui.extrapolation import shown
from alibi_viz.ui.frame.header import look_for
from alibi_viz.ui.recipes import measured as code
from alibi_viz.ui.show.figure import show_figure


def own_chart(
    curves: Sequence[MethodCurve],
    records: Sequence[Record],
    *,
    train_length: int,
    protocol: str,
    measure: str,
) -> None:
    """Shows our own measurements.

    Args:
        curves: At least one.
        records: What they come from.
        train_length: Tokens in a training window.
        protocol: How it was measured, as its control says it.
        measure: What was measured.
    """
    seeds = max(int(curve.n_seed.max()) for curve in curves)
    axis = measure_title(measure)
    show_figure(
        partial(extrapolation_figure, curves, train_length=train_length, measure=axis),
        key="extrapolation",
        title=f"Measured: {_named(measure)} against the length of the evaluation window",
        state={
            "trained on": f"{train_length:,} tokens",
            "windows": protocol,
            "seeds": str(seeds),
            "text": records[0].corpus.split(" sha256")[0],
        },
        alt=shown.chart_alt(curves, train_length, axis),
        code=code.own_code(
            [curve.method for curve in curves],
            train_length=train_length,
            protocol=shown.protocol_of(protocol),
            measure=measure,
        ),
    )


def by_position(records: Sequence[Record], train_length: int, methods: Sequence[str]) -> None:
    """Shows loss by position in a window, and what to see in it; nothing where none is measured.

    Args:
        records: Comparable records.
        train_length: Tokens in a training window.
        methods: Keys of the methods to show.
    """
    curves = position_curves(records, train_length=train_length, methods=methods)
    if not curves:
        return
    st.subheader("By position in the window", anchor=False)
    st.markdown("How well is a token predicted, by how many tokens come before it in the window?")
    _by_position_chart(
        curves, train_length=train_length, text=records[0].corpus.split(" sha256")[0]
    )
    look_for(findings.by_position(curves, train_length))


def _by_position_chart(curves: Sequence[MethodCurve], *, train_length: int, text: str) -> None:
    """Shows perplexity by position in a window.

    Args:
        curves: At least one.
        train_length: Tokens in a training window.
        text: What was read.
    """
    alt = "; ".join(
        f"{curve.label} from {curve.mean[0]:.3g} with {curve.lengths[0]:,} to {curve.mean[-1]:.3g} "
        f"with about {curve.lengths[-1]:,} tokens of context"
        for curve in curves
    )
    show_figure(
        partial(
            extrapolation_figure,
            curves,
            train_length=train_length,
            measure="perplexity per token",
            along="context",
        ),
        key="by_position",
        title="Measured: perplexity against the context that a token has",
        state={
            "trained on": f"{train_length:,} tokens",
            "seeds": f"up to {max(int(curve.n_seed.max()) for curve in curves)}",
            "text": text,
        },
        alt=f"Perplexity by position for models trained on {train_length:,} tokens: {alt}.",
        code=code.by_position_code([curve.method for curve in curves], train_length=train_length),
    )


def papers_chart(choice: str, *, protocol: str, measure: str, methods: Sequence[str]) -> None:
    """Shows the paper's numbers on the same axes, and where they stand in it.

    Args:
        choice: One of the options of `extrapolation.PAPER`.
        protocol: How it was measured, as its control says it.
        measure: What was measured.
        methods: Keys of the methods to show.
    """
    paper = paper_curves(choice, shown.protocol_of(protocol), methods)
    st.caption(shown.paper_caption(paper, choice, protocol))
    if not paper:
        return
    curves = [as_method_curve(curve, measure) for curve in paper]
    train_length = paper[0].train_length
    published = "ratio" if measure == "ratio" else "perplexity"
    axis = measure_title(measure, published=True)
    tables = ", ".join(dict.fromkeys(curve.table for curve in paper))
    show_figure(
        partial(extrapolation_figure, curves, train_length=train_length, measure=axis),
        key="published",
        title=f"Published: {_named(published)} against the length of the evaluation window",
        state={
            "source": f"Press et al. {paper[0].source}, {tables}",
            "data": paper[0].dataset,
            "trained on": f"{train_length:,} tokens",
            "windows": protocol,
        },
        alt=shown.chart_alt(curves, train_length, axis),
        code=code.paper_code(
            choice,
            methods,
            train_length=train_length,
            protocol=shown.protocol_of(protocol),
            measure=measure,
        ),
        table=shown.paper_table(paper),
    )
    if measure == "bits per byte":
        st.caption("The paper gives no bits per byte; its perplexity is shown.")


def _named(measure: str) -> str:
    return "growth of perplexity" if measure == "ratio" else measure


def losses_chart(models: Sequence[BundledModel]) -> None:
    """Shows how the losses of the bundled models fell, and says how far; nothing without curves.

    Args:
        models: Those of the shared training length have a line each.
    """
    curves = loss_curves(models, TRAIN_LENGTH)
    if not curves:
        return
    said = findings.flattening(models)
    st.markdown(f"**Was training long enough?** {said}")
    show_figure(
        partial(losses_figure, curves),
        key="losses",
        title="Loss on the validation text while the models were trained",
        state={"trained on": f"windows of {TRAIN_LENGTH:,} tokens", "models": str(len(curves))},
        alt=said,
        code=code.losses_code(TRAIN_LENGTH),
    )
