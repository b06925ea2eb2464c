"""What Streamlit's theme settings cannot say: code that can be read, focus that can be seen."""

import streamlit as st

from alibi_viz.figures.theme import DARK, LIGHT
from alibi_viz.ui.frame import stage

# Streamlit's own colours of code fall short of a contrast of 4.5 on its own panels.
_TOKENS = {
    "accent": ("keyword", "boolean", "builtin", "atrule", "decorator", "property", "class-name"),
    "literal": ("string", "number", "triple-quoted-string", "constant", "url"),
    "muted": ("comment",),
    "text": ("function", "operator", "punctuation", "variable", "plain"),
}


def _code() -> str:
    """Returns rules for the colours of code, and for code that is wider than its place."""
    rules = []
    for colour, names in _TOKENS.items():
        tokens = ",".join(f"[data-testid=stCode] .token.{name}" for name in names)
        # Streamlit sets color-scheme to the theme that the visitor sees.
        light, dark = getattr(LIGHT, colour), getattr(DARK, colour)
        rules.append(f"{tokens}{{color:light-dark({light},{dark})!important}}")
    # Long lines go on in the next one: where they scrolled, no bar showed that there was more.
    # What scrolls must be what the keyboard reaches: the box, which has the focus, not the text.
    rules.append(
        "[data-testid=stCode]{overflow:auto}"
        "[data-testid=stCode] pre{overflow:visible;height:auto}"
        "[data-testid=stCode] :is(pre,code,span){white-space:pre-wrap!important;"
        "overflow-wrap:anywhere}"
    )
    numbers = "[data-testid=stCode] .react-syntax-highlighter-line-number"
    quiet = f"light-dark({LIGHT.muted},{DARK.muted})"
    rules.append(f"{numbers}{{color:{quiet}!important}}")
    return "".join(rules)


# White on the dark theme's bright accent cannot be read; the page's own background can.
_BUTTONS = (
    "".join(
        f"{part}{{color:light-dark(#fff,{DARK.background})!important}}"
        for part in (
            "[data-testid=stBaseButton-primary]",
            "[data-testid=stBaseButton-primaryFormSubmit]",
            "[data-testid=stMultiSelect] :is(span[title],span[title]+*)",
        )
    )
    + "button kbd{color:inherit!important;opacity:1!important}"
)
# On a phone a long formula goes on in the next line, where it would have to be scrolled, and the
# numbers of the worked example stay within their cells.
_PHONE = (
    "@media (max-width:640px){.katex-display>.katex,.katex-display>.katex>.katex-html"
    "{white-space:normal!important}"
    ".st-key-worked-example .textpoint text{font-size:7.5px!important}"
    ".st-key-worked-example .annotation-text{font-size:10.5px!important}}"
)

# In one line, whatever the type: the first screen belongs to the figure. On a phone the formula and
# the projector's button go.
_HEADER = (
    ".st-key-header .katex-display{margin:0;font-size:calc(.55em + 6.5px)}"
    ".st-key-header{row-gap:.25rem;min-height:3rem}"
    "[data-testid=stMainBlockContainer]{padding-left:min(5rem,5vw);padding-right:min(5rem,5vw)}"
    "@media (max-width:640px){.st-key-header :is([data-testid=stElementContainer]:has(.katex),"
    "[data-testid=stLayoutWrapper]:has(.st-key-presenter)){display:none}"
    "[data-testid=stMainBlockContainer]{padding-left:1rem;padding-right:1rem}}"
)

_FOCUS = (
    "[data-testid=stTopNavLink]:focus-visible,[data-testid=stMarkdownContainer] a:focus-visible,"
    "summary:focus-visible,[data-testid=stTextInputRootElement]:focus-within,"
    "[data-testid=stNumberInputContainer]:focus-within{outline:2px solid "
    f"light-dark({LIGHT.accent},{DARK.accent});outline-offset:1px}}"
)
# An instant rather than nothing: some widgets wait for the end of their transition.
_MOTION = (
    "@media (prefers-reduced-motion:reduce){*,*::before,*::after{animation-duration:.01ms"
    "!important;animation-iteration-count:1!important;transition-duration:.01ms!important;"
    "scroll-behavior:auto!important}}"
)
_STYLE = f"<style>{_code()}{_BUTTONS}{_PHONE}{_FOCUS}{_MOTION}{_HEADER}{stage.STYLE}</style>"


def add_style() -> None:
    """Adds the app's few rules of style to the page; called once a run, by app.py."""
    st.html(_STYLE)
