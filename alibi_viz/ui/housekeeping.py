"""Garbage collection once a minute for the whole server, instead of after every rerun of anybody.

With plotly loaded, Streamlit's collection after each rerun (`runner.postScriptGC`, off in
.streamlit/config.toml) took nine tenths of the server's time.
"""

import gc
import threading
import time

import streamlit as st

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
