"""What a model directory holds, found out before anything of it is loaded: formats and sizes.

Only JSON is read, and the headers of safetensors files (a length and JSON). Nothing is unpickled.
"""

import json
import math
import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from alibi_viz.inspection.errors import UnreadableModel

PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
# The safetensors format allows 100 MB; a header of more than that is not one.
LARGEST_HEADER = 100_000_000
# Tokens that the memory estimate is made for.
ESTIMATE_LENGTH = 2048
# Share of the free memory that a model and its first run may take.
USABLE = 0.8


@dataclass(frozen=True)
class ModelFiles:
    """A directory with a readable model."""

    directory: Path
    kind: Literal["own", "hugging_face"]
    """Whether this project wrote it, or it is in the format of `transformers`."""
    config: dict[str, Any]
    """config.json."""
    weight_bytes: int
    """What the weights take in memory, as stored."""


@dataclass(frozen=True)
class MemoryEstimate:
    """What loading a model and running it once will take."""

    weights: int
    """Bytes."""
    working: int
    """Bytes for one run of `length` tokens."""
    available: int | None
    """Bytes free now; None where the system does not say."""

    @property
    def needed(self) -> int:
        """Bytes in all."""
        return self.weights + self.working

    @property
    def is_too_large(self) -> bool:
        """Whether it would not fit."""
        return self.available is not None and self.needed > USABLE * self.available

    @property
    def sentence(self) -> str:
        """The estimate in words."""
        free = "" if self.available is None else f"; {gigabytes(self.available)} are free"
        return (
            f"needs about {gigabytes(self.needed)} of memory ({gigabytes(self.weights)} of "
            f"weights, {gigabytes(self.working)} to run){free}"
        )


def gigabytes(count: int) -> str:
    """Returns a number of bytes in GB with two significant digits, or in MB below 0.1 GB.

    >>> gigabytes(2_300_000_000), gigabytes(40_000_000)
    ('2.3 GB', '40 MB')
    """
    if count < 100_000_000:
        return f"{math.ceil(count / 1e6):.0f} MB"
    return f"{count / 1e9:.2g} GB" if count < 1e11 else f"{count / 1e9:.0f} GB"


def examine(directory: Path) -> ModelFiles:
    """Returns what a directory holds, without loading it.

    Raises:
        UnreadableModel: No such directory, no configuration, no safetensors, or damaged ones.
    """
    if not directory.is_dir():
        raise UnreadableModel(f"{directory}: no such directory")
    config = _config(directory)
    shards = sorted(directory.glob("*.safetensors"))
    if not shards:
        raise UnreadableModel(_why_no_weights(directory))
    kind: Literal["own", "hugging_face"] = "hugging_face" if "model_type" in config else "own"
    return ModelFiles(directory, kind, config, sum(_stored_bytes(shard) for shard in shards))


def _config(directory: Path) -> dict[str, Any]:
    path = directory / "config.json"
    if not path.is_file():
        raise UnreadableModel(f"{directory} holds no config.json, so it is no model directory")
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise UnreadableModel(f"{path} is damaged: {error}") from error
    if not isinstance(config, dict):
        raise UnreadableModel(f"{path} holds no settings, but a {type(config).__name__}")
    return config


def _why_no_weights(directory: Path) -> str:
    pickles = sorted(path.name for pattern in PICKLES for path in directory.glob(pattern))
    if pickles:
        return (
            f"{directory} has its weights only in {pickles[0]}, a pickle, which could run any "
            "program when opened; it is never opened here. Convert it to safetensors first"
        )
    return f"{directory} holds no weights: no file ends in .safetensors"


def _stored_bytes(shard: Path) -> int:
    """Returns what the weights in a safetensors file take, in bytes, from its header."""
    try:
        with shard.open("rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            if size > LARGEST_HEADER:
                raise UnreadableModel(f"{shard} is damaged: its header claims {size} bytes")
            header = json.loads(file.read(size))
    except (struct.error, ValueError) as error:
        raise UnreadableModel(f"{shard} is damaged: no readable header ({error})") from error
    tensors = [entry for name, entry in header.items() if name != "__metadata__"]
    stored: int = max((entry["data_offsets"][1] for entry in tensors), default=0)
    if shard.stat().st_size != 8 + size + stored:
        raise UnreadableModel(
            f"{shard} is damaged: {shard.stat().st_size} bytes long, "
            f"its header describes {8 + size + stored}"
        )
    return stored


def estimate_memory(files: ModelFiles, length: int = ESTIMATE_LENGTH) -> MemoryEstimate:
    """Returns what loading the model and running it on `length` tokens takes.

    Working memory: one layer's logits and weights in float32 (three copies while the softmax
    runs), the queries and keys of all layers, and the logits of a block of tokens.
    """
    config = files.config.get("model", files.config)
    n_head = _first(config, "n_head", "n_heads", "num_attention_heads", default=16)
    n_layer = _first(config, "n_layer", "n_layers", "num_hidden_layers", default=24)
    d_model = _first(config, "d_model", "hidden_size", "n_embd", "n_embed", default=1024)
    vocabulary = _first(config, "vocab_size", default=50_000)
    cube = 3 * 4 * n_head * length**2
    kept = 2 * 4 * n_layer * length * d_model
    unrolled = 3 * 4 * 128 * vocabulary
    return MemoryEstimate(files.weight_bytes, cube + kept + unrolled, available_memory())


def _first(config: dict[str, Any], *names: str, default: int) -> int:
    found = (config[name] for name in names if isinstance(config.get(name), int))
    return next(found, default)


def available_memory() -> int | None:
    """Returns the bytes that can still be used, None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        fields = dict(line.split(":", 1) for line in lines)
        return int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None
