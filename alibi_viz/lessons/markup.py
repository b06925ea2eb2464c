"""Markdown with formulas as HTML that fetches nothing: formulas are MathML, which browsers set."""

import re
from collections.abc import Callable

from latex2mathml.converter import convert
from markdown_it import MarkdownIt

_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.DOTALL)
# No character of a text: what stands for a formula while the Markdown around it is converted.
_PLACE = "\ue000{}\ue000"


def block(markdown: str) -> str:
    """Returns Markdown with formulas as HTML paragraphs."""
    return _converted(markdown, MarkdownIt("commonmark", {"html": False}).render)


def inline(markdown: str) -> str:
    """Returns a line of Markdown with formulas as HTML without a paragraph around it."""
    return _converted(markdown, MarkdownIt("commonmark", {"html": False}).renderInline)


def _converted(markdown: str, render: Callable[[str], str]) -> str:
    formulas: list[str] = []

    def put_aside(match: re.Match[str]) -> str:
        display = match[1] is not None
        formulas.append(convert(match[1] or match[2], display="block" if display else "inline"))
        return _PLACE.format(len(formulas) - 1)

    rendered = render(_FORMULA.sub(put_aside, markdown.strip()))
    for place, formula in enumerate(formulas):
        rendered = rendered.replace(_PLACE.format(place), formula)
    return rendered
