"""What happens to perplexity past the training length, measured?"""

import streamlit as st

from alibi_viz.charts.measured.differences import DifferenceChart
from alibi_viz.charts.measured.exponent import ExponentChart
from alibi_viz.charts.measured.losses import LossesChart
from alibi_viz.charts.measured.perplexity import PerplexityChart, PositionChart
from alibi_viz.charts.measured.published import PublishedChart
from alibi_viz.charts.measured.read import measured_texts, own_records, stretched_records
from alibi_viz.charts.measured.stretched import StretchedChart
from alibi_viz.charts.measured.stretched_position import StretchedPositionChart
from alibi_viz.ui.extrapolation import compared, provenance, shown
from alibi_viz.ui.extrapolation.costs import show_costs
from alibi_viz.ui.extrapolation.live import live_evaluation
from alibi_viz.ui.frame.header import look_for, page_header
from alibi_viz.ui.frame.stage import stage
from alibi_viz.ui.link.settle import bound_control, control_row, settle_links, show_notes
from alibi_viz.ui.show import results
from alibi_viz.ui.show.drawn import ready_table
from alibi_viz.ui.show.exponents import show_exponents
from alibi_viz.ui.show.figure import folded_table, show_chart, show_table

page_header("extrapolation", r"\mathrm{perplexity} = e^{\,\mathrm{nats\ per\ token}}")
records = results.explained(own_records)
texts = list(measured_texts()) if records else []
models = results.explained(results.bundled)


@st.fragment
def body() -> None:
    """Controls, both charts, what to see in them, and the numbers."""
    length_control = shown.train_length_control(records)
    text_control = compared.measured_text_control(texts)
    choices = (text_control,) if len(texts) > 1 else ()
    controls = (
        *choices,
        shown.PROTOCOL,
        shown.STRETCHED,
        shown.MEASURE,
        compared.AGAINST,
        length_control,
        shown.PAPER,
    )
    settle_links(*controls)
    place = stage(shown.STRETCHED, shown.SHOWN_METHODS, length_control, shown.PAPER)
    row = place.controls.container(horizontal=True, vertical_alignment="bottom")
    less = place.more.container(horizontal=True, vertical_alignment="bottom")
    windows = bound_control(shown.PROTOCOL, row)
    protocol, both = shown.protocol_of(windows), windows == shown.PROTOCOL.options[-1]
    stretching = bound_control(shown.STRETCHED, less)
    if stretching != shown.STRETCHED.default:
        chosen = bound_control(shown.STRETCHINGS_CHOSEN, less)
        show_notes(shown.PROTOCOL, shown.STRETCHED, shown.STRETCHINGS_CHOSEN)
        with place.figure:
            stretched(shown.stretched_chart(chosen, stretching, protocol))
        return
    text = bound_control(text_control, row) if choices else text_control.default
    measure = bound_control(shown.MEASURE, row)
    is_difference = measure == shown.DIFFERENCE
    reference = compared.reference_of(bound_control(compared.AGAINST, row) if is_difference else "")
    methods = tuple(shown.methods_control(less))
    trained = int(bound_control(length_control, less))
    choice = bound_control(shown.PAPER, less)
    left, right = place.figure.columns(2, gap="large")
    kept = "perplexity" if is_difference else measure
    ours = PerplexityChart(methods, trained, text, protocol, kept, both=both)
    differences = DifferenceChart(methods, trained, text, protocol, reference)
    with left:
        measured_here(ours, differences if is_difference else None)
    papers = PublishedChart(choice, methods, protocol, kept)
    with right:
        st.markdown("**Reported in the paper**")
        if papers.papers:
            show_chart(papers, with_table=True)
        if methods:
            st.caption(papers.caption())
        if measure == "bits per byte":
            st.caption("The paper gives no bits per byte; its perplexity is shown.")
    show_notes(*controls)
    if records and ours.curves:
        numbers(ours, differences if is_difference else None)
        by_position(PositionChart(methods, trained, text))
    if records and text == text_control.default:
        show_exponents(ExponentChart(protocol))


def measured_here(ours: PerplexityChart, differences: DifferenceChart | None) -> None:
    """Our own chart, perplexities or differences, and which text is behind it."""
    st.markdown("**Measured here**")
    if not ours.methods:
        st.info("Choose at least one method.")
    elif differences and records:
        compared.show_differences(differences)
    elif records and ours.curves:
        show_chart(ours)
    st.caption(shown.own_caption(ours, models) if records else shown.NOTHING_MEASURED)
    if records:
        compared.what_was_scored(ours.records, ours.text)
        st.markdown(ours.missing())


def numbers(ours: PerplexityChart, differences: DifferenceChart | None) -> None:
    """What to see, the rule for words, and every number."""
    if differences is None and (said := ours.findings()):
        look_for("\n".join(f"\n- {sentence}" for sentence in said))
    compared.rule()
    if differences:
        compared.difference_table(differences)
    else:
        show_table(ours.summary(), key="extrapolation_summary", columns=shown.summary_columns(ours))
    folded_table(
        "Every record",
        lambda: shown.record_table(own_records(text=ours.text)),
        key="extrapolation_records",
    )


def stretched(chart: StretchedChart) -> None:
    """The same models, as trained and stretched, and what to see in them."""
    if not chart.lines:
        st.info(shown.NOTHING_STRETCHED)
        return
    show_chart(chart)
    st.caption(shown.stretched_caption(chart))
    look_for(chart.sentence())
    show_table(chart.table(), key="stretched_numbers", columns=shown.stretched_columns())
    if chart.protocol == "nonoverlapping":
        stretched_by_position(chart)
    folded_table(
        "Every record of a stretched model",
        lambda: shown.record_table(stretched_records()),
        key="stretched_records",
    )


def stretched_by_position(chart: StretchedChart) -> None:
    """The same models by position in windows of one length; nothing where none is measured."""
    st.header("By position in the window", anchor=False)
    st.markdown("Where in a longer window does a stretching help, and where does it cost?")
    (window,) = control_row([shown.STRETCHED_WINDOW]).values()
    found = StretchedPositionChart(chart.stretchings, chart.stage, window)
    if not found.curves:
        st.info("Nothing of these was measured in such windows.")
        return
    show_chart(found, with_table=True)
    look_for(found.sentence())


def by_position(chart: PositionChart) -> None:
    """Loss by position in a window, and what to see in it; nothing where none is measured."""
    if not chart.curves:
        return
    st.header("By position in the window", anchor=False)
    st.markdown("How well is a token predicted, by how many tokens come before it in the window?")
    show_chart(chart)
    look_for(chart.sentence())


def training() -> None:
    """What was trained, on what, how, and whether for long enough."""
    st.header("How it was measured", anchor=False)
    if records:
        st.markdown(provenance.measured_on(records))
    left, right = st.columns([3, 2], gap="large")
    losses = LossesChart()
    if models and losses.curves:
        with left:
            st.markdown(f"**Was training long enough?** {losses.sentence()}")
            show_chart(losses)
    with right:
        if trials := results.explained(results.sweep_trials):
            st.markdown("**Which learning rate?** " + provenance.sweep_note(trials))
            table = ready_table(provenance.sweep_table, trials)
            show_table(table, key="sweep", columns=provenance.whole_numbers())
    if models:
        folded_table(
            "Every model: size, budget, recipe, command",
            lambda: provenance.model_table(models),
            key="models",
            columns=provenance.whole_numbers(),
        )
    with st.expander("Which device would this machine use?", on_change="rerun") as device:
        if device.open:
            st.markdown(results.device_here())
    with st.container(border=True):
        st.markdown(provenance.NOT_SHOWN)


body()
show_costs(results.explained(results.cost_records))
training()
live_evaluation()
