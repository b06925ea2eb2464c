"""What figures show, as arrays: from a state to what a function of `figures` takes, and the words.

The pages draw it, and so do notebooks: no Streamlit here.
"""
