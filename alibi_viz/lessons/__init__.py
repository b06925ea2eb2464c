"""The lessons as data, and the checks that mark their answers; no Streamlit."""
