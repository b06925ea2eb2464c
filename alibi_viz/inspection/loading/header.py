"""The header of a safetensors file, held to its format before a byte of the weights is read."""

import json
import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.loading.boundary import boundary, read, resolved
from alibi_viz.words import plain_text

LARGEST_HEADER = 32_000_000
"""Bytes; the format allows 100 MB, models with 100,000 tensors need 15."""
_MOST_AXES = 8
# Bits of each type that torch has too.
_BITS = {
    **{"BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "I16": 16, "U16": 16},
    **{"F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32, "F64": 64, "I64": 64, "U64": 64},
}


@dataclass(frozen=True)
class StoredTensor:
    """What a header says of one tensor."""

    dtype: str
    """Its type, as the format spells it, e.g. "BF16"."""
    shape: tuple[int, ...]

    @property
    def count(self) -> int:
        """Numbers in it."""
        return math.prod(self.shape)

    @property
    def n_bytes(self) -> int:
        """What it takes in memory."""
        return self.count * _BITS[self.dtype] // 8


def read_header(path: Path, root: Path) -> dict[str, StoredTensor]:
    """Returns the tensors of a safetensors file, by name.

    Args:
        path: The file.
        root: Folder that it must lie in.

    Raises:
        UnreadableModel: Not of the format, or not as long as it says.
    """
    length = resolved(path, root).stat().st_size
    with boundary(path.name, "is damaged"):
        (size,) = struct.unpack("<Q", read(path, root, 8))
        if size > min(LARGEST_HEADER, length - 8):
            raise _damaged(path, f"its header claims {size:,} bytes of {length:,}")
        header = json.loads(read(path, root, 8 + size)[8:])
        if not isinstance(header, dict):
            raise _damaged(path, f"its header is a {type(header).__name__}")
        header.pop("__metadata__", None)
        entries = {name: _entry(path, name, entry) for name, entry in header.items()}
    end = 0
    for name, (_, start, stop) in sorted(entries.items(), key=lambda item: item[1][1:]):
        if start != end:
            raise _damaged(path, f"{name!r} begins at byte {start:,}, not at {end:,}")
        end = stop
    if length != 8 + size + end:
        raise _damaged(path, f"{length:,} bytes long, its header describes {8 + size + end:,}")
    return {name: tensor for name, (tensor, _, _) in entries.items()}


def _entry(path: Path, name: str, entry: Any) -> tuple[StoredTensor, int, int]:
    """Returns a tensor with the first byte of its numbers and the one behind the last."""
    if not isinstance(entry, dict) or not {"dtype", "shape", "data_offsets"} <= set(entry):
        raise _damaged(path, f"its header does not say what {name!r} is")
    shape, offsets, kind = entry["shape"], entry["data_offsets"], entry["dtype"]
    if kind not in _BITS:
        raise _damaged(path, f"{name!r} has the unknown type {kind!r}")
    if not (_are_counts(shape) and len(shape) <= _MOST_AXES):
        raise _damaged(path, f"{name!r} has the shape {shape!r}")
    if not (_are_counts(offsets) and len(offsets) == 2):
        raise _damaged(path, f"{name!r} has the data_offsets {offsets!r}")
    tensor = StoredTensor(kind, tuple(shape))
    if 8 * (offsets[1] - offsets[0]) != tensor.count * _BITS[kind]:
        raise _damaged(path, f"{name!r} has {offsets[1] - offsets[0]:,} bytes for {shape} {kind}")
    return tensor, offsets[0], offsets[1]


def _are_counts(values: Any) -> bool:
    return isinstance(values, list) and all(type(v) is int and 0 <= v < 2**48 for v in values)


def _damaged(path: Path, reason: str) -> UnreadableModel:
    return UnreadableModel(plain_text(f"{path.name} is damaged: {reason}"))
