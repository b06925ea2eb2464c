"""Numbers as sentences spell them: one rule each for tokens, shares, changes, counts and lists."""

import re
from collections.abc import Sequence


def tokens(number: float) -> str:
    """Returns a number of tokens with the digits that it is worth.

    >>> tokens(1.41), tokens(20), tokens(1), tokens(1234.5)
    ('1.4 tokens', '20 tokens', '1 token', '1,234 tokens')
    """
    text = f"{number:,.0f}" if number >= 20 else f"{number:.2g}"
    return f"{text} token{'' if text == '1' else 's'}"


def percent(share: float) -> str:
    """Returns a share in percent: whole from 10 % on, with two digits below.

    >>> percent(0.125), percent(0.0725), percent(0.0), percent(1.0)
    ('12 %', '7.2 %', '0 %', '100 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.0995 or not share else f"{100 * share:.2g} %"


def signed(change: float, decimals: int = 3) -> str:
    """Returns a change with its sign, the minus a minus.

    >>> signed(0.25), signed(-1.5, 1)
    ('+0.250', '−1.5')
    """
    return f"{change:+.{decimals}f}".replace("-", "−")


def count(number: int, thing: str) -> str:
    """Returns how many there are of a thing that takes an s.

    >>> count(1, "head"), count(2048, "token")
    ('1 head', '2,048 tokens')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def listed(parts: Sequence[str], last: str = "and") -> str:
    """Returns parts as a list in a sentence.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"], "or")
    ('a', 'a and b', 'a, b or c')
    """
    *first, end = parts
    return f"{', '.join(first)} {last} {end}" if first else end


def plain_text(text: str, most: int = 400) -> str:
    r"""Returns foreign words so that they are shown and do nothing: no control characters.

    >>> plain_text("a\x1b[31m\nb\udcff"), plain_text("abc", 2)
    ('a\\x1b[31m\\nb\\udcff', 'ab …')

    Args:
        text: What somebody else wrote.
        most: Characters; the rest is left out.
    """
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown if len(shown) <= most else f"{shown[:most]} …"


def unmistakable(name: str, most: int = 60) -> str:
    r"""Returns a foreign name without any sign that a legend, a table or a sentence could obey.

    Names go where plotly reads HTML, Streamlit Markdown and a disk paths, each with other rules.

    >>> unmistakable("<a href='x'>pythia-1.4b</a>"), unmistakable("www.a.example/$x$_1")
    ('·a href··x··pythia-1.4b··a·', 'www·a.example··x··1')

    Args:
        name: What somebody else called something.
        most: Characters; the rest is left out.
    """
    shown = re.sub(r"[^\w.+ -]|(?<=www)\.|(?<!\w)_|_(?!\w)", "·", name, flags=re.IGNORECASE)
    return shown if len(shown) <= most else f"{shown[:most]} …"
