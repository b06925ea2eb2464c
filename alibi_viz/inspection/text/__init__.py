"""A text seen through a model: its tokens, losses and every head's attention."""
