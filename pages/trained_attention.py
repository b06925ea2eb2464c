"""What do the heads of a trained model do with these slopes?"""

import streamlit as st

from alibi_viz.ui.frame.header import page_header
from alibi_viz.ui.frame.stage import stage
from alibi_viz.ui.show.results import warn_of_damaged_models
from alibi_viz.ui.trained import body
from alibi_viz.ui.trained.controls import ORDER, main_controls
from alibi_viz.ui.trained.offered import model_names, policy, warn_of_missing_folder
from alibi_viz.ui.trained.texts import chosen_text

page_header("trained_attention", r"\mathrm{logit} = q_i \cdot k_j / \sqrt{d} \; - \; m_h\,(i - j)")
warn_of_missing_folder()
warn_of_damaged_models()


@st.fragment
def inspector() -> None:
    """Controls, maps, charts and sentences: all that a control changes."""
    allowed = policy()
    names = model_names(allowed)
    if not names:
        body.show_no_models()
        return
    place = stage(ORDER)
    settings = main_controls(names, allowed, place)
    with place.figure:
        text = chosen_text(settings.sample)
    body.show_model(settings, text, names)


inspector()
