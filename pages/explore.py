"""In the making."""

from alibi_viz.ui.frame import page_header

page_header("explore")
