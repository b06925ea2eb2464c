"""What a visitor can take away of a figure: PNG, SVG, HTML, its numbers, the Python that draws it.

Nothing is made before somebody asks for it: the files are made at the click, and their buttons when
the menu is opened. PNG and SVG are drawn in the visitor's browser, so a server needs none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from plotly.offline import get_plotlyjs
from streamlit.runtime import get_instance

from alibi_viz.charts.base import Chart
from alibi_viz.figures.numbers import drawn_numbers
from alibi_viz.figures.print_size import print_version
from alibi_viz.figures.stand_alone import stand_alone_html
from alibi_viz.figures.theme import surface
from alibi_viz.ui.canvas import read_files
from alibi_viz.ui.frame.header import is_dark
from alibi_viz.ui.frame.presentation import controls_are_chosen

HERE = Path(__file__).parent

Draw = Callable[..., go.Figure]
"""Draws a figure; takes `dark`, whether it is for the dark theme."""

_PICTURES = st.components.v2.component(
    "alibi_pictures",
    html=(HERE / "pictures.html").read_text(encoding="utf-8"),
    css=(HERE / "pictures.css").read_text(encoding="utf-8"),
    js=read_files(HERE, ("../../canvas/png.js", "pictures.js")),
)


@dataclass(frozen=True)
class TakeAway:
    """One figure and what belongs to it outside the app."""

    draw: Draw
    key: str
    """Name of the figure on its page, and of its files."""
    title: str
    """What it is, in a line."""
    state: Mapping[str, Any]
    """Every setting that it depends on, by its name, as JSON can hold it."""
    alt: str
    """What it shows, for those who cannot see it."""
    code: str
    """A program that draws it."""
    numbers: Callable[[], pd.DataFrame] | None = None
    """Its numbers; those that are drawn if left out."""

    @classmethod
    def of(cls, chart: Chart) -> "TakeAway":
        """Returns what belongs to a chart."""
        return cls(
            chart.draw,
            chart.name,
            chart.title,
            chart.state(),
            chart.alt(),
            chart.program(),
            chart.table,
        )

    @property
    def name(self) -> str:
        """Name of its files without an ending."""
        return f"alibi-viz-{self.key.replace('_', '-')}"

    @property
    def words(self) -> str:
        """The state in words.

        >>> TakeAway(go.Figure, "x", "X", {"heads": 8, "rule": "geometric"}, "", "").words
        'heads 8 · rule geometric'
        """
        return " · ".join(f"{name} {value}" for name, value in self.state.items())

    def print_figure(self) -> go.Figure:
        """Returns the figure at print size."""
        return print_version(self.draw(dark=False), title=self.title, state=self.words)

    def csv(self) -> bytes:
        """Returns the numbers."""
        table = drawn_numbers(self.draw(dark=False)) if self.numbers is None else self.numbers()
        return table.to_csv(index=False).encode()

    def html(self) -> bytes:
        """Returns a page that works without a network."""
        return stand_alone_html(
            self.draw(dark=False),
            title=self.title,
            state=self.words,
            alt=self.alt,
            code=self.code,
            metadata=self.state,
        ).encode()


def take_away(taken: TakeAway, label: str = "Take it away") -> None:
    """Shows a menu with all files of a figure; its contents are made when it is opened.

    Args:
        taken: The figure.
        label: What stands on the menu.
    """
    # A link for an exercise leaves its own controls only.
    if not controls_are_chosen():
        _menu(taken, label)


def _menu(taken: TakeAway, label: str) -> None:
    menu = st.popover(
        label, type="tertiary", key=f"take-{taken.key}", on_change="rerun", width="content"
    )
    if menu.open:
        with menu:
            _show_files(taken)


def _show_files(taken: TakeAway) -> None:
    _show_colours(dark=is_dark())
    st.markdown(f"**{taken.title}**  \n{taken.words}")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _show_pictures(taken)
        _button("HTML", taken.html, f"{taken.name}.html", "text/html")
        _button("CSV", taken.csv, f"{taken.name}.csv", "text/csv")
        _button("Python", taken.code.encode, f"{taken.name}.py", "text/x-python")
    st.caption(
        "PNG with 300 dots per inch and SVG, both 17 cm wide, on white; HTML to hover over, "
        "without a network; CSV of the numbers drawn; Python that draws it:"
    )
    st.code(taken.code, language="python", height=220)


def _show_colours(*, dark: bool) -> None:
    """Gives an open menu and its button the colours of the theme.

    The menu hangs outside the app's element, which alone says whether colours are dark ones; the
    button's own colour while it is open falls short of a contrast of 4.5.
    """
    scheme = "dark" if dark else "light"
    st.html(
        f"<style>[data-st-overlay-root]{{color-scheme:{scheme}}}"
        "[data-testid=stPopover] button[aria-expanded=true] p"
        f"{{color:{surface(dark).accent}}}</style>"
    )


def _show_pictures(taken: TakeAway) -> None:
    figure = taken.print_figure()
    _PICTURES(
        key=f"pictures-{taken.key}",
        data={
            "figure": figure.to_json(),
            "size": {"width": figure.layout.width, "height": figure.layout.height},
            "name": taken.name,
            "title": taken.title,
            "alt": taken.alt,
            "state": dict(taken.state),
            "plotly": _plotly_address(),
        },
        width="content",
    )


def _plotly_address() -> str:
    """Returns where the app serves plotly's script; kept as long as a session shows the menu."""
    address = get_instance().media_file_mgr.add(_plotly_script(), "text/javascript", "alibi-plotly")
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{address}" if base else address


@cache
def _plotly_script() -> bytes:
    return str(get_plotlyjs()).encode()


def _button(label: str, data: Callable[[], bytes], name: str, mime: str) -> None:
    st.download_button(
        label, data, file_name=name, mime=mime, key=f"save-{name}", on_click="ignore"
    )
