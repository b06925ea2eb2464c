"""What the canvas components share: their scripts, their colours, and how arrays reach them.

Streamlit takes bytes for a component only as the whole of its data. So a header of JSON and the
arrays travel as one piece of bytes: no text form of numbers, no copy in the browser.
"""

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alibi_viz.figures import theme

# What every canvas component needs first; unpack.js and png.js are for those that ask for them.
SHARED = tuple(f"../{name}.js" for name in ("component", "look", "hands", "words", "ramp", "axes"))
# The live view's own, after those, in the order in which they need each other.
LIVE = tuple(
    f"{name}.js"
    for name in "formula raster grid ladder row map describe sliders events view".split()
)
# Enough steps for the eye; a canvas takes a head's place on the ramp between them.
_RAMP_STEPS = 64
# Typed arrays of the browser must start at a multiple of their item's size.
ALIGNMENT = 8
# Types that the browser has arrays for.
TYPES = ("float32", "int32", "uint8")


def read_files(folder: Path, names: Sequence[str]) -> str:
    """Returns text files joined, in order.

    Args:
        folder: Where names are looked for.
        names: Files, those of this package as "../axes.js".
    """
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Returns a header and arrays as one piece of bytes; unpack.js is the other end.

    Four bytes give the length of the JSON that follows; "arrays" in it gives each array's type,
    shape and place, counted from the end of the JSON, padded to a multiple of eight.

    Args:
        header: What JSON can hold.
        arrays: Arrays of any shape, float32, int32 or uint8.

    Raises:
        ValueError: An array of another type.
    """
    places, parts, offset = {}, [], 0
    for name, array in arrays.items():
        if array.dtype.name not in TYPES:
            raise ValueError(f"{name} must be one of {', '.join(TYPES)}, got {array.dtype}")
        data = np.ascontiguousarray(array).tobytes()
        places[name] = {"type": array.dtype.name, "shape": list(array.shape), "start": offset}
        padded = data + bytes(-len(data) % ALIGNMENT)
        parts.append(padded)
        offset += len(padded)
    text = json.dumps({**header, "arrays": places}, ensure_ascii=True).encode("ascii")
    text += b" " * (-(4 + len(text)) % ALIGNMENT)
    return struct.pack("<I", len(text)) + text + b"".join(parts)


def looks() -> dict[str, dict[str, Any]]:
    """Returns the colours of both themes, for a canvas that follows the theme by itself."""
    return {name: _look(is_dark) for name, is_dark in (("light", False), ("dark", True))}


def _look(dark: bool) -> dict[str, Any]:
    surface = theme.surface(dark)
    return {
        **asdict(surface),
        "shade": theme.with_alpha(surface.accent, 0.12),
        "heads": list(theme.head_colours(_RAMP_STEPS, dark)),
        "map": list(theme.map_stops()),
        "difference": list(theme.difference_stops(dark)),
        "reads": theme.reads_colour(dark),
        "readBy": theme.read_by_colour(dark),
    }
