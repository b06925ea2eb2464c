"""After the softmax, how far does each head see?"""

from functools import partial

import streamlit as st

from alibi_viz.exhibits import decay as exhibit
from alibi_viz.figures.decay import decay_figure
from alibi_viz.figures.windows import HeadWindows, windows_figure
from alibi_viz.ui.decay import controls as decay
from alibi_viz.ui.frame.header import look_for, page_header
from alibi_viz.ui.link.controls import AlibiSettings, alibi_controls, settle_links
from alibi_viz.ui.recipes.decay import decay_code, windows_code
from alibi_viz.ui.show.figure import show_figure, show_table

page_header(
    "decay",
    r"\mathrm{weight}(d) = \frac{e^{\,c_d - m_h d}}{\sum_{d'=0}^{i} e^{\,c_{d'} - m_h d'}}",
)


@st.fragment
def body() -> None:
    """Controls, figures, sentence and table: all that a control changes."""
    settle_links(*decay.CONTROLS)
    settings, _ = alibi_controls()
    own = decay.decay_controls(settings.heads)
    n_key = decay.query_position(settings.length, own.query) + 1
    summary = decay.decay_summary(
        settings.heads,
        settings.exponent,
        settings.rule,
        n_key,
        strength=own.strength,
        train_length=own.train_length,
        even=not own.log_distance,
    )
    left, right = st.columns([3, 2], gap="medium")
    with left:
        curves_chart(settings, summary, own, n_key)
    with right:
        windows_chart(settings, summary, own, n_key)
    look_for(exhibit.decay_sentence(settings.slopes, summary, own.strength, own.train_length))
    st.caption(exhibit.table_note(own.strength))
    show_table(
        exhibit.decay_table(settings.slopes, summary),
        key="decay_heads",
        columns=decay.table_columns(),
    )


def curves_chart(
    settings: AlibiSettings, summary: exhibit.DecaySummary, own: decay.DecaySettings, n_key: int
) -> None:
    """Weight by distance and its running sum, for all heads."""
    trained, chosen = own.train_length, own.head - 1
    curves = exhibit.decay_curves(
        settings.slopes, summary, length=settings.length, train_length=trained
    )
    logs = {"log_distance": own.log_distance, "log_weight": own.log_weight}
    show_figure(
        partial(decay_figure, curves, chosen=chosen, **logs),
        key="decay",
        title=exhibit.DECAY_TITLE,
        state=decay.state(settings, n_key, own.strength) | {"training length": f"{trained} tokens"},
        alt=exhibit.decay_alt(settings.slopes, n_key),
        code=decay_code(
            settings, n_key, strength=own.strength, train_length=trained, chosen=chosen, **logs
        ),
    )


def windows_chart(
    settings: AlibiSettings, summary: exhibit.DecaySummary, own: decay.DecaySettings, n_key: int
) -> None:
    """How many of the nearest keys hold a share of each head's attention."""
    chosen = own.head - 1
    windows = HeadWindows(settings.slopes, exhibit.MASSES, summary.windows, n_key)
    show_figure(
        partial(windows_figure, windows, chosen=chosen),
        key="windows",
        title=exhibit.WINDOWS_TITLE,
        state=decay.state(settings, n_key, own.strength),
        alt=exhibit.windows_alt(summary),
        code=windows_code(
            settings,
            n_key,
            strength=own.strength,
            train_length=own.train_length,
            chosen=chosen,
        ),
    )


body()
