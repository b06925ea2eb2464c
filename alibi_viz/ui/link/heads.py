"""What describes ALiBi's heads in links: count, exponent, length, rule, a head, a map's cell.

The sliders step through a list of allowed values: Streamlit refuses every other value, and the live
canvas maps the slider's index to the value by the same list.
"""

from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.charts.heads import EXPONENTS, HEAD_COUNTS, LENGTHS, AlibiHeads
from alibi_viz.maths.slopes import (
    MAX_SLOPE_EXPONENT,
    SLOPE_RULES,
    SlopeRule,
    rules_differ,
)
from alibi_viz.ui.link.parameter import Control, Numbers, Parameter, choice
from alibi_viz.ui.link.settle import (
    bound_control,
    control_columns,
    linked,
    settle_links,
    show_notes,
)

MAX_HEADS = HEAD_COUNTS[-1]
MAX_LENGTH = LENGTHS[-1]

HEADS = Control("heads", "heads", HEAD_COUNTS, 8, f"whole numbers from 1 to {MAX_HEADS}")
EXPONENT = Control(
    "exponent",
    "exponent",
    EXPONENTS,
    MAX_SLOPE_EXPONENT,
    "0.5 to 16 in steps of 0.25",
    help="The flattest slope is 2 to minus this power. The paper uses 8, MPT-7B-StoryWriter 16.",
)
LENGTH = Control(
    "length",
    "length, tokens",
    LENGTHS,
    512,
    f"2 to {MAX_LENGTH}: every length up to 16, then eight steps for each doubling",
)
RULE = choice(
    "rule",
    "rule for this head count",
    SLOPE_RULES,
    allowed=" or ".join(SLOPE_RULES),
    help="Geometric is the closed form of the paper's text. Interleaved is the authors' code, and "
    "what nearly every trained checkpoint uses. They are equal when the head count is a power "
    "of two.",
)
ALIBI = (HEADS, EXPONENT, LENGTH, RULE)


def head_of(heads: int, default: int = 3) -> Numbers:
    """Returns the chosen one of so many heads, counted from 1.

    Args:
        heads: Number of heads.
        default: The head of a link that says nothing; the last one where there are fewer.
    """
    first = (min(default, heads),)
    return Numbers("head", "head", ("head",), first, (heads,), f"1 to {heads}")


def cell_of(key: str, length: int, *, at: tuple[float, float] = (400 / 511, 352 / 511)) -> Numbers:
    """Returns the (query, key) that is read out of a causal map.

    Args:
        key: Name in the URL.
        length: Tokens along each side of the map.
        at: Where the cell of a link that says nothing stands, as shares of the map's sides; query
            400 and key 352 of 512 tokens if left out.
    """
    last = length - 1
    return Numbers(
        key,
        "cell",
        ("query", "key"),
        (round(at[0] * last), round(at[1] * last)),
        (last, last),
        f"query.key with 0 ≤ key ≤ query ≤ {last}",
        lowest=0,
        is_falling=True,
        is_offered=False,
    )


def linked_head(heads: int, default: int = 3) -> int:
    """Returns the chosen head, counted from 1, kept in the URL; see `head_of`."""
    return linked(head_of(heads, default))[0]


def linked_cell(cell: Numbers) -> tuple[int, int]:
    """Returns the chosen (query, key) of a map, kept in the URL; see `cell_of`."""
    query, key = linked(cell)
    return query, key


def alibi_controls(
    *private: Parameter[Any], widths: Sequence[float] | None = None
) -> tuple[AlibiHeads, dict[str, Any]]:
    """Shows one row of controls: heads, exponent and length, a page's own, and the rule.

    The rule is there exactly when it matters; its place stays free when it does not, so that
    nothing moves.

    Args:
        private: The page's own controls, in their order from left to right.
        widths: Relative widths of heads, exponent, length, the page's own, and the rule.

    Returns:
        The shared settings, and the value of each private control by its key.
    """
    controls = (HEADS, EXPONENT, LENGTH, *private)
    settle_links(*controls, RULE)
    columns = control_columns((*controls, RULE), widths or [1] * (len(controls) + 1))
    heads = bound_control(HEADS, columns[HEADS.key])
    exponent = bound_control(EXPONENT, columns[EXPONENT.key])
    length = bound_control(LENGTH, columns[LENGTH.key])
    own = {control.key: bound_control(control, columns[control.key]) for control in private}
    rule = _rule_control(heads, columns[RULE.key])
    show_notes(*controls, RULE)
    return AlibiHeads(heads, exponent, length, rule), own


def _rule_control(heads: int, container: DeltaGenerator) -> SlopeRule:
    """Shows the rule where it matters, and remembers it where it does not."""
    kept = "_rule"
    if not rules_differ(heads):
        container.empty()
        remembered: SlopeRule = st.session_state.get(kept, RULE.default)
        return remembered
    if RULE.key not in st.session_state and kept in st.session_state:
        st.session_state[RULE.key] = st.session_state[kept]
    rule = bound_control(RULE, container)
    st.session_state[kept] = rule
    return rule


def shown_head(asked: int, heads: int) -> int:
    """Returns the head to show, counted from 1: the one asked for, or the last there is.

    A note says so where the two differ.

    Args:
        asked: What the control of the head says.
        heads: How many heads there are.
    """
    if asked > heads:
        st.caption(
            f"There are {heads} heads; head {heads} is shown."
            if heads > 1
            else "There is 1 head; it is shown."
        )
    return min(asked, heads)
