"""Markdown with formulas as HTML, as short as a browser takes it."""

import re
from html import escape, unescape

from latex2mathml.converter import convert

from alibi_viz.lessons import markup

_SIGN = re.compile(r"&#x?[0-9A-Fa-f]+;")


def short_block(markdown: str) -> str:
    """Returns Markdown as HTML paragraphs."""
    return _short(markup.block(markdown).strip())


def short_inline(markdown: str) -> str:
    """Returns a line of Markdown as HTML without a paragraph around it."""
    return _short(markup.inline(markdown))


def formula(latex: str) -> str:
    """Returns LaTeX as MathML."""
    return _short(convert(latex))


def _short(html: str) -> str:
    """Leaves out what HTML knows by itself, and writes signs as they are."""
    html = html.replace(' xmlns="http://www.w3.org/1998/Math/MathML" display="inline"', "")
    return _SIGN.sub(lambda sign: escape(unescape(sign[0])), html)
