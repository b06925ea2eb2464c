"""Finding things again over distance: needles in filler, copying, and what stretching buys."""
