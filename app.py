"""ALiBi Viz: what is served, and the frame that all pages share; no logic.

`streamlit run app.py`, or any ASGI server, imports this file and serves `app`. For each visitor
Streamlit then runs it as a script: page configuration, navigation, the page.
"""

import streamlit as st

if __name__ != "__main__":
    from alibi_viz.ui.frame import serve

    app = st.App(
        __file__,
        routes=serve.routes(),
        middleware=serve.middleware(),
        lifespan=serve.lifespan,
        on_script_error=serve.explain,
    )
else:
    from alibi_viz.ui.frame import housekeeping, look, navigation, wishes

    st.set_page_config(
        page_title="ALiBi Viz",
        page_icon=navigation.ICON,
        layout="wide",
        initial_sidebar_state="collapsed",
    )
    # Called on every run, whatever the page: pages/ would otherwise be discovered by file name.
    page = st.navigation(navigation.pages(), position="top")
    navigation.move_on(page)
    look.add_style()
    housekeeping.stop_if_misconfigured()
    wishes.settle(page.url_path)
    page.run()
