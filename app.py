"""ALiBi Viz: page configuration, navigation and the frame that all pages share; no logic."""

import streamlit as st

from alibi_viz.ui.frame import housekeeping, look, navigation, presentation

st.set_page_config(
    page_title="ALiBi Viz",
    page_icon=navigation.ICON,
    layout="wide",
    initial_sidebar_state="collapsed",
)
housekeeping.start()
navigation.note_app_run()
# Called on every run, whatever the page: pages/ would otherwise be discovered by file name.
page = st.navigation(navigation.pages(), position="top")
navigation.move_to_root(page)
look.show()
housekeeping.stop_if_misconfigured()
presentation.settle(page.url_path)
page.run()
