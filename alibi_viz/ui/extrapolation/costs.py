"""What each method costs, as tables: measured on one machine in one run, and from the paper."""

from collections.abc import Collection, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from alibi_viz.evaluation.records import CostRecord
from alibi_viz.positions import METHODS
from alibi_viz.published.cited import cited_numbers
from alibi_viz.ui.frame.header import look_for
from alibi_viz.ui.show.drawn import ready_table
from alibi_viz.ui.show.figure import show_table
from alibi_viz.words import listed

PAPER_CAPTION = (
    "Press, Smith and Lewis, arXiv:2108.12409v2, Table 1 (p15): 247M parameters, WikiText-103, "
    "windows of 1,024 tokens, one V100. Its footnote 5: optimised rotary code is only 2 % slower "
    "than sinusoidal. Not our measurement."
)
_SPEED = "training, tokens/s"
_SHARE = "training, of sinusoidal"
_MEMORY = "training, MB"


def show_costs(rows: tuple[CostRecord, ...]) -> None:
    """Shows what each method costs, measured and published; nothing where none was measured.

    Args:
        rows: Measured in one run.
    """
    if not rows:
        return
    st.header("What it costs", anchor=False)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.caption(measured_caption(rows))
        columns = number_columns({row.window for row in rows})
        show_table(ready_table(measured_table, rows), key="cost", columns=columns)
    with right:
        st.caption(PAPER_CAPTION)
        show_table(ready_table(paper_table), key="cost_paper", columns=number_columns())
    look_for(cost_sentence(rows))


def measured_caption(rows: Sequence[CostRecord]) -> str:
    """Returns where the numbers were measured, and how."""
    return (
        f"Measured here in one run ({rows[0].machine}): models of the experiment's size, the "
        f"fastest of several rounds in turn. Speeds as shares of sinusoidal's. "
        f"`{rows[0].command}`"
    )


def measured_table(rows: Sequence[CostRecord]) -> pd.DataFrame:
    """Returns one row a method: parameters, training, and evaluation at every length.

    Args:
        rows: Measured in one run.
    """
    table = []
    for key, method in METHODS.items():
        own = [row for row in rows if row.method == key]
        training = [row for row in own if row.work == "training"]
        if not training:
            continue
        table.append(
            {
                "method": method.label,
                "parameters": training[0].parameters,
                _SPEED: training[0].tokens_per_second,
                _SHARE: training[0].speed_over_sinusoidal,
                _MEMORY: training[0].megabytes,
            }
            | {
                f"evaluation at {row.window:,}, of sinusoidal": row.speed_over_sinusoidal
                for row in own
                if row.work == "evaluation"
            }
        )
    return pd.DataFrame(table)


def paper_table() -> pd.DataFrame:
    """Returns the paper's Table 1 for windows of 1,024 tokens, one row a method."""
    cited = cited_numbers()
    return pd.DataFrame(
        {
            "method": METHODS[key].label,
            "training, words/s": cited[f"train_speed_{key}_1024"].number,
            "evaluation, words/s": cited[f"eval_speed_{key}_1024"].number,
            "training memory, GB": cited[f"memory_{key}_1024"].number,
        }
        for key in METHODS
        if f"train_speed_{key}_1024" in cited
    )


def number_columns(windows: Collection[int] = ()) -> dict[str, Any]:
    """Returns how the page shows the numbers of both tables.

    Args:
        windows: Tokens in the evaluation windows that have columns.
    """
    whole = st.column_config.NumberColumn(format="localized")
    names = ("parameters", _SPEED, "training, words/s", "evaluation, words/s")
    shares = [f"evaluation at {length:,}, of sinusoidal" for length in windows]
    return (
        {name: whole for name in names}
        | {name: st.column_config.NumberColumn(format="%.2f") for name in (_SHARE, *shares)}
        | {_MEMORY: st.column_config.NumberColumn(format="%.0f")}
    )


def cost_sentence(rows: Sequence[CostRecord]) -> str:
    """Returns what ALiBi costs beside sinusoidal positions, who is slowest, and what is noise."""
    training = {row.method: row for row in rows if row.work == "training"}
    step = {key: 1 / row.speed_over_sinusoidal for key, row in training.items()}
    slowest = max(step, key=lambda key: step[key])
    speeds = {
        row.window: row.speed_over_sinusoidal
        for row in rows
        if (row.method, row.work) == ("alibi", "evaluation")
    }
    longest = max(speeds)
    text = (
        f"an ALiBi step takes {step['alibi']:.2f}× as long as a sinusoidal one; "
        f"{METHODS[slowest].label}, the slowest, takes {step[slowest]:.2f}×. "
        f"{_noise(step)}In windows of {longest:,} tokens ALiBi is evaluated at "
        f"{speeds[longest]:.1f}× the speed of sinusoidal positions"
    )
    if speeds[longest] > 1:
        text += ", because far keys can be left out without changing the result"
    shorter = {window: speed for window, speed in speeds.items() if window < longest}
    if shorter:
        text += f"; at {_range(shorter.keys(), ',')} tokens at {_range(shorter.values(), '.2f')}"
    return f"{text}."


def _noise(step: dict[str, float]) -> str:
    """Returns how far methods differ that do nearly the same work in a training step."""
    # Nothing, or one addition to the embeddings.
    alike = {
        method.label: step[key]
        for key, method in METHODS.items()
        if method.acts_on in ("embedding", "nowhere") and key in step
    }
    if len(alike) < 2:
        return ""
    return (
        f"{listed(list(alike))} do nearly the same work and differ by up to "
        f"{100 * (max(alike.values()) / min(alike.values()) - 1):.0f} % here: smaller differences "
        "mean nothing. "
    )


def _range(numbers: Collection[float], digits: str) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:{digits}}" if low == high else f"{low:{digits}} to {high:{digits}}"
