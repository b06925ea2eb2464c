"""ALiBi Viz: see, move, measure and teach Attention with Linear Biases."""
