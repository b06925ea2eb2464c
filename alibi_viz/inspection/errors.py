"""What goes wrong when a model is brought in, told so that a user can act on it."""

# What libraries raise when they are asked for more than they can.
RUN_ERRORS = (
    RuntimeError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    NotImplementedError,
)


class UnreadableModel(ValueError):
    """A model that cannot be looked into; the message names it and says why."""


class UnfitAsking(ValueError):
    """A text or a change that does not fit a readable model; the message says why."""
