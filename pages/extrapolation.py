"""What happens to perplexity past the training length, measured?"""

import streamlit as st

from alibi_viz.exhibits import findings
from alibi_viz.exhibits.measured import bundled_models, own_curves
from alibi_viz.ui.extrapolation import measured as charts
from alibi_viz.ui.extrapolation import provenance, shown
from alibi_viz.ui.extrapolation.costs import show_costs
from alibi_viz.ui.extrapolation.live import live_evaluation
from alibi_viz.ui.frame.header import look_for, page_header
from alibi_viz.ui.link.settle import bound_control, settle_links, show_notes
from alibi_viz.ui.show import results
from alibi_viz.ui.show.figure import show_table

page_header("extrapolation", r"\mathrm{perplexity} = e^{\,\mathrm{nats\ per\ token}}")
records = results.explained(results.own_records)
both_protocols = results.explained(results.same_text_records)
models = results.explained(bundled_models)
trials = results.explained(results.sweep_trials)
costs = results.explained(results.cost_records)


@st.fragment
def body() -> None:
    """Controls, both charts, what to see in them, and the numbers."""
    length_control = shown.train_length_control(records)
    controls = (shown.PROTOCOL, shown.MEASURE)
    settle_links(*controls, length_control, shown.PAPER)
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="large")
    chosen = {control.key: bound_control(control, row) for control in controls}
    methods = shown.methods_control(row)
    notes = st.container()
    protocol = shown.protocol_of(chosen["protocol"])
    measure = chosen["measure"]
    left, right = st.columns(2, gap="large")
    left.header("Measured here", anchor=False)
    right.header("Reported in the paper", anchor=False)
    trained = int(bound_control(length_control, left))
    choice = bound_control(shown.PAPER, right)
    curves = [
        curve
        for curve in own_curves(records, train_length=trained, protocol=protocol, measure=measure)
        if curve.method in methods
    ]
    with left:
        st.caption(shown.own_caption(records, models, trained))
        if not methods:
            st.info("Choose at least one method.")
        if curves:
            charts.own_chart(
                curves,
                records,
                train_length=trained,
                protocol=chosen["protocol"],
                measure=measure,
            )
        st.markdown(findings.missing(curves, methods, chosen["protocol"]))
    if methods:
        with right:
            charts.papers_chart(choice, **chosen, methods=methods)
    with notes:
        show_notes(*controls, length_control, shown.PAPER)
    said = findings.findings(
        records, both_protocols, methods, train_length=trained, protocol=protocol
    )
    if said:
        look_for("\n".join(f"\n- {sentence}" for sentence in said))
    if curves:
        show_table(
            shown.summary_table(curves, trained),
            key="extrapolation_summary",
            columns=shown.summary_columns(curves, trained),
        )
    if records:
        with st.expander("Every record"):
            show_table(shown.record_table(records), key="extrapolation_records")
    charts.by_position(records, trained, methods)


def training() -> None:
    """What was trained, on what, how, and whether for long enough."""
    st.header("How it was measured", anchor=False)
    if records:
        st.markdown(provenance.measured_on(records))
    left, right = st.columns([3, 2], gap="large")
    with left:
        charts.losses_chart(models)
    with right:
        if trials:
            st.markdown("**Which learning rate?** " + provenance.sweep_note(trials))
            show_table(
                provenance.sweep_table(trials), key="sweep", columns=provenance.whole_numbers()
            )
    if models:
        with st.expander("Every model: size, budget, recipe, command"):
            show_table(
                provenance.model_table(models), key="models", columns=provenance.whole_numbers()
            )
    with st.expander("Which device would this machine use?", on_change="rerun") as device:
        if device.open:
            st.markdown(results.device_here())
    with st.container(border=True):
        st.markdown(provenance.NOT_SHOWN)


body()
show_costs(costs)
training()
live_evaluation()
