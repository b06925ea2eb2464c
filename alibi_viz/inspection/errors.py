"""What goes wrong when a model is brought in, told so that a user can act on it."""


class UnreadableModel(ValueError):
    """A model that cannot be looked into; the message names it and says why."""
