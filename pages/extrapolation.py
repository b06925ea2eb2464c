"""What happens to perplexity past the training length, measured?"""

import streamlit as st

from alibi_viz.charts.measured.losses import LossesChart
from alibi_viz.charts.measured.perplexity import PerplexityChart, PositionChart
from alibi_viz.charts.measured.published import PublishedChart
from alibi_viz.charts.measured.read import own_records, stretched_records
from alibi_viz.charts.measured.stretched import StretchedChart
from alibi_viz.ui.extrapolation import provenance, shown
from alibi_viz.ui.extrapolation.costs import show_costs
from alibi_viz.ui.extrapolation.live import live_evaluation
from alibi_viz.ui.frame.header import look_for, page_header
from alibi_viz.ui.link.settle import bound_control, settle_links, show_notes
from alibi_viz.ui.show import results
from alibi_viz.ui.show.figure import folded_table, show_chart, show_table

page_header("extrapolation", r"\mathrm{perplexity} = e^{\,\mathrm{nats\ per\ token}}")
records = results.explained(own_records)
models = results.explained(results.bundled)


@st.fragment
def body() -> None:
    """Controls, both charts, what to see in them, and the numbers."""
    length_control = shown.train_length_control(records)
    controls = (shown.PROTOCOL, shown.STRETCHED, shown.MEASURE, length_control, shown.PAPER)
    settle_links(*controls)
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="large")
    protocol = shown.protocol_of(bound_control(shown.PROTOCOL, row))
    stage = bound_control(shown.STRETCHED, row)
    if stage != shown.STRETCHED.default:
        chosen = bound_control(shown.STRETCHINGS_CHOSEN, row)
        show_notes(shown.PROTOCOL, shown.STRETCHED, shown.STRETCHINGS_CHOSEN)
        stretched(shown.stretched_chart(chosen, stage, protocol))
        return
    measure = bound_control(shown.MEASURE, row)
    methods = tuple(shown.methods_control(row))
    notes = st.container()
    left, right = st.columns(2, gap="large")
    left_place, right_place = left.container(), right.container()
    trained = int(bound_control(length_control, left))
    choice = bound_control(shown.PAPER, right)
    ours = PerplexityChart(methods, trained, protocol=protocol, measure=measure)
    with left_place:
        st.markdown("**Measured here**")
        if not methods:
            st.info("Choose at least one method.")
        if records and ours.curves:
            show_chart(ours)
        st.caption(shown.own_caption(ours, models) if records else shown.NOTHING_MEASURED)
        if records:
            st.markdown(ours.missing())
    papers = PublishedChart(choice, methods, protocol, measure)
    with right_place:
        st.markdown("**Reported in the paper**")
        if papers.papers:
            show_chart(papers, with_table=True)
        if methods:
            st.caption(papers.caption())
        if measure == "bits per byte":
            st.caption("The paper gives no bits per byte; its perplexity is shown.")
    with notes:
        show_notes(*controls)
    if not (records and ours.curves):
        return
    if said := ours.findings():
        look_for("\n".join(f"\n- {sentence}" for sentence in said))
    show_table(ours.summary(), key="extrapolation_summary", columns=shown.summary_columns(ours))
    folded_table("Every record", lambda: shown.record_table(records), key="extrapolation_records")
    by_position(PositionChart(methods, trained))


def stretched(chart: StretchedChart) -> None:
    """The same models, as trained and stretched, and what to see in them."""
    if not chart.lines:
        st.info(shown.NOTHING_STRETCHED)
        return
    show_chart(chart)
    st.caption(shown.stretched_caption(chart))
    look_for(chart.sentence())
    show_table(chart.table(), key="stretched_numbers", columns=shown.stretched_columns())
    folded_table(
        "Every record of a stretched model",
        lambda: shown.record_table(stretched_records()),
        key="stretched_records",
    )


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
            show_table(
                provenance.sweep_table(trials), key="sweep", columns=provenance.whole_numbers()
            )
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
