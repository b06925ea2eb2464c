"""A figure as one HTML file that needs no network: hover, zoom, its state and its program."""

import html
import json
from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from alibi_viz.figures.print_size import SOURCE
from alibi_viz.figures.theme import LIGHT

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="{alt}">
<title>{title}</title>
<style>
body {{ margin: 1.5rem auto; max-width: 62rem; padding: 0 1rem; color: {text};
  background: {background}; font: 16px/1.45 Helvetica, Arial, "Liberation Sans", sans-serif }}
h1 {{ font-size: 1.3rem; margin: 0 }}
.state, footer {{ color: {muted}; margin: 0.2rem 0 1rem }}
pre {{ background: {panel}; padding: 1rem; overflow-x: auto; font-size: 0.85rem }}
</style>
</head>
<body>
<h1>{title}</h1>
<p class="state">{state}</p>
<div role="group" aria-label="{alt}">{figure}</div>
<details><summary>The Python that draws it</summary><pre><code>{code}</code></pre></details>
<footer>{source}</footer>
<script type="application/json" id="alibi-viz">{json}</script>
</body>
</html>
"""


def stand_alone_html(
    figure: go.Figure,
    *,
    title: str,
    state: str,
    alt: str,
    code: str,
    metadata: Mapping[str, Any],
) -> str:
    """Returns a whole page with the figure and plotly's own script in it, about 5 MB.

    Args:
        figure: A figure in the light theme.
        title: What it is, in a line.
        state: Every setting that it depends on, in words.
        alt: What the figure shows, for those who cannot see it.
        code: The Python that draws it.
        metadata: The settings again, as JSON can hold them.
    """
    made = go.Figure(figure)
    made.update_layout(font_family="Helvetica, Arial, Liberation Sans, sans-serif")
    body = made.to_html(
        full_html=False,
        include_plotlyjs=True,
        config={"displaylogo": False, "responsive": True},
        default_width="100%",
    )
    return _PAGE.format(
        title=html.escape(title),
        state=html.escape(state),
        alt=html.escape(alt),
        code=html.escape(code),
        figure=body,
        source=SOURCE,
        # "</" would end the script.
        json=json.dumps(dict(metadata)).replace("</", "<\\/"),
        text=LIGHT.text,
        muted=LIGHT.muted,
        panel=LIGHT.panel,
        background=LIGHT.background,
    )
