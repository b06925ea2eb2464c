"""Files to take away from the page about trained models, each with the state that it came from."""

import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.charts.trained.run import HeadOfRun


def state_of(head: HeadOfRun, controls: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a file says of where it came from, as JSON can hold it.

    Args:
        head: The head that is saved.
        controls: What the page's controls say.
    """
    capture = head.capture
    return {
        **controls,
        "layer": head.layer,
        "head": head.head,
        "slope": head.slope,
        "family": capture.family,
        "attention by": capture.path,
        "configuration": capture.promise.words,
        "tokens": capture.length,
        "mean loss, nats per token": capture.mean_nll,
        "not shown": list(capture.missing),
    }


def head_npz(head: HeadOfRun, state: Mapping[str, Any]) -> bytes:
    """Returns one head's attention as a NumPy archive, its state as JSON in `state`.

    Args:
        head: The head.
        state: Where it came from.
    """
    capture = head.capture
    seen = capture.attention(*head.place)
    tokens = head.tokens
    file = io.BytesIO()
    parts: dict[str, Any] = {}
    if seen.parts is not None:
        parts = {"content": seen.content, "position": seen.position, "logits": seen.logits}
    np.savez_compressed(
        file,
        **parts,
        weights=seen.weights,
        visible=seen.visible,
        nll=capture.nll,
        tokens=np.array(tokens),
        ids=np.array([token.id for token in capture.tokens]),
        state=np.array(json.dumps(dict(state))),
    )
    return file.getvalue()


def row_csv(head: HeadOfRun, query: int, state: Mapping[str, Any]) -> bytes:
    """Returns one query's row as CSV; its first line is a comment with the state.

    Args:
        head: The head.
        query: Position of the query.
        state: Where it came from.
    """
    seen = head.capture.attention(*head.place, range(query, query + 1))
    keys = np.flatnonzero(seen.visible[0])
    columns: dict[str, Any] = {
        "key": keys,
        "token": [head.tokens[key] for key in keys],
        "distance, tokens": query - keys,
    }
    if seen.parts is not None:
        columns |= {
            "content, nats": seen.content[0, keys],
            "position, nats": seen.position[0, keys],
            "logit, nats": seen.logits[0, keys],
        }
    table = pd.DataFrame({**columns, "weight": seen.weights[0, keys]})
    return commented_csv(table, {**state, "query": query})


def heads_csv(table: pd.DataFrame, state: Mapping[str, Any]) -> bytes:
    """Returns the measures of all heads as CSV; its first line is a comment with the state."""
    kept = {key: value for key, value in state.items() if key not in ("layer", "head", "slope")}
    return commented_csv(table, kept)


def commented_csv(table: pd.DataFrame, state: Mapping[str, Any]) -> bytes:
    """Returns a table as CSV behind a line of "# " and the state as JSON."""
    return f"# {json.dumps(dict(state))}\n{table.to_csv(index=False)}".encode()


def save_row(
    head: HeadOfRun,
    query: int,
    table: pd.DataFrame,
    controls: Mapping[str, Any],
) -> None:
    """Shows what can be saved as numbers: this head, this query, all heads.

    Args:
        head: The chosen head.
        query: Position of the query that is read out.
        table: One row a head, see `trained_views.heads_table`.
        controls: What the page's controls say.
    """
    state = state_of(head, controls)
    name = f"alibi-viz-layer-{head.layer}-head-{head.head}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("Save, with the state in the file:", width="content")
        _button("this head, NPZ", f"{name}.npz", lambda: head_npz(head, state), "application/zip")
        _button(
            "this query's row, CSV",
            f"{name}-query-{query}.csv",
            lambda: row_csv(head, query, state),
            "text/csv",
        )
        _button(
            "all heads, CSV", "alibi-viz-heads.csv", lambda: heads_csv(table, state), "text/csv"
        )


def _button(label: str, name: str, data: Any, mime: str) -> None:
    st.download_button(
        label, data, file_name=name, mime=mime, key=f"save_{name}", on_click="ignore"
    )
