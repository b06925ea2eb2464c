"""All heads of a model over one text, as small pictures: choose one."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from alibi_viz.figures.distance import READ_BACK_ROUNDING, nearest_power
from alibi_viz.figures.theme import colours_by_slope, surface
from alibi_viz.figures.trained.token_map import FAINTEST
from alibi_viz.ui.canvas import SHARED, looks, pack, read_files

HERE = Path(__file__).parent
SCRIPTS = (*SHARED, "../unpack.js", "layout.js", "grid.js")

_COMPONENT = st.components.v2.component(
    "alibi_attention_grid",
    html=(HERE / "grid.html").read_text(encoding="utf-8"),
    css=(HERE / "grid.css").read_text(encoding="utf-8"),
    js=read_files(HERE, SCRIPTS),
)


def attention_grid(
    thumbnails: NDArray[np.float32],
    *,
    slopes: NDArray[np.float64] | None,
    order: Sequence[int],
    words: Sequence[str],
    chosen: int,
    is_table: bool,
    title: str,
    on_head: Callable[[int], None],
    key: str = "attention_grid",
) -> None:
    """Shows the pictures.

    Args:
        thumbnails: (layer, head, row, column) largest weight of each part of a map.
        slopes: (layer, head) in nats per token; None where there are none.
        order: Heads in the order to show them, counted through all layers from 0.
        words: What to say of each head, in the order of layers and heads.
        chosen: The chosen head, counted like `order`.
        is_table: Whether `order` is that of layers and heads.
        title: What stands above the pictures.
        on_head: Called with the head that the visitor chooses, counted like `order`.
        key: Name of the component on its page.
    """
    n_layer, n_head, size, _ = thumbnails.shape
    # A table names each column's slope once, so its layers must agree.
    same = slopes is None or bool(np.allclose(slopes, slopes[0], rtol=1e-3))
    header: dict[str, Any] = {
        "layers": n_layer,
        "heads": n_head,
        "size": size,
        "chosen": chosen,
        "title": title,
        "isTable": is_table and same,
        "slopes": None
        if slopes is None
        else [nearest_power(slope, READ_BACK_ROUNDING) or slope for slope in slopes.ravel()],
        "colours": {name: _colours(slopes, n_layer * n_head, name) for name in ("light", "dark")},
        "words": list(words),
        "looks": looks(),
    }
    rows, columns = np.tril_indices(size)
    pictures = as_bytes(thumbnails[..., rows, columns])
    # The browser keeps its pictures while another head is chosen.
    header["pictures"] = hashlib.sha256(pictures.tobytes()).hexdigest()[:16]
    arrays: dict[str, NDArray[Any]] = {
        # (layer, head, cell) row by row up to the diagonal: what follows is masked.
        "thumbnails": pictures,
        "order": np.asarray(order, np.int32),
    }
    _COMPONENT(
        key=key,
        data=pack(header, arrays),
        on_head_change=lambda: on_head(int(st.session_state[key]["head"])),
    )


def as_bytes(weights: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Returns weights as places on the ramp, 0 to 255, along their logarithm from `FAINTEST` to 1.

    Args:
        weights: Of any shape, from 0 to 1.
    """
    with np.errstate(divide="ignore"):
        place = 1 - np.log(weights) / np.log(FAINTEST)
    places: NDArray[np.uint8] = np.round(255 * np.clip(place, 0, 1)).astype(np.uint8)
    return places


def _colours(slopes: NDArray[np.float64] | None, count: int, theme: str) -> list[str]:
    dark = theme == "dark"
    if slopes is None:
        return [surface(dark).muted] * count
    # By rank within a layer: a head's colour means its slope among its neighbours.
    return [colour for layer in slopes for colour in colours_by_slope(layer.tolist(), dark)]
