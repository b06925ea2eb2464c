"""Figures of what was measured: perplexity, recall, depth."""
