"""The page as text: its parts joined, and what its scripts have to know."""

import json
import re
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from alibi_viz.charts.decay import MASSES
from alibi_viz.evaluation.records import TRAIN_LENGTH
from alibi_viz.figures import theme
from alibi_viz.onepage.claims import choices_html, claims_html, references_html
from alibi_viz.onepage.controls import KNOBS, Knob
from alibi_viz.onepage.lessons import lesson_data, typing_data
from alibi_viz.onepage.markup import formula
from alibi_viz.onepage.measured import measured_data, methods_data
from alibi_viz.ui import canvas

HERE = Path(__file__).parent
LIVE_FOLDER = Path(canvas.__file__).parent / "live"
SCRIPTS = tuple(
    f"{name}.js" for name in "state chart decay measured answers lessons claims page".split()
)
# Indents and lines that are comments: no text of the scripts goes on over a line's end.
_LEFT_OUT = re.compile(r"^\s+|^\s*//.*\n", re.MULTILINE)
PARTS = {
    "explore": ("Slopes", "Explore"),
    "decay": ("Decay", "Decay"),
    "extrapolation": ("Length", "Measured"),
    "lessons": ("Lessons", "Lessons"),
    "claims": ("Claims", "Claims"),
}
"""Parts of the page by their names in the address, which are the app's: as the menu calls them, and
the class of the script that draws them."""


# Of verdicts, beside their signs and words.
_HUES = {"good": "green", "bad": "vermilion", "doubt": "ochre"}


@cache
def one_page() -> str:
    """Returns the page: one HTML document that fetches nothing."""
    return _filled(
        canvas.read_files(HERE, ["page.html"]),
        css=_surface_css() + canvas.read_files(HERE, ["page.css"]),
        logit=formula(r"\tfrac{q_i \cdot k_j}{\sqrt d} - m_h\,(i-j), \quad m_h = 2^{-e\,h/H}"),
        weight=formula(r"\mathrm{weight}(d) = \frac{e^{-m_h d}}{\sum_{d'=0}^{i} e^{-m_h d'}}"),
        verdicts=choices_html("verdict"),
        topics=choices_html("topic"),
        claims=claims_html(set(PARTS)),
        references=references_html(),
        # "</" would end the element that holds it.
        data=json.dumps(_data(), ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/"),
        script=_script(),
    )


def _data() -> dict[str, Any]:
    measured = measured_data()
    lengths = Knob("L", "training length, tokens", tuple(measured["lengths"]), TRAIN_LENGTH)
    return {
        "knobs": [asdict(knob) for knob in (*KNOBS, lengths)],
        "masses": MASSES,
        "looks": canvas.looks(),
        "live": f"<style>{canvas.read_files(LIVE_FOLDER, ['live.css'])}</style>"
        + canvas.read_files(LIVE_FOLDER, ["live.html"]),
        "parts": {name: title for name, (title, _) in PARTS.items()},
        "methods": methods_data(),
        "measured": measured,
        "lessons": lesson_data(),
        "typing": typing_data(),
    }


def _script() -> str:
    """Returns the app's canvas scripts, whose export becomes a constant, and the page's own."""
    live = canvas.read_files(LIVE_FOLDER, (*canvas.SHARED, *canvas.LIVE))
    live = live.replace("export default", "const liveView =")
    views = ", ".join(f"{name}: {view}" for name, (_, view) in PARTS.items())
    own = _LEFT_OUT.sub("", canvas.read_files(HERE, SCRIPTS))
    live = _LEFT_OUT.sub("", live)
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
        "quiet": theme.with_alpha(surface.muted, 0.35),
        **{
            name: style.dark if is_dark else style.light
            for name, style in ((name, theme.METHOD_STYLES[hue]) for name, hue in _HUES.items())
        },
    }
    return " ".join(f"--{name}: {value};" for name, value in values.items())
