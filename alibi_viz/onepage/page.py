"""The page as text: its parts joined, and what its scripts have to know."""

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

from alibi_viz.charts.decay import MASSES
from alibi_viz.figures import theme
from alibi_viz.onepage.controls import KNOBS
from alibi_viz.ui import canvas

HERE = Path(__file__).parent
LIVE_FOLDER = Path(canvas.__file__).parent / "live"
SCRIPTS = ("state.js", "chart.js", "decay.js", "page.js")
PARTS = {"explore": "Slopes", "decay": "Decay"}
"""Parts of the page by their names in the address, as the menu calls them."""
_VIEWS = {"explore": "Explore", "decay": "Decay"}


@cache
def one_page() -> str:
    """Returns the page: one HTML document that fetches nothing."""
    return _filled(
        canvas.read_files(HERE, ["page.html"]),
        css=_surface_css() + canvas.read_files(HERE, ["page.css"]),
        logit=convert(r"\tfrac{q_i \cdot k_j}{\sqrt d} - m_h\,(i-j), \quad m_h = 2^{-e\,h/H}"),
        weight=convert(r"\mathrm{weight}(d) = \frac{e^{-m_h d}}{\sum_{d'=0}^{i} e^{-m_h d'}}"),
        sections="",
        # "</" would end the element that holds it.
        data=json.dumps(_data(), ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/"),
        script=_script(),
    )


def _data() -> dict[str, Any]:
    return {
        "knobs": [asdict(knob) for knob in KNOBS],
        "masses": MASSES,
        "looks": canvas.looks(),
        "live": f"<style>{canvas.read_files(LIVE_FOLDER, ['live.css'])}</style>"
        + canvas.read_files(LIVE_FOLDER, ["live.html"]),
        "parts": PARTS,
    }


def _script() -> str:
    """Returns the app's canvas scripts, whose export becomes a constant, and the page's own."""
    live = canvas.read_files(LIVE_FOLDER, (*canvas.SHARED, *canvas.LIVE))
    live = live.replace("export default", "const liveView =")
    views = ", ".join(f"{name}: {view}" for name, view in _VIEWS.items())
    own = canvas.read_files(HERE, SCRIPTS)
    return f'(() => {{\n"use strict";\n{live}\n{own}\nnew Page({{ {views} }});\n}})();'


def _filled(template: str, **parts: str) -> str:
    """Returns a template with each {{name}} replaced, none within what replaces another."""
    text = ""
    for piece in template.split("{{"):
        name, closed, rest = piece.partition("}}")
        text += parts[name] + rest if closed and name in parts else piece
    return text


def _surface_css() -> str:
    """Returns both themes as variables, by the names that the canvases and the page use."""
    light, dark = (_variables(is_dark) for is_dark in (False, True))
    return (
        f":root {{ color-scheme: light; {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ color-scheme: dark; {dark} }} }}\n"
        f":root[data-theme=light] {{ color-scheme: light; {light} }}\n"
        f":root[data-theme=dark] {{ color-scheme: dark; {dark} }}\n"
    )


def _variables(is_dark: bool) -> str:
    surface = theme.surface(is_dark)
    values = {
        "st-background-color": surface.background,
        "st-text-color": surface.text,
        "st-primary-color": surface.accent,
        "panel": surface.panel,
        "muted": surface.muted,
        "edge": surface.grid,
        "shade": theme.with_alpha(surface.accent, 0.12),
        "ground": theme.with_alpha(surface.muted, 0.13),
        "strong": surface.accent,
    }
    return " ".join(f"--{name}: {value};" for name, value in values.items())
