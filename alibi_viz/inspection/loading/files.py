"""What a model directory holds, found out before anything of it is loaded: formats and sizes.

Only JSON is read, and the headers of safetensors files (a length and JSON). Nothing is unpickled.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from alibi_viz.child.limits import USABLE, available_memory
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.loading.boundary import boundary, read_foreign_json
from alibi_viz.inspection.loading.header import StoredTensor, read_header
from alibi_viz.words import plain_text

PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
# Bytes. Configurations with the names of 20,000 classes have one million.
LARGEST_CONFIG, LARGEST_INDEX = 4_000_000, 32_000_000
MOST_SHARDS = 200
# Tokens that the memory estimate is made for.
ESTIMATE_LENGTH = 2048


@dataclass(frozen=True)
class ModelFiles:
    """A directory with a readable model."""

    directory: Path
    root: Path
    """Folder that all files lie in: the directory, or the hub's cache of this model."""
    kind: Literal["own", "hugging_face"]
    """Whether this project wrote it, or it is in the format of `transformers`."""
    config: dict[str, Any]
    """config.json."""
    shards: tuple[Path, ...]
    """The files with the weights."""
    tensors: dict[str, StoredTensor]
    """What their headers describe, by name."""
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


def examine(directory: Path, root: Path | None = None) -> ModelFiles:
    """Returns what a directory holds, without loading it.

    Args:
        directory: With config.json and safetensors.
        root: Folder that all its files must lie in, links included; the directory, if left out.

    Raises:
        UnreadableModel: No such directory, no configuration, no safetensors, or damaged ones.
    """
    root = root or directory
    with boundary(directory.name, "cannot be read"):
        if not directory.is_dir():
            raise UnreadableModel(plain_text(f"{directory}: no such directory"))
        if not (directory / CONFIG).exists():
            reason = "holds no config.json, so it is no model directory"
            raise UnreadableModel(plain_text(f"{directory.name} {reason}"))
        config = read_foreign_json(directory / CONFIG, root, LARGEST_CONFIG)
        shards = tuple(directory / name for name in _shard_names(directory, root))
        tensors: dict[str, StoredTensor] = {}
        for shard in shards:
            header = read_header(shard, root)
            if twice := sorted(header.keys() & tensors.keys()):
                raise UnreadableModel(plain_text(f"{shard.name} holds {twice[0]!r} once more"))
            tensors |= header
        stored = sum(tensor.n_bytes for tensor in tensors.values())
    kind: Literal["own", "hugging_face"] = "hugging_face" if "model_type" in config else "own"
    return ModelFiles(directory, root, kind, config, shards, tensors, stored)


def _shard_names(directory: Path, root: Path) -> list[str]:
    """Returns the files that hold the weights: one, or those that an index lists."""
    if (directory / WEIGHTS).exists():
        return [WEIGHTS]
    index = directory / INDEX
    if not index.exists():
        raise UnreadableModel(_why_no_weights(directory))
    places = read_foreign_json(index, root, LARGEST_INDEX).get("weight_map")
    names = set(places.values()) if isinstance(places, dict) else set()
    if not names or not all(isinstance(name, str) for name in names):
        raise UnreadableModel(f"{INDEX} is damaged: it names no files")
    for name in names:
        if name != Path(name).name or not name.endswith(".safetensors"):
            raise UnreadableModel(plain_text(f"{INDEX} names {name!r}, which is no file beside it"))
    if len(names) > MOST_SHARDS:
        raise UnreadableModel(f"{INDEX} is damaged: it names {len(names):,} files")
    return sorted(names)


def _why_no_weights(directory: Path) -> str:
    pickles = sorted(path.name for pattern in PICKLES for path in directory.glob(pattern))
    if pickles:
        return plain_text(
            f"{directory.name} has its weights only in {pickles[0]}, a pickle, which could run any "
            "program when opened; it is never opened here. Convert it to safetensors first"
        )
    return plain_text(f"{directory.name} holds no weights: neither {WEIGHTS} nor {INDEX}")


def estimate_memory(files: ModelFiles, length: int = ESTIMATE_LENGTH) -> MemoryEstimate:
    """Returns what loading the model and running it on `length` tokens takes.

    Working memory: one layer's logits and weights in float32 (three copies while the softmax
    runs), the queries and keys of all layers, and the logits of a block of tokens.
    """
    given = files.config.get("model")
    config = given if isinstance(given, dict) else files.config
    n_head = _first(config, "n_head", "n_heads", "num_attention_heads", default=16)
    n_layer = _first(config, "n_layer", "n_layers", "num_hidden_layers", default=24)
    d_model = _first(config, "d_model", "hidden_size", "n_embd", "n_embed", default=1024)
    vocabulary = _first(config, "vocab_size", default=50_000)
    cube = 3 * 4 * n_head * length**2
    kept = 2 * 4 * n_layer * length * d_model
    unrolled = 3 * 4 * 128 * vocabulary
    return MemoryEstimate(files.weight_bytes, cube + kept + unrolled, available_memory())


def _first(config: dict[str, Any], *names: str, default: int) -> int:
    found = (config[name] for name in names if type(config.get(name)) is int and config[name] > 0)
    return next(found, default)
