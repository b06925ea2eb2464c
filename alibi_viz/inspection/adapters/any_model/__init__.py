"""Models of `transformers` that are known only by what they compute."""
