"""Charts of what was measured: perplexity of our models and of the papers, losses in training."""
