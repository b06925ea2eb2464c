"""How parameters keep their values in the URL: settled, shown, carried from page to page.

The key of a parameter is its name in the URL, so that every state is a link. What a link asks for
outside the allowed values is moved to the nearest allowed one, and a note says so for as long as
that value stands. Streamlit binds its widgets to the URL (`bound_control`); what no widget owns,
the head chosen in a canvas or the step of a lesson, is kept here (`linked`, `choose`).
"""

from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.ui.frame.presentation import (
    LARGE_SCALE,
    current_page,
    is_shown,
    type_scale,
)
from alibi_viz.ui.link.parameter import Control, Numbers, Parameter, Several, Value, text_of

_MOST_BUTTONS = 3


def settle_links(*parameters: Parameter[Any]) -> None:
    """Rewrites what a link asks for and may not have to the nearest allowed value, with a note.

    Only before the controls exist: later their widgets own the parameters, and a visitor can
    choose allowed values only. The page starts again with the rewritten link, so that widget, URL
    and figures agree.

    Args:
        parameters: What the page is about to show controls of.
    """
    rewritten = False
    for parameter in parameters:
        if not is_shown(parameter.key):
            continue
        rewritten = _carried(parameter) or rewritten
        texts = st.query_params.get_all(parameter.key)
        if not texts or parameter.key in st.session_state:
            continue
        value = parameter.nearest(*texts)
        if texts != parameter.spelled(value):
            st.query_params[parameter.key] = parameter.spelled(value)
            rewritten = True
        _keep_note(parameter, value, texts)
    if rewritten:
        st.rerun()


def bound_control(parameter: Parameter[Value], container: DeltaGenerator) -> Value:
    """Shows the control of a parameter, bound to the URL, and returns its value.

    Args:
        parameter: What to show; a link may hide it.
        container: Where to show it.
    """
    if not is_shown(parameter.key):
        return linked(parameter, of=current_page())
    for name in (_kept(parameter.key, current_page()), _seen(parameter.key, current_page())):
        st.session_state.pop(name, None)
    settle_links(parameter)
    value: Value = widget(parameter, container, key=parameter.key, bind="query-params")
    st.session_state[_left_at(parameter.key)] = (current_page(), value)
    return value


def widget(parameter: Parameter[Any], container: DeltaGenerator, **more: Any) -> Any:
    """Shows the field of a parameter, and returns what it says.

    Args:
        parameter: What to show.
        container: Where to show it.
        more: The widget's key, and whether it is bound to the URL.
    """
    label, default = parameter.label, parameter.default
    if isinstance(parameter, Numbers):
        key = more.pop("key")
        return tuple(
            container.number_input(name, parameter.lowest, most, at, key=f"{key}_{name}", **more)
            for name, most, at in zip(
                parameter.labels, parameter.highest, parameter.default, strict=True
            )
        )
    more["help"] = parameter.help
    if isinstance(parameter, Several):
        several = container.pills if parameter.kind == "pills" else container.multiselect
        kind = (
            {"selection_mode": "multi", "wrap": True}
            if parameter.kind == "pills"
            else {"max_selections": parameter.most}
        )
        chosen = several(label, parameter.options, default=list(default), **kind, **more)
        return tuple(name for name in parameter.options if name in chosen)
    if not isinstance(parameter, Control):
        return container.text_input(label, default, placeholder=parameter.allowed, **more)
    options = parameter.options
    if parameter.kind == "slider":
        return container.select_slider(label, options, default, format_func=text_of, **more)
    if parameter.kind == "number":
        return container.number_input(label, options[0], options[-1], default, step=1, **more)
    if parameter.kind == "list":
        return container.selectbox(label, options, list(options).index(default), **more)
    # In large type many options would take several lines from the figure.
    if len(options) > _MOST_BUTTONS and type_scale() == LARGE_SCALE:
        return container.selectbox(label, options, list(options).index(default), **more)
    # On a phone more lines rather than options out of sight.
    return container.segmented_control(
        label, options, default=default, required=True, wrap=True, **more
    )


def control_row(
    parameters: Sequence[Parameter[Any]], widths: Sequence[float] | None = None
) -> dict[str, Any]:
    """Shows controls in a row, with notes about bad links below it, and returns values by key.

    Args:
        parameters: Controls from left to right.
        widths: Relative width of each; equal ones if left out.
    """
    settle_links(*parameters)
    columns = control_columns(parameters, widths or [1] * len(parameters))
    values = {one.key: bound_control(one, columns[one.key]) for one in parameters}
    show_notes(*parameters)
    return values


def ask(row: DeltaGenerator, *asked: Parameter[Any]) -> list[Any]:
    """Shows controls in a row that stands already, with notes below it, and returns their values.

    Args:
        row: Where they stand.
        asked: Controls from left to right.
    """
    settle_links(*asked)
    values = [bound_control(control, row) for control in asked]
    show_notes(*asked)
    return values


def control_columns(
    controls: Sequence[Parameter[Any]], widths: Sequence[float]
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


def linked(parameter: Parameter[Value], *, of: str = "") -> Value:
    """Returns the value that session or URL hold of what no widget owns, and keeps the URL in step.

    Args:
        parameter: What to read.
        of: The page that the value belongs to; one value for all pages if empty.
    """
    key = parameter.key
    kept, seen = _kept(key, of), _seen(key, of)
    texts = st.query_params.get_all(key)
    # A choice made just now outranks the link, which the browser may not have followed up yet.
    is_chosen = st.session_state.pop(_fresh(key), False)
    if not is_chosen and texts and texts != st.session_state.get(seen):
        value = parameter.nearest(*texts)
        _keep_note(parameter, value, texts)
    elif kept in st.session_state:
        # Allowed when it was kept; other settings may have changed what is allowed.
        value = parameter.nearest(*parameter.spelled(st.session_state[kept]))
    else:
        value = parameter.default
    st.session_state[kept] = value
    st.session_state[seen] = spelled = parameter.spelled(value)
    if value == parameter.default:
        st.query_params.pop(key, None)
    elif texts != spelled:
        st.query_params[key] = spelled
    show_notes(parameter, value=value)
    return value


def choose(key: str, value: Any) -> None:
    """Remembers what a visitor chose; the next `linked` puts it into the URL.

    Args:
        key: Name in the URL.
        value: What is chosen.
    """
    st.session_state[_kept(key)] = value
    st.session_state[_fresh(key)] = True


def forget(key: str, of: str = "") -> None:
    """Drops what a visitor chose of a parameter, here or on another page.

    Args:
        key: Name in the URL.
        of: As for `linked`.
    """
    for name in (_kept(key, of), _seen(key, of), _fresh(key), _left_at(key), _note(key)):
        st.session_state.pop(name, None)


def show_notes(*parameters: Parameter[Any], value: Any = None) -> None:
    """Says which values of the link were not allowed, until their controls are moved.

    Args:
        parameters: What the page has shown controls of.
        value: What is shown, where no widget knows it.
    """
    notes = []
    for parameter in parameters:
        now = st.session_state.get(parameter.key) if value is None else value
        at, note = st.session_state.get(_note(parameter.key), (None, ""))
        # Streamlit's widgets give lists for several names.
        if note and at == (tuple(now) if isinstance(now, list) else now):
            notes.append(note)
    if notes:
        st.warning("  \n".join(notes))


def _keep_note(parameter: Parameter[Any], value: Any, texts: Sequence[str]) -> None:
    if not parameter.means(value, *texts):
        note = parameter.refusal(value, *texts)
        st.session_state[_note(parameter.key)] = (value, note)


def _carried(parameter: Parameter[Any]) -> bool:
    """Writes into the link the value that a control has on the page the visitor comes from.

    Streamlit keeps the value of a widget for each page apart. What a link says goes first.

    Returns:
        Whether the link was changed.
    """
    key = parameter.key
    page, value = st.session_state.get(_left_at(key), (None, parameter.default))
    if key in st.query_params or page in (None, current_page()):
        return False
    st.session_state.pop(key, None)
    if value == parameter.default:
        return False
    st.query_params[key] = parameter.spelled(value)
    return True


def _kept(key: str, of: str = "") -> str:
    return f"_{key}_{of}"


def _seen(key: str, of: str = "") -> str:
    return f"_seen_{key}_{of}"


def _fresh(key: str) -> str:
    return f"_fresh_{key}"


def _left_at(key: str) -> str:
    return f"_kept_{key}"


def _note(key: str) -> str:
    return f"_note_{key}"
