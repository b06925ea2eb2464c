"""Perplexity at any length, by both protocols, and the file that keeps it."""
