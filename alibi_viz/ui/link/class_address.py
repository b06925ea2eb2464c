"""The address under which a class reaches the app, and codes to scan; typed once, used by all."""

from urllib.parse import parse_qsl, urlencode, urlsplit

import segno
import streamlit as st

# Hosts that mean "this computer", whoever reads them.
_LOOPBACK = {"localhost", "127.0.0.1", "::1", "0.0.0.0"}
_TYPED = "_class_address"
# What a presenter's link says of the presenter's screen or progress, and not of what is shown.
_PRESENTERS_OWN = {"present", "large", "done"}


def this_address() -> str:
    """Returns the address under which this visitor reaches the app, without a slash at its end."""
    return (st.context.url or "http://localhost:8501/").rsplit("/", 1)[0]


def class_address() -> str:
    """Returns the address that was typed for the class, or else this visitor's own."""
    return str(st.session_state.get(_TYPED) or this_address())


def is_address(text: str) -> bool:
    """Returns whether an app can stand there: http or https, and a host.

    >>> is_address("http://lab.example:8501/app"), is_address("http://["), is_address("ftp://lab")
    (True, False, False)

    Args:
        text: What a teacher has typed so far.
    """
    try:
        parts = urlsplit(text)
        # A port that is none raises when it is asked for.
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def is_local(address: str) -> bool:
    """Returns whether an address works on this computer only."""
    return is_address(address) and urlsplit(address).hostname in _LOOPBACK


def address_field(key: str) -> str:
    """Shows the field for the class's address, and returns what it says; no address if mistyped.

    Args:
        key: The field's name on its page.
    """
    base = st.text_input(
        "address of the app, as the class reaches it", class_address(), key=key, max_chars=200
    )
    base = base.strip().rstrip("/")
    if is_address(base):
        st.session_state[_TYPED] = base
    if is_local(base):
        st.caption(
            "This address works on this computer only. For a class, give the name or number of the "
            "computer in its network."
        )
    return base


def for_the_class(address: str) -> str:
    """Returns a presenter's address as a class opens it: on its own host, without present mode.

    Args:
        address: The whole address of a page in a state.
    """
    parts = urlsplit(address)
    state = [pair for pair in parse_qsl(parts.query) if pair[0] not in _PRESENTERS_OWN]
    page = address.partition("?")[0].rsplit("/", 1)[1]
    # A comma is allowed in a query, and shorter than its code.
    return f"{class_address()}/{page}" + (f"?{urlencode(state, safe=',')}" if state else "")


def qr_code(text: str) -> str:
    """Returns a QR code as SVG: dark on light in both themes, as scanners want it.

    It has a view box and no size, so that it is scaled where it is shown, and never cropped.

    Args:
        text: What it says.
    """
    code: str = segno.make(text, error="m", micro=False).svg_inline(
        border=4, dark="#000", light="#fff", omitsize=True
    )
    return code
