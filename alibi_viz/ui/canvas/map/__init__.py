"""The attention of one head over a text, or of two heads and their difference, on a canvas.

Queries, keys and the position term of a head travel, not its logits: 65 kB instead of a megabyte
for 512 tokens, and the browser makes every number of every cell from them, exactly as
`alibi_viz.inspection.adapters.records` does. A browser test compares the two. Where only the
weights are known, these travel.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from alibi_viz.charts.trained.run import HeadOfRun
from alibi_viz.figures.trained.token_map import Quantity
from alibi_viz.inspection.adapters.given import GivenLayer
from alibi_viz.inspection.adapters.records import LayerRecord
from alibi_viz.ui.canvas import SHARED, looks, pack, read_files

HERE = Path(__file__).parent
SCRIPTS = (
    *SHARED,
    "../unpack.js",
    "rounding.js",
    "head.js",
    "colours.js",
    "words.js",
    "frame.js",
    "draw.js",
    "strip.js",
    "describe.js",
    "events.js",
    "../png.js",
    "save.js",
    "view.js",
)

_COMPONENT = st.components.v2.component(
    "alibi_attention_map",
    html=(HERE / "attention_map.html").read_text(encoding="utf-8"),
    css=(HERE / "attention_map.css").read_text(encoding="utf-8"),
    js=read_files(HERE, SCRIPTS),
)

Cell = tuple[int, int]


@dataclass(frozen=True)
class MapState:
    """What the maps show besides the heads."""

    view: Quantity
    """What is coloured."""
    cell: Cell
    """(query, key) that is read out."""
    title: str
    file: str
    """Name of the picture's file, without its ending."""
    details: Mapping[str, Any]
    """What is written into the picture's file, as JSON can hold it."""


def attention_map(
    heads: Sequence[HeadOfRun],
    state: MapState,
    *,
    difference: str | None = None,
    key: str = "attention_map",
    on_cell: Callable[[Cell], None],
) -> None:
    """Shows the maps, the text under them and what can be read off.

    Args:
        heads: One head, or two over the same tokens.
        state: What to show of them.
        difference: Title of a map of the second minus the first; None for none.
        key: Name of the component on its page.
        on_cell: Called with the (query, key) that the visitor chooses.
    """
    header, arrays = map_data(heads)
    shown = {
        "view": state.view,
        "cell": list(state.cell),
        "title": state.title,
        "file": state.file,
        "state": dict(state.details),
        "difference": difference,
        "looks": looks(),
    }
    _COMPONENT(
        key=key,
        data=pack({**header, **shown}, arrays),
        on_cell_change=lambda: on_cell(_chosen(st.session_state[key]["cell"])),
    )


def _chosen(cell: Any) -> Cell:
    return int(cell[0]), int(cell[1])


def map_data(heads: Sequence[HeadOfRun]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Returns the header and the arrays from which the browser makes every number.

    Args:
        heads: Heads over the same tokens.

    Raises:
        ValueError: Their tokens differ.
    """
    tokens = heads[0].tokens
    if any(head.tokens != tokens for head in heads):
        raise ValueError("heads need the same tokens to share their axes")
    arrays: dict[str, NDArray[Any]] = {}
    abouts = []
    for index, shown in enumerate(heads):
        layer, head = shown.place
        about, own = _head_data(shown.capture.layers[layer], head)
        abouts.append({"title": shown.title if shown.name else "", "name": shown.name, **about})
        arrays |= {f"{name}{index}": array for name, array in own.items()}
    digest = hashlib.sha256(b"".join(array.tobytes() for array in arrays.values())).hexdigest()
    header = {
        "length": len(tokens),
        "tokens": tokens,
        "text": hashlib.sha256("\0".join(tokens).encode("utf-8", "replace")).hexdigest()[:16],
        # Titles and types count too: the browser keeps what it made while this stays the same.
        "heads": hashlib.sha256(f"{digest}{abouts}".encode()).hexdigest()[:16],
        "panels": abouts,
    }
    return header, arrays


def _head_data(
    record: LayerRecord | GivenLayer, head: int
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    if isinstance(record, GivenLayer):
        weights = record.weights[head].cpu().numpy()
        # Row by row up to the query's own key: what follows is masked.
        return {"isGiven": True}, {"weights": weights[np.tril_indices(len(weights))]}
    arithmetic, term = record.arithmetic, record.position
    about = {
        "scale": float(np.float32(record.scale)),
        "by": term.by if term is not None else None,
        "product": _type_name(arithmetic.product),
        "total": _type_name(arithmetic.total),
        "result": _type_name(record.q.dtype),
    }
    arrays: dict[str, NDArray[Any]] = {
        "q": record.q[head].to(arithmetic.product).float().cpu().numpy(),
        "k": record.keys_of(head).to(arithmetic.product).float().cpu().numpy(),
    }
    if term is not None:
        arrays["position"] = term.values[head].float().cpu().numpy()
    if record.visible is not None:
        arrays["mask"] = record.visible.cpu().numpy().astype(np.uint8)
    return about, arrays


def _type_name(kind: torch.dtype) -> str:
    return str(kind).removeprefix("torch.")
