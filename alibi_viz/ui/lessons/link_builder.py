"""Links for a class: a page in a state, with some controls only, with large type; as a QR code."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.lessons.course import find_lesson, lessons
from alibi_viz.ui.frame.navigation import PAGES, address, entry
from alibi_viz.ui.frame.presentation import SHOW
from alibi_viz.ui.lessons.controls import LESSON, step_of
from alibi_viz.ui.link.class_address import address_field, is_address, qr_code
from alibi_viz.ui.link.copy_link import copy_link
from alibi_viz.ui.link.parameter import Control, Numbers, Parameter, Several, text_of
from alibi_viz.ui.link.parameters import LARGE, page_parameters
from alibi_viz.ui.link.settle import widget


def class_link(
    base: str,
    page: str,
    state: Mapping[str, Any],
    *,
    shown: Collection[str] | None = None,
    large: bool = False,
) -> str:
    """Returns the whole link to a page in a state.

    Args:
        base: Address of the app, without a slash at its end.
        page: The page's name.
        state: Values by their names in the link.
        shown: Names of the controls to leave on the page; None for all of them.
        large: Whether type is to be large.
    """
    parameters = {name: text_of(value) for name, value in state.items()}
    if shown is not None:
        parameters[SHOW] = ",".join(shown)
    if large:
        parameters[LARGE.key] = "1"
    path = address(page).removeprefix("./")
    # A comma is allowed in a query, and shorter than its code.
    query = urlencode(parameters, safe=",")
    return f"{base}/{path}" + (f"?{query}" if query else "")


def show_link_builder() -> None:
    """Shows the fields on the left and, on the right, the link, its code and a button."""
    fields, result = st.columns([3, 2], gap="large")
    with fields:
        base = address_field("build_base")
        page = st.selectbox(
            "what it opens",
            [page.name for page in PAGES],
            index=[page.name for page in PAGES].index("lessons"),
            format_func=lambda name: entry(name).title,
            key="build_page",
        )
        shown: Collection[str] | None = None
        if page == "lessons":
            state = _lesson_fields()
        else:
            state, shown = _control_fields(page)
        large = st.toggle("large type, for a projector", key="build_large")
    with result:
        if not is_address(base):
            st.error("This is no address: it has to begin with http:// or https://.")
            return
        _show_result(class_link(base, page, state, shown=shown, large=large))


def _lesson_fields() -> dict[str, Any]:
    slugs = [lesson.slug for lesson in lessons()]
    left, right = st.columns(2)
    slug = left.selectbox(
        "lesson",
        ["", *slugs],
        format_func=lambda name: find_lesson(name).title if name else "the list",
        key="build_lesson",
    )
    if not slug:
        return {}
    steps = find_lesson(slug).steps
    names = dict.fromkeys(steps, "") | {"look": "look", "do": "your turn", "why": "why it is so"}
    step = right.selectbox(
        "step",
        steps,
        format_func=lambda name: names[name] or f"question {steps.index(name)}",
        key=f"build_step_{slug}",
    )
    chosen = step_of(find_lesson(slug))
    return {LESSON.key: slug} | ({chosen.key: step} if step != chosen.default else {})


def _control_fields(page: str) -> tuple[dict[str, Any], list[str] | None]:
    """Shows a field for each parameter of the page, and which controls to leave on it."""
    known = page_parameters(page)
    state: dict[str, Any] = {}
    name = None
    if known.part:
        name = _field(known.part, page, st.columns(3)[0], state)
    offered = [field for field in known.of(name) if field.is_offered]
    fields = [field for field in offered if field != known.part]
    for start in range(0, len(fields), 3):
        columns = st.columns(3, gap="medium")
        for field, column in zip(fields[start : start + 3], columns, strict=False):
            _field(field, page, column, state)
    # What is chosen within a figure has no control to be left out.
    labels = {field.key: field.label for field in offered if not isinstance(field, Numbers)}
    shown = st.pills(
        "controls that stay on the page",
        list(labels),
        selection_mode="multi",
        default=list(labels),
        format_func=labels.__getitem__,
        # Each part of a page has a choice of its own.
        key=f"build_shown_{page}" + (f"_{name}" if name else ""),
        wrap=True,
    )
    return state, None if len(shown) == len(labels) else shown


def _field(field: Parameter[Any], page: str, column: DeltaGenerator, state: dict[str, Any]) -> Any:
    """Shows a field for a parameter, notes what a link has to say of it, and returns its value."""
    narrow = field
    if isinstance(field, Control) and field.kind == "choice":
        narrow = replace(field, kind="list")
    value = widget(narrow, column, key=f"build_{page}_{field.key}")
    is_nothing = isinstance(field, Several) and not value
    if value != field.default and not is_nothing:
        state[field.key] = field.short(value)
    return value


def _show_result(link: str) -> None:
    st.image(qr_code(link), width=260, alt=f"QR code of the link {link}", output_format="PNG")
    st.code(link, language=None, wrap_lines=True)
    with st.container(horizontal=True, vertical_alignment="center"):
        copy_link(link, key="copy_built_link")
        st.link_button("Open it", link, icon=":material/open_in_new:")
