"""Which text, which method the others are compared with, and what was scored, file by file."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from alibi_viz.charts.measured.differences import RULE, DifferenceChart
from alibi_viz.data.corpus import NAMED_TEXTS
from alibi_viz.data.overlap import SPAN
from alibi_viz.data.prepared import load_validation
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.stretch import Stretch, named_stretch
from alibi_viz.maths.arrays import read_only
from alibi_viz.paths import FIRST_TEXT
from alibi_viz.positions import METHODS
from alibi_viz.ui.frame.header import look_for
from alibi_viz.ui.link.parameter import Control
from alibi_viz.ui.show.figure import folded_table, show_chart, show_table
from alibi_viz.words import count, listed, percent

AGAINST = Control(
    "against",
    "compared with",
    tuple(method.label for method in METHODS.values()),
    METHODS["alibi"].label,
    kind="list",
    aliases={method.key: method.label for method in METHODS.values()},
    help="Both models are scored on the same blocks of text, seed by seed.",
)
_KEYS = {method.label: method.key for method in METHODS.values()}


def measured_text_control(texts: Sequence[str]) -> Control[str]:
    """Returns a choice of the texts that have records.

    Args:
        texts: Their names; there is one text where nothing is measured.
    """
    told = {text: NAMED_TEXTS[text].label for text in texts or [FIRST_TEXT]}
    return Control(
        "text",
        "text",
        tuple(told),
        next(iter(told)),
        kind="choice",
        help="Each model is measured on the kind of text that it was trained on: "
        + listed([f"{text} is {title}" for text, title in told.items()])
        + ". Numbers of different texts do not compare.",
    )


def reference_of(label: str) -> str:
    """Returns the key of the method that the others are compared with."""
    return _KEYS.get(label, "alibi")


def show_differences(chart: DifferenceChart) -> None:
    """Shows how methods stand to one of them, the rule for words, and every difference."""
    if not chart.curves:
        label = METHODS[chart.reference].label
        st.info(f"Nothing was measured on the same blocks of text as {label}. Choose another one.")
        return
    show_chart(chart)
    st.caption(
        f"1 is {METHODS[chart.reference].label}; the band around it is what counts as level. Bars: "
        "95 % intervals; shade: range over seeds. Filled marks are ahead or behind, open ones "
        "level or undecided."
    )
    look_for(chart.sentence())


def difference_table(chart: DifferenceChart) -> None:
    """Shows every difference with its interval and its word."""
    percents = [name for name in chart.table().columns if name.endswith("%")]
    columns = {name: st.column_config.NumberColumn(format="%+.1f") for name in percents}
    columns["evaluation window, tokens"] = st.column_config.NumberColumn(format="localized")
    show_table(chart.table(), key="differences", columns=columns)


def rule() -> None:
    """Says how words follow from numbers."""
    st.caption(RULE)


def what_was_scored(records: Sequence[Record], text: str) -> None:
    """Shows which files of the text are behind the records, and what share each has."""
    stretches = _scored(records, text)
    if not stretches:
        return
    whole = stretches[0]
    shares, overlap = whole.shares(), int(_seen(text)[whole.targets].sum())
    largest = max(shares, key=lambda name: shares[name])
    sampled = (
        f" A sliding window scores {len(stretches[-1].targets):,} of them, from every file."
        if len(stretches) > 1
        else ""
    )
    st.caption(
        f"Scored: {len(whole.targets):,} tokens of {count(len(shares), 'file')}, "
        f"{percent(shares[largest] / len(whole.targets))} of them {largest}; {overlap} lie in "
        f"spans of {SPAN} tokens found in training.{sampled}"
    )
    folded_table("The files and their shares", lambda: file_table(stretches), key="files")


@lru_cache(maxsize=4)
def _seen(text: str) -> NDArray[np.bool_]:
    """Which tokens of a text lie in spans found in training."""
    return read_only(load_validation(text).seen)


def _scored(records: Sequence[Record], text: str) -> list[Stretch]:
    """The stretches that the records scored, as they are now; the largest first."""
    found: dict[str, Stretch] = {}
    for sample in {record.sample for record in records if record.text == text}:
        stretch = named_stretch(text, sample)
        if stretch.fingerprint in {record.targets for record in records}:
            found[stretch.fingerprint] = stretch
    return sorted(found.values(), key=lambda stretch: -len(stretch.targets))


def file_table(stretches: Sequence[Stretch]) -> pd.DataFrame:
    """Returns one row a file: the tokens of it that were scored, and their share.

    Args:
        stretches: At least one; the first has every file.
    """
    shares = [stretch.shares() for stretch in stretches]
    table = pd.DataFrame({"file": list(shares[0])})
    for of, stretch in zip(shares, stretches, strict=True):
        kind = "all" if stretch is stretches[0] else "the sample"
        table[f"tokens in {kind}"] = [of.get(name, 0) for name in shares[0]]
        table[f"share of {kind}, %"] = [
            round(100 * of.get(name, 0) / len(stretch.targets), 1) for name in shares[0]
        ]
    return table
