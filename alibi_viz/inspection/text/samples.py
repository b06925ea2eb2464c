"""Texts at hand to show a model, each with a reason."""

from functools import lru_cache

from alibi_viz.data.prepared import load_validation
from alibi_viz.data.tokenizer import load_tokenizer

FUNCTION = '''\
def running_mean(values, window):
    """Return the mean of each run of values.

    The result is shorter than values.
    """
    means = []
    for start in range(len(values) - window + 1):
        total = sum(values[start : start + window])
        means.append(total / window)
    return means
'''

# What a head that looks for an earlier copy can find, and a slope may put out of its reach.
_TWICE = f"{FUNCTION}\n\n# The same once more, to be copied.\n{FUNCTION}"

# 32 tokens of the bundled tokenizer or a few more: every token can be read on the axes.
LINE = '''def area(width, height):
    """Return width times height."""
    return width * height
'''

# Characters of two, three and four bytes; the bundled tokenizer has no token for them, only bytes.
_UNUSUAL = (
    "naïve café: 3 × ½ = 1½\nπ ≈ 3.14159, Ωμέγα, 注意\nthumbs up 👍🏽, family 👩‍👩‍👧, flag 🇳🇵\n"
)

WRITTEN = {
    "short function": FUNCTION,
    "one line": LINE,
    "the function twice": _TWICE,
    "accents and emoji": _UNUSUAL,
}
LIBRARY = {
    "512 tokens of code": 512,
    "1,024 tokens of code": 1024,
    "2,048 tokens of code": 2048,
}
"""Tokens of the bundled tokenizer, by the name of the text: the start of the validation text."""


@lru_cache(maxsize=8)
def sample_text(name: str) -> str:
    """Returns the text at hand of that name.

    Args:
        name: One of `WRITTEN` or `LIBRARY`.

    Raises:
        ValueError: No such text.
    """
    if name in WRITTEN:
        return WRITTEN[name]
    if name not in LIBRARY:
        raise ValueError(f"text must be one of {', '.join([*WRITTEN, *LIBRARY])}, got {name!r}")
    tokens = load_validation().tokens
    text: str = load_tokenizer().decode(tokens[: LIBRARY[name]].tolist())
    return text
