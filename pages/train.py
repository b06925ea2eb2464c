"""How is such a model made?"""

import streamlit as st

from alibi_viz.ui.frame.header import page_header
from alibi_viz.ui.show import jobs
from alibi_viz.ui.show.figure import show_table
from alibi_viz.ui.train import controls as training
from alibi_viz.ui.train import progress as training_view

page_header("train")

request = training.training_controls()
if request is not None:
    job = jobs.find(request)
    left, right = st.columns([5, 1], vertical_alignment="center", gap="medium")
    left.code(jobs.command_text(request.arguments()), language=None, wrap_lines=True)
    jobs.start_button("Train", request, job, right)
    jobs.show_refusal()
    if job is None:
        st.caption(f"{training.estimate(request)}. The command does the same on your own machine.")
    else:
        jobs.watch_job(job, training_view.show_training)
        training_view.show_what_next(job)

with st.expander("Limits of this server, and the models trained on it"):
    st.markdown(training.limits_text())
    show_table(
        training.jobs_table(jobs.kept_jobs()),
        key="trained_here",
        columns={"open": st.column_config.LinkColumn("open", display_text="open")},
    )
