"""The controls that pages share, and how any control keeps its value in the URL.

The key of a control is its name in the URL, so that every state is a link; what a link asks for
outside the allowed values is moved to the nearest allowed one, and a note says so. The sliders
step through a list of allowed values: Streamlit refuses every other value, and the live canvas maps
the slider's index to the value by the same list.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.charts.heads import AlibiHeads
from alibi_viz.maths.slopes import (
    MAX_SLOPE_EXPONENT,
    SLOPE_RULES,
    SlopeRule,
    rules_differ,
)
from alibi_viz.ui.frame.navigation import ensure_app_run
from alibi_viz.ui.frame.presentation import hidden_values, is_shown
from alibi_viz.ui.link import notes as link_notes
from alibi_viz.ui.link.control import Control, Value, choice, text_of

MAX_HEADS = 64
MAX_LENGTH = 16_384


def _lengths() -> tuple[int, ...]:
    """Returns the lengths to choose from: every token up to 16, then eight steps an octave."""
    octaves = range(4, int(math.log2(MAX_LENGTH)))
    steps = [2**octave + part * 2**octave // 8 for octave in octaves for part in range(8)]
    return (*range(2, 16), *steps, MAX_LENGTH)


HEADS = Control(
    "heads", "heads", tuple(range(1, MAX_HEADS + 1)), 8, f"whole numbers from 1 to {MAX_HEADS}"
)
EXPONENT = Control(
    "exponent",
    "exponent",
    tuple(np.arange(0.5, 16.25, 0.25).tolist()),
    MAX_SLOPE_EXPONENT,
    "0.5 to 16 in steps of 0.25",
    help="The flattest slope is 2 to minus this power. The paper uses 8, MPT-7B-StoryWriter 16.",
)
LENGTH = Control(
    "length",
    "length, tokens",
    _lengths(),
    512,
    f"2 to {MAX_LENGTH}: every length up to 16, then eight steps for each doubling",
)
RULE = choice(
    "rule",
    "rule for this head count",
    SLOPE_RULES,
    allowed=" or ".join(SLOPE_RULES),
    help="Geometric is the closed form of the paper's text. Interleaved is the authors' code, and "
    "what nearly every trained checkpoint uses. They are equal when the head count is a power "
    "of two.",
)


def alibi_controls(
    *private: Control[Any], widths: Sequence[float] | None = None
) -> tuple[AlibiHeads, dict[str, Any]]:
    """Shows one row of controls: heads, exponent and length, a page's own, and the rule.

    The rule is there exactly when it matters; its place stays free when it does not, so that
    nothing moves.

    Args:
        private: The page's own controls, in their order from left to right.
        widths: Relative widths of heads, exponent, length, the page's own, and the rule.

    Returns:
        The shared settings, and the value of each private control by its key.
    """
    controls = (HEADS, EXPONENT, LENGTH, *private)
    settle_links(*controls, RULE)
    columns = control_columns((*controls, RULE), widths or [1] * (len(controls) + 1))
    heads = bound_control(HEADS, columns[HEADS.key])
    exponent = bound_control(EXPONENT, columns[EXPONENT.key])
    length = bound_control(LENGTH, columns[LENGTH.key])
    own = {control.key: bound_control(control, columns[control.key]) for control in private}
    rule = _rule_control(heads, columns[RULE.key])
    show_notes(*controls, RULE)
    return AlibiHeads(heads, exponent, length, rule), own


def control_columns(
    controls: Sequence[Control[Any]], widths: Sequence[float]
) -> dict[str, DeltaGenerator]:
    """Returns a column for each control that the link leaves on the page; the others have none.

    Args:
        controls: Controls from left to right.
        widths: Relative width of each.

    Returns:
        A container by the control's key.
    """
    shares = zip(controls, widths, strict=True)
    shown = {control.key: share for control, share in shares if is_shown(control.key)}
    columns = st.columns(list(shown.values()) or [1], gap="medium")
    nowhere = columns[0]
    return {control.key: nowhere for control in controls} | dict(zip(shown, columns, strict=False))


def _rule_control(heads: int, container: DeltaGenerator) -> SlopeRule:
    """Shows the rule where it matters, and remembers it where it does not."""
    kept = "_rule"
    if not rules_differ(heads):
        container.empty()
        remembered: SlopeRule = st.session_state.get(kept, RULE.default)
        return remembered
    if RULE.key not in st.session_state and kept in st.session_state:
        st.session_state[RULE.key] = st.session_state[kept]
    rule = bound_control(RULE, container)
    st.session_state[kept] = rule
    return rule


def bound_control(control: Control[Value], container: DeltaGenerator) -> Value:
    """Shows a control whose value stands in the URL, and returns that value.

    Args:
        control: What to show.
        container: Where to show it.
    """
    settle_links(control)
    if not is_shown(control.key):
        return _hidden_value(control)
    value: Value = _widget(control, container)
    st.session_state[_kept_key(control.key)] = (st.session_state.get("_page"), value)
    return value


def forget(key: str) -> None:
    """Drops what another page left a control at, so that it is not carried over.

    Args:
        key: The control's.
    """
    st.session_state.pop(_kept_key(key), None)
    hidden_values().pop(key, None)


def shown_head(asked: int, heads: int) -> int:
    """Returns the head to show, counted from 1: the one asked for, or the last there is.

    A note says so where the two differ.

    Args:
        asked: What the control of the head says.
        heads: How many heads there are.
    """
    if asked > heads:
        st.caption(
            f"There are {heads} heads; head {heads} is shown."
            if heads > 1
            else "There is 1 head; it is shown."
        )
    return min(asked, heads)


def _carried(control: Control[Any]) -> bool:
    """Writes into the link the value that a control has on the page the visitor comes from.

    Streamlit keeps the value of a widget for each page apart. What a link says goes first, and
    stays with a control that it hides: nobody could see that another page has moved it.

    Returns:
        Whether the link was changed.
    """
    if control.key in st.query_params:
        return False
    page, value = st.session_state.get(_kept_key(control.key), (None, control.default))
    if not is_shown(control.key) and control.key in hidden_values():
        value = hidden_values()[control.key]
    elif page in (None, st.session_state.get("_page")):
        return False
    st.session_state.pop(control.key, None)
    if value == control.default:
        return False
    st.query_params[control.key] = text_of(value)
    return True


def _kept_key(key: str) -> str:
    return f"_kept_{key}"


def _widget(control: Control[Any], container: DeltaGenerator) -> Any:
    common: dict[str, Any] = {"key": control.key, "help": control.help, "bind": "query-params"}
    if control.kind == "slider":
        return container.select_slider(
            control.label, control.options, value=control.default, format_func=text_of, **common
        )
    if control.kind == "number":
        ends = {"min_value": control.options[0], "max_value": control.options[-1]}
        return container.number_input(
            control.label, value=control.default, step=1, **ends, **common
        )
    if control.kind == "list":
        index = list(control.options).index(control.default)
        return container.selectbox(control.label, control.options, index=index, **common)
    return container.segmented_control(
        control.label,
        control.options,
        default=control.default,
        required=True,
        # With large type, or on a phone, more lines rather than options out of sight.
        wrap=True,
        **common,
    )


def _hidden_value(control: Control[Value]) -> Value:
    """Returns the value of a control that has no place on the page."""
    if control.key in st.session_state:
        value: Value = st.session_state[control.key]
        return value
    text = st.query_params.get(control.key)
    settled = control.default if text is None else control.nearest(text)
    hidden_values()[control.key] = settled
    return settled


def settle_links(*controls: Control[Any]) -> None:
    """Rewrites what a link asks for and may not have to the nearest allowed value, with a note.

    Only before the controls exist: later their widgets own the parameters, and a visitor can
    choose allowed values only. The page starts again with the rewritten link, so that widget, URL
    and figures agree.

    Args:
        controls: Controls that the page is about to show.
    """
    ensure_app_run()
    rewritten = False
    for control in controls:
        rewritten = _carried(control) or rewritten
        texts = st.query_params.get_all(control.key)
        if not texts or control.key in st.session_state:
            continue
        value = control.nearest(texts[-1])
        if texts != [text_of(value)]:
            st.query_params[control.key] = text_of(value)
            rewritten = True
        if not control.is_exactly(texts[-1], value):
            link_notes.keep(control.key, value, _note(control, texts[-1], value))
    if rewritten:
        st.rerun()


def _note(control: Control[Any], asked: str, value: Any) -> str:
    allowed = control.allowed or ", ".join(map(text_of, control.options))
    return link_notes.refusal(control.key, asked, shown=text_of(value), allowed=allowed)


def show_notes(*controls: Control[Any]) -> None:
    """Says which values of the link were not allowed, until their controls are moved.

    Args:
        controls: Controls that the page has shown.
    """
    kept = [link_notes.kept(control.key, st.session_state.get(control.key)) for control in controls]
    if notes := [note for note in kept if note]:
        st.warning("  \n".join(notes))
