"""After the softmax, how far does each head see?"""

from functools import partial
from typing import Any

import streamlit as st

from alibi_viz.figures.decay import decay_figure
from alibi_viz.figures.decay_lines import DecayCurves
from alibi_viz.figures.windows import HeadWindows, windows_figure
from alibi_viz.ui import decay
from alibi_viz.ui.controls import (
    AlibiSettings,
    alibi_controls,
    bound_control,
    control_columns,
    settle_links,
    show_notes,
)
from alibi_viz.ui.frame import look_for, page_header
from alibi_viz.ui.recipes.decay import decay_code, windows_code
from alibi_viz.ui.show import show_figure, show_table

page_header(
    "decay",
    r"\mathrm{weight}(d) = \frac{e^{\,c_d - m_h d}}{\sum_{d'=0}^{i} e^{\,c_{d'} - m_h d'}}",
)

OWN = (decay.QUERY, decay.CONTENT, decay.TRAIN_LENGTH, decay.HEAD)
AXES = (decay.DISTANCE_AXIS, decay.WEIGHT_AXIS)


@st.fragment
def body() -> None:
    """Controls, figures, sentence and table: all that a control changes."""
    settle_links(*OWN, *AXES)
    settings, _ = alibi_controls()
    columns = control_columns((*OWN, *AXES), [3, 3, 3, 2, 2, 2])
    own = {control.key: bound_control(control, columns[control.key]) for control in (*OWN, *AXES)}
    show_notes(*OWN, *AXES)
    n_key = decay.query_position(settings.length, own["query"]) + 1
    summary = decay.decay_summary(
        settings.heads,
        settings.exponent,
        settings.rule,
        n_key,
        strength=own["content"],
        train_length=own["trained"],
        even=own["distance"] == "linear",
    )
    left, right = st.columns([3, 2], gap="medium")
    with left:
        curves_chart(settings, summary, own, n_key)
    with right:
        windows_chart(settings, summary, own, n_key)
    look_for(decay.decay_sentence(settings, summary, own["content"], own["trained"]))
    st.caption(decay.table_note(own["content"]))
    show_table(
        decay.decay_table(settings.slopes, summary),
        key="decay_heads",
        columns=decay.table_columns(),
    )


def curves_chart(
    settings: AlibiSettings, summary: decay.DecaySummary, own: dict[str, Any], n_key: int
) -> None:
    """Weight by distance and its running sum, for all heads."""
    trained, chosen = own["trained"], decay.chosen_head(settings, own["head"])
    curves = DecayCurves(
        settings.slopes,
        summary.distances,
        summary.weights,
        summary.held,
        settings.length,
        trained,
    )
    logs = {"log_distance": own["distance"] == "log", "log_weight": own["weight"] == "log"}
    show_figure(
        partial(decay_figure, curves, chosen=chosen, **logs),
        key="decay",
        title=decay.DECAY_TITLE,
        state=decay.state(settings, n_key, own["content"])
        | {"training length": f"{trained} tokens"},
        alt=decay.decay_alt(settings, n_key),
        code=decay_code(
            settings, n_key, strength=own["content"], train_length=trained, chosen=chosen, **logs
        ),
    )


def windows_chart(
    settings: AlibiSettings, summary: decay.DecaySummary, own: dict[str, Any], n_key: int
) -> None:
    """How many of the nearest keys hold a share of each head's attention."""
    chosen = decay.chosen_head(settings, own["head"])
    windows = HeadWindows(settings.slopes, decay.MASSES, summary.windows, n_key)
    show_figure(
        partial(windows_figure, windows, chosen=chosen),
        key="windows",
        title=decay.WINDOWS_TITLE,
        state=decay.state(settings, n_key, own["content"]),
        alt=decay.windows_alt(summary),
        code=windows_code(
            settings,
            n_key,
            strength=own["content"],
            train_length=own["trained"],
            chosen=chosen,
        ),
    )


body()
