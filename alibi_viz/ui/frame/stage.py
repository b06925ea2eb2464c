"""The first screen of a page: the controls that matter, the figure, and the other controls.

On a desk the controls stand above the figure and those used less fold away below it. On a phone the
figure comes first, and its controls stay at the lower edge of the screen while it is on it, so that
nobody drags a slider without seeing what moves. The order is that of `STYLE`.
"""

from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.figures.theme import DARK, LIGHT
from alibi_viz.ui.frame.presentation import controls_are_chosen, is_presenting
from alibi_viz.ui.link.parameter import Parameter

_WRAPPED = "[data-testid=stLayoutWrapper]:has(>.st-key-stage_{})"
_BOX = ".st-key-stage_controls"
_LINES = ",".join(f"[data-testid={name}]" for name in ("stSlider", "stButtonGroup", "stSelectbox"))
STYLE = (
    # On a desk the folded controls step out of their box, to stand below the figure.
    f"{_BOX},{_WRAPPED.format('controls')}{{display:contents}}"
    f"{_WRAPPED.format('more')}{{order:2}}{_WRAPPED.format('figure')}{{order:1}}"
    "@media (max-width:640px){"
    f"{_WRAPPED.format('controls')}{{display:block;order:2;position:sticky;bottom:0;z-index:5}}"
    f"{_BOX}{{display:flex;gap:.25rem;max-height:45vh;overflow-y:auto;padding:.4rem .25rem;"
    f"background:light-dark({LIGHT.background},{DARK.background});"
    "border-top:1px solid color-mix(in srgb,currentColor 25%,transparent)}"
    # A control a line, its name before it; options that have no room are swiped to.
    f"{_BOX} [data-testid=stHorizontalBlock]{{gap:.25rem}}"
    f"{_BOX} :is({_LINES}){{display:flex;flex-direction:row;align-items:center;"
    "gap:.75rem;width:100%}"
    f"{_BOX} :is({_LINES})>[data-testid=stWidgetLabel]{{flex:0 0 30%;min-width:min-content;"
    "margin:0}"
    f"{_BOX} [data-testid=stWidgetLabel] *{{overflow-wrap:normal;word-break:normal}}"
    f"{_BOX} :is({_LINES})>:not([data-testid=stWidgetLabel]){{flex:1;min-width:0}}"
    f"{_BOX} [data-testid=stButtonGroup] [role=radiogroup]{{flex-wrap:nowrap;overflow-x:auto}}"
    f"{_BOX} [data-testid=stButtonGroup] :is(button,[role=radiogroup]>*){{flex:none}}"
    f"{_BOX} summary p{{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}}"
    "}"
)
"""Where the parts of a stage stand, on a desk and on a phone; added once a run by `frame.look`."""


@dataclass(frozen=True)
class Stage:
    """Where a page puts what its first screen shows; filled in any order."""

    controls: DeltaGenerator
    """For the two to five controls that matter."""
    more: DeltaGenerator
    """For those used less; folded away, but where a link chooses its controls."""
    figure: DeltaGenerator
    """For the figure, and what belongs directly below it."""


def stage(*folded: Parameter[Any]) -> Stage:
    """Lays out the first screen of a page; once a page.

    Args:
        folded: The controls that `Stage.more` will hold, for its label.
    """
    with st.container():
        box = st.container(key="stage_controls")
        figure = st.container(key="stage_figure")
    controls = box.container()
    if not folded or controls_are_chosen() or is_presenting():
        return Stage(controls, controls, figure)
    names = ", ".join(parameter.label.partition(",")[0] for parameter in folded)
    more = box.container(key="stage_more").expander(f"More settings: {names}")
    return Stage(controls, more, figure)
