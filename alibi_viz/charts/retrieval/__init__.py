"""Charts of finding things again: recall, copying, one needle, and where each method wins."""
