"""Where a run stands: parameters, optimizer and curve in one file, so that none is half-written."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor
from torch.nn import Parameter

from alibi_viz.files import write_bytes
from alibi_viz.model.transformer import Transformer
from alibi_viz.training.config import TrainingConfig

STATE_FILE = "state.safetensors"


@dataclass
class Progress:
    """What a run has done so far."""

    step: int = 0
    """Steps done."""
    seconds: float = 0.0
    """Time spent on them, pauses left out."""
    interval_losses: list[float] = field(default_factory=list)
    """Losses since the last point of the training curve, in nats per token."""
    train_curve: list[tuple[int, float]] = field(default_factory=list)
    """(steps done, mean training loss since the point before), in nats per token."""
    validation_curve: list[tuple[int, float]] = field(default_factory=list)
    """(steps done, validation loss), in nats per token."""

    def tell(self, every: int, steps: int) -> bool:
        """Adds the point of the training curve that is due, and returns whether one was.

        Args:
            every: Steps between two points.
            steps: Steps in all; the last has a point too.
        """
        if self.step % every and self.step != steps:
            return False
        losses = self.interval_losses
        self.train_curve.append((self.step, sum(losses) / len(losses)))
        self.interval_losses = []
        return True


def save_state(
    folder: Path,
    model: Transformer,
    optimizer: torch.optim.Optimizer,
    progress: Progress,
    about: dict[str, Any],
) -> None:
    """Writes the run's state, replacing the one before in one step.

    Args:
        folder: The run's folder.
        model: Its parameters are stored in full precision.
        optimizer: Its moments and step counts are stored.
        progress: Stored as the file's metadata.
        about: The recipe and the fingerprint of its data, checked on resuming.
    """
    tensors: dict[str, Tensor] = {}
    for name, parameter in model.named_parameters():
        tensors[f"model.{name}"] = parameter.detach().contiguous()
        for key, value in optimizer.state.get(parameter, {}).items():
            tensors[f"optimizer.{key}.{name}"] = value.detach().contiguous()
    metadata = {"progress": json.dumps(vars(progress)), "about": json.dumps(about)}
    write_bytes(folder / STATE_FILE, save(tensors, metadata=metadata))


def load_state(
    folder: Path,
    model: Transformer,
    optimizer: torch.optim.Optimizer,
    about: dict[str, Any],
) -> Progress:
    """Fills model and optimizer from the run's state and returns how far it is.

    Args:
        folder: The run's folder; one without a state is a run that has not begun.
        model: Changed in place.
        optimizer: Changed in place.
        about: The recipe and data of the run that wants to resume.

    Raises:
        ValueError: The state is damaged, or belongs to another recipe or corpus.
    """
    path = folder / STATE_FILE
    if not path.is_file():
        return Progress()
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}
        progress = _progress_from_json(json.loads(metadata["progress"]))
        stored = json.loads(metadata["about"])
    except (SafetensorError, KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} is damaged: {error}; delete it to start anew") from None
    if stored != json.loads(json.dumps(about)):
        raise ValueError(
            f"{path} belongs to a run with another recipe or corpus; choose another --run folder"
        )
    _restore(model, optimizer, tensors)
    return progress


def _progress_from_json(content: dict[str, Any]) -> Progress:
    """JSON has no tuples: the curves' points come back as lists."""
    curves = {
        name: [(step, loss) for step, loss in content[name]]
        for name in ("train_curve", "validation_curve")
    }
    return Progress(**{**content, **curves})


def _restore(
    model: Transformer, optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]
) -> None:
    keys = {name.split(".")[1] for name in tensors if name.startswith("optimizer.")}
    for name, parameter in model.named_parameters():
        parameter.data.copy_(tensors[f"model.{name}"])
        optimizer.state[parameter] = {
            key: tensors[f"optimizer.{key}.{name}"].to(parameter.device)
            for key in keys
            if f"optimizer.{key}.{name}" in tensors
        }


def fresh_optimizer(model: Transformer, config: TrainingConfig) -> torch.optim.AdamW:
    """Returns AdamW over three groups: matrices with decay, the rest without, position's own.

    The third group has its own learning rate and no decay: a table's entries are used as they are.
    """
    matrices: list[Parameter] = []
    vectors: list[Parameter] = []
    position: list[Parameter] = []
    for name, parameter in model.named_parameters():
        if name.startswith("position."):
            position.append(parameter)
        else:
            (matrices if parameter.ndim >= 2 else vectors).append(parameter)
    groups: list[dict[str, Any]] = [
        {"params": matrices, "weight_decay": config.weight_decay, "factor": 1.0},
        {"params": vectors, "weight_decay": 0.0, "factor": 1.0},
    ]
    if position:
        factor = config.position_learning_rate_factor
        groups.append({"params": position, "weight_decay": 0.0, "factor": factor})
    return torch.optim.AdamW(
        groups, lr=config.learning_rate, betas=(config.beta1, config.beta2), fused=True
    )
