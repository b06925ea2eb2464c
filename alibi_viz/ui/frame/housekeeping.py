"""What the server does beside its pages: checks its switches, and collects garbage once a minute.

Once for all, instead of after every rerun of anybody: with plotly loaded, Streamlit's collection
after each rerun (`runner.postScriptGC`, off in .streamlit/config.toml) took nine tenths of the
server's time.
"""

import gc
import threading
import time

import streamlit as st

from alibi_viz.policy import check_switches

COLLECT_EVERY_SECONDS = 60.0


@st.cache_resource
def start() -> threading.Thread:
    """Starts the collector, once for the process, and returns its thread."""
    # What start-up made lives as long as the server: no collection needs to walk it again.
    gc.collect()
    gc.freeze()
    thread = threading.Thread(target=_collect_forever, name="collector", daemon=True)
    thread.start()
    return thread


def _collect_forever() -> None:
    while True:
        time.sleep(COLLECT_EVERY_SECONDS)
        gc.collect()


def stop_if_misconfigured() -> None:
    """Shows what is wrong with the switches of the environment, in place of every page."""
    try:
        check_switches()
    except ValueError as error:
        st.error(f"{error}. Whoever runs this app has to mend it and start the app again.")
        st.stop()
