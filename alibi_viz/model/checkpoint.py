"""Checkpoints: `model.safetensors` and `config.json` in one folder; nothing is ever unpickled.

Parameters are stored in float16, which moves the perplexity of the bundled models by less than
0.1 %, and computed with in float32. Slopes and biases are not stored: the configuration tells them.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from alibi_viz.files import read_json, write_bytes, write_json
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer
from alibi_viz.paths import CHECKPOINTS

SCHEMA = 1
WEIGHTS_FILE = "model.safetensors"
CONFIG_FILE = "config.json"
PICKLED = (".pt", ".pth", ".bin", ".ckpt", ".pkl", ".pickle")


def save_checkpoint(
    folder: Path,
    model: Transformer,
    about: dict[str, Any],
    *,
    dtype: torch.dtype = torch.float16,
) -> None:
    """Writes a model and what is known of it; the configuration last, so that it means "complete".

    Args:
        folder: Made if missing; a checkpoint in it is replaced.
        model: Left as it is.
        about: Data, tokenizer, seed, steps, tokens, losses, versions, command; as JSON can hold it.
        dtype: Of the stored numbers.
    """
    tensors = {
        name: parameter.detach().to("cpu", dtype).contiguous()
        for name, parameter in model.named_parameters()
    }
    write_bytes(folder / WEIGHTS_FILE, save(tensors, metadata={"format": "pt"}))
    content = {"schema": SCHEMA, "model": asdict(model.config), **about}
    write_json(folder / CONFIG_FILE, content)


def read_about(folder: Path) -> dict[str, Any]:
    """Returns the content of a checkpoint's `config.json`.

    Raises:
        ValueError: No checkpoint there, a pickled one, or one of another schema.
    """
    path = folder / CONFIG_FILE
    if not path.is_file():
        _refuse_pickles(folder)
        raise ValueError(f"no checkpoint in {folder}: it has no {CONFIG_FILE}")
    content = read_json(path)
    if not isinstance(content, dict) or "schema" not in content or "model" not in content:
        raise ValueError(f"{path} is not the configuration of an ALiBi Viz checkpoint")
    if content["schema"] != SCHEMA:
        raise ValueError(f"{path} has schema {content['schema']!r}, this version reads {SCHEMA}")
    return content


def _refuse_pickles(folder: Path) -> None:
    pickles = (
        [folder]
        if folder.is_file() and folder.suffix in PICKLED
        else sorted(path for path in folder.glob("*") if path.suffix in PICKLED)
    )
    if pickles:
        raise ValueError(
            f"{pickles[0]} is pickled, and unpickling runs whatever code is in it: "
            "only safetensors are read"
        )


def load_checkpoint(
    folder: Path, device: torch.device | None = None
) -> tuple[Transformer, dict[str, Any]]:
    """Returns the model stored in `folder`, in float32 and ready to evaluate, and what is known.

    Args:
        folder: With `model.safetensors` and `config.json`.
        device: Where to put the model; the CPU if left out.

    Raises:
        ValueError: No checkpoint, a damaged or pickled one, another schema, or parameters that do
            not fit the configuration; the message names the file and the reason.
    """
    about = read_about(folder)
    try:
        config = ModelConfig(**about["model"])
    except TypeError as error:
        raise ValueError(f"{folder / CONFIG_FILE} describes an unknown model: {error}") from None
    path = folder / WEIGHTS_FILE
    if not path.is_file():
        _refuse_pickles(folder)
        raise ValueError(f"no parameters at {path}")
    try:
        tensors = load(path.read_bytes())
    except SafetensorError as error:
        raise ValueError(f"{path} is damaged: {error}") from None
    model = Transformer(config)
    try:
        model.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
    except RuntimeError as error:
        # torch's message spans lines.
        reason = " ".join(str(error).split())
        raise ValueError(f"{path} does not fit its {CONFIG_FILE}: {reason}") from None
    return model.to(device).eval(), about


def find_checkpoints(folders: list[Path]) -> list[Path]:
    """Returns `folders`, or every committed checkpoint if there are none.

    Raises:
        ValueError: Nothing to evaluate.
    """
    found = folders or sorted(path.parent for path in CHECKPOINTS.glob("*/config.json"))
    if not found:
        raise ValueError(f"no checkpoints in {CHECKPOINTS}")
    return found
