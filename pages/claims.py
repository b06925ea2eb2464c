"""What is said about ALiBi, what do the sources say, what did we measure? How do I cite it?"""

import streamlit as st

from alibi_viz.ui.claims import answers, controls
from alibi_viz.ui.claims import view as claims
from alibi_viz.ui.frame.header import page_header
from alibi_viz.ui.link.settle import bound_control, show_notes

page_header("claims")
row = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
show = bound_control(controls.SECTION, row)

if show == "claims":
    verdict = bound_control(controls.VERDICT, row)
    topic = bound_control(controls.TOPIC, row)
    search = bound_control(controls.SEARCH, row)
    show_notes(controls.SECTION, controls.VERDICT, controls.TOPIC, controls.SEARCH)
    found = claims.chosen(claims.all_claims(), verdict=verdict, topic=topic, search=search)
    if found:
        st.markdown(claims.tally(found))
    else:
        st.info("No claim has all of these words under this verdict and topic.")
    claims.show_claims(found)
elif show == "where each wins":
    show_notes(controls.SECTION)
    answers.show_where_each_wins()
elif show == "which one to use":
    show_notes(controls.SECTION)
    answers.show_which_one()
else:
    style = bound_control(controls.STYLE, row)
    show_notes(controls.SECTION, controls.STYLE)
    if show == "references":
        st.markdown("What the app quotes and builds on. What could not be confirmed is left out.")
        claims.show_references(style)
    else:
        st.markdown(
            "If you use the app or figures made with it, please cite it, and cite the papers whose "
            "numbers you show."
        )
        claims.show_this_app(style)
