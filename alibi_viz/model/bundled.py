"""A position method as the bundled checkpoints have it: with its trained table, if there is one."""

import torch

from alibi_viz.model.checkpoint import load_checkpoint
from alibi_viz.model.config import ModelConfig
from alibi_viz.paths import CHECKPOINTS, run_name
from alibi_viz.positions import build_position
from alibi_viz.positions.base import EMBEDDING_STD, PositionMethod

SEED = 0


def bundled_position(method: str, train_length: int) -> tuple[PositionMethod, bool]:
    """Returns a method of the bundled models' size, and whether what it learns was trained.

    Args:
        method: Key of the position method.
        train_length: Tokens in a training window; a trained table exists only for the length that
            the bundled models were trained on.

    Returns:
        The method; True where its table comes from a checkpoint. A table without one holds the
        random numbers that training starts from. Methods without a table count as untrained.

    Raises:
        ValueError: No method has that key, or the checkpoint is damaged.
    """
    folder = CHECKPOINTS / run_name(method, train_length, SEED)
    position = build_position(method, ModelConfig(method, train_length=train_length).for_position)
    table = dict(position.named_parameters()).get("table")
    if table is None:
        return position, False
    if (folder / "config.json").is_file():
        model, _ = load_checkpoint(folder)
        return model.position, True
    generator = torch.Generator().manual_seed(SEED)
    with torch.no_grad():
        table.copy_(torch.randn(table.shape, generator=generator) * EMBEDDING_STD)
    return position, False
