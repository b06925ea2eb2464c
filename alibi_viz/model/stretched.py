"""A trained model, stretched: other numbers for position, the same weights."""

from alibi_viz.model.transformer import Transformer
from alibi_viz.positions.stretch import Stretching
from alibi_viz.positions.stretch.position import StretchedPosition


def stretched(model: Transformer, stretching: Stretching) -> Transformer:
    """Returns a model that shares every weight with `model` and reads longer windows another way.

    It can be evaluated at any length, and trained: what is learned, `model` has learned too.

    Args:
        model: As trained; left as it is.
        stretching: What changes.

    Raises:
        ValueError: The stretching is of another position method.
    """
    stretching.check(model.config.position)
    twin = Transformer(model.config)
    twin.embedding, twin.blocks, twin.final_norm = model.embedding, model.blocks, model.final_norm
    twin.position = StretchedPosition(model.position, stretching)
    return twin.train(model.training)
