"""The page about perplexity past the training length."""
