"""What a visitor can take away of a figure: PNG, SVG, HTML, its numbers, the Python that draws it.

Nothing is made before somebody asks for it: the files are made at the click, and their buttons when
the menu is opened. PNG and SVG are drawn in the visitor's browser, so a server needs none.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import streamlit as st
from plotly.offline import get_plotlyjs
from streamlit.runtime import get_instance

from alibi_viz.charts.base import Chart
from alibi_viz.figures.theme import surface
from alibi_viz.ui.canvas import read_files
from alibi_viz.ui.frame.header import is_dark
from alibi_viz.ui.frame.presentation import controls_are_chosen
from alibi_viz.ui.show.plain import unmarked

HERE = Path(__file__).parent

_PICTURES = st.components.v2.component(
    "alibi_pictures",
    html=(HERE / "pictures.html").read_text(encoding="utf-8"),
    css=(HERE / "pictures.css").read_text(encoding="utf-8"),
    js=read_files(HERE, ("../../canvas/png.js", "pictures.js")),
)


def take_away(chart: Chart, label: str = "Take it away") -> None:
    """Shows a menu with all files of a figure; its contents are made when it is opened.

    Args:
        chart: The figure.
        label: What stands on the menu.
    """
    # A link for an exercise leaves its own controls only.
    if not controls_are_chosen():
        _menu(chart, label)


def _menu(chart: Chart, label: str) -> None:
    menu = st.popover(
        label, type="tertiary", key=f"take-{chart.name}", on_change="rerun", width="content"
    )
    if menu.open:
        with menu:
            _show_files(chart)


def _show_files(chart: Chart) -> None:
    _show_colours(dark=is_dark())
    st.markdown(f"**{chart.title}**  \n{unmarked(chart.words)}")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _show_pictures(chart)
        _button("HTML", chart.html, f"{_file_name(chart)}.html", "text/html")
        _button("CSV", chart.csv, f"{_file_name(chart)}.csv", "text/csv")
        _button("Python", chart.program().encode, f"{_file_name(chart)}.py", "text/x-python")
    st.caption(
        "PNG with 300 dots per inch and SVG, both 17 cm wide, on white; HTML to hover over, "
        "without a network; CSV of the numbers drawn; Python that draws it:"
    )
    st.code(chart.program(), language="python", height=220)


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


def _file_name(chart: Chart) -> str:
    """Returns the name of a chart's files, without an ending."""
    return f"alibi-viz-{chart.name.replace('_', '-')}"


def _show_pictures(chart: Chart) -> None:
    figure = chart.print_figure()
    _PICTURES(
        key=f"pictures-{chart.name}",
        data={
            "figure": figure.to_json(),
            "size": {"width": figure.layout.width, "height": figure.layout.height},
            "name": _file_name(chart),
            "title": chart.title,
            "alt": chart.alt(),
            "state": chart.state(),
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
