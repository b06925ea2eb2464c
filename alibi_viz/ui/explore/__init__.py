"""The page about slopes and biases."""
