"""Arrays in, plotly figures out: one file for each kind of figure, every colour in `theme`."""
