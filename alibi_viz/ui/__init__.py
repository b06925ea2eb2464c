"""The only Streamlit code of the package: controls, cached calls, figures on pages, the canvas."""
