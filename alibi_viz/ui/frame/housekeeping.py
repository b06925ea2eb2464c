"""What is said in place of every page where whoever runs the app has to mend something."""

import streamlit as st

from alibi_viz.policy import check_switches


def stop_if_misconfigured() -> None:
    """Shows what is wrong with the switches of the environment, in place of every page."""
    try:
        check_switches()
    except ValueError as error:
        st.error(f"{error}. Whoever runs this app has to mend it and start the app again.")
        st.stop()
