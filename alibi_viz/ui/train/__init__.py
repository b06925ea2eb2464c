"""The page where a visitor trains a model."""
