"""A position method as the bundled checkpoints have it, with what it learned, if it learns."""

import torch

from alibi_viz.model.checkpoint import load_checkpoint
from alibi_viz.model.config import ModelConfig
from alibi_viz.paths import CHECKPOINTS, run_name
from alibi_viz.positions import build_position
from alibi_viz.positions.base import PositionMethod

SEED = 0


def bundled_position(method: str, train_length: int) -> tuple[PositionMethod, bool]:
    """Returns a method of the bundled models' size, and whether what it learns was trained.

    Args:
        method: Key of the position method.
        train_length: Tokens in a training window; trained parameters exist only for the length
            that the bundled models were trained on.

    Returns:
        The method; True where its parameters come from a checkpoint. Without one they are the
        numbers that training starts from. Methods without parameters count as untrained.

    Raises:
        ValueError: No method has that key, or the checkpoint is damaged.
    """
    folder = CHECKPOINTS / run_name(method, train_length, SEED)
    position = build_position(method, ModelConfig(method, train_length=train_length).for_position)
    if not list(position.parameters()):
        return position, False
    if (folder / "config.json").is_file():
        model, _ = load_checkpoint(folder)
        return model.position, True
    with torch.no_grad():
        position.draw(torch.Generator().manual_seed(SEED))
    return position, False
