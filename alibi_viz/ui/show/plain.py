"""Words that somebody else wrote, shown as they are: no links, pictures, formulas or icons."""

import re

from alibi_viz.words import plain_text

_MARKS = re.compile(r"[\\`*\[\]<$~|&]|:(?=[\w+/-]+:)|(?<=:)/(?=/)|(?<=www)\.|@")


def unmarked(text: str) -> str:
    r"""Returns Markdown that shows the text as it is.

    >>> print(unmarked("![x](http://a.example) <b> $y$ :material/home:"))
    !\[x\](http:\//a.example) \<b> \$y\$ \:material/home:

    Args:
        text: Names, settings and errors of foreign models, and sentences that quote them.
    """
    return _MARKS.sub(lambda mark: "\\" + mark.group(), plain_text(text, 2000))
