"""The page about a trained model's attention."""
