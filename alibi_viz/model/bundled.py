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
        The method, what it learns as numpy arrays; True where that comes from a checkpoint. Else it
        is what training starts from. Methods that learn nothing count as untrained.

    Raises:
        ValueError: No method has that key, or the checkpoint is damaged.
    """
    folder = CHECKPOINTS / run_name(method, train_length, SEED)
    position = build_position(method, ModelConfig(method, train_length=train_length))
    is_trained = bool(position.method.learned) and (folder / "config.json").is_file()
    if is_trained:
        model, _ = load_checkpoint(folder)
        return model.position.as_arrays(), True
    position.draw(torch.Generator().manual_seed(SEED))
    return position.as_arrays(), False
