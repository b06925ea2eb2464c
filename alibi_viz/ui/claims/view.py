"""What the page of claims shows: the claims with their numbers, a choice of them, references."""

from collections.abc import Iterable

import pandas as pd
import streamlit as st

from alibi_viz.charts.measured.read import own_records, same_text_records
from alibi_viz.claims import CLAIMS
from alibi_viz.claims.claim import VERDICTS, ShownClaim, Verdict, shown
from alibi_viz.claims.experiment import Experiment
from alibi_viz.evaluation.records import CostRecord, Record
from alibi_viz.evaluation.store import last_change
from alibi_viz.paths import PROJECT
from alibi_viz.published.references import (
    EXTENSIONS,
    THIS_APP,
    Reference,
    Style,
    formatted,
    references,
    short_name,
)
from alibi_viz.retrieval.records import CopyRecord, RecallRecord, StretchedRecord
from alibi_viz.retrieval.task_map import contenders
from alibi_viz.ui.claims.controls import ALL
from alibi_viz.ui.frame.navigation import PAGES, address, entry
from alibi_viz.ui.show import results

# So few claims are shown with what they rest on.
_UNFOLDED = 2
# A sign and a word as well as a colour: the verdict must not hang on the colour.
_BADGES: dict[Verdict, str] = {
    "right": ":green-badge[:material/check: right]",
    "imprecise": ":orange-badge[:material/adjust: imprecise]",
    "wrong": ":red-badge[:material/close: wrong]",
    "open": ":blue-badge[:material/question_mark: open]",
}


def all_claims() -> tuple[ShownClaim, ...]:
    """Returns every claim with its numbers; measured again when a file of results changes."""
    kinds = (Record, CostRecord, RecallRecord, CopyRecord, StretchedRecord)
    experiment = Experiment(
        results.explained(own_records),
        results.explained(same_text_records),
        results.explained(results.cost_records),
        dict(results.explained(lambda: contenders("recall").items())),
        dict(results.explained(lambda: contenders("copying").items())),
        dict(results.explained(lambda: contenders("perplexity").items())),
    )
    return _claims(last_change(*kinds), experiment)


@st.cache_resource(max_entries=2, show_spinner=False)
def _claims(changed: object, _experiment: Experiment) -> tuple[ShownClaim, ...]:
    return tuple(shown(claim, _experiment) for claim in CLAIMS)


def chosen(
    claims: Iterable[ShownClaim], *, verdict: str, topic: str, search: str
) -> list[ShownClaim]:
    """Returns the claims of a verdict and a topic whose text has every word that is searched for.

    Args:
        claims: Claims to choose from.
        verdict: One of `VERDICTS`, or "all".
        topic: One of `TOPICS`, or "all".
        search: Words, in any order and case, or a claim's key; empty for no search.
    """
    claims = list(claims)
    words = search.lower().split()
    if named := [claim for claim in claims if claim.key == search.strip()]:
        return named
    return [
        claim
        for claim in claims
        if verdict in (ALL, claim.verdict)
        and topic in (ALL, claim.topic)
        and all(word in claim.text for word in words)
    ]


def tally(claims: Iterable[ShownClaim]) -> str:
    """Returns how many claims have which verdict, and how many were measured here."""
    claims = list(claims)
    counts = {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in VERDICTS}
    listed = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    measured = sum(bool(claim.measured) for claim in claims)
    noun = "claim" if len(claims) == 1 else "claims"
    return f"**{len(claims)} {noun}**: {listed}. {measured} of them measured or computed here."


def show_claims(claims: Iterable[ShownClaim]) -> None:
    """Shows a line a claim, the verdict first; what it rests on unfolds."""
    claims = list(claims)
    with st.container(gap="xsmall"):
        for claim in claims:
            with st.container(key=f"claim_{claim.key}"):
                line = f"{_BADGES[claim.verdict]} {_plain(claim.statement)}"
                with st.expander(line, expanded=len(claims) <= _UNFOLDED):
                    _show_evidence(claim)


def _show_evidence(claim: ShownClaim) -> None:
    """Shows what the sources say of a claim, and what was measured here."""
    sources, here = st.columns(2, gap="medium")
    sources.markdown(f"**Sources.** {_plain(claim.source)} {_places(claim)}")
    measured = f"**Here.** {_plain(_sentence(claim.measured))} " if claim.measured else ""
    itself = f"[Link to this claim]({address('claims', {'search': claim.key})})"
    here.markdown(f"{measured}{_view(claim)} :small[{claim.topic} · {itself}]")


def reference_table() -> pd.DataFrame:
    """Returns the references as a table, one row each."""
    return pd.DataFrame(
        [
            {
                "for": entry.get("keyword", ""),
                "cited as": short_name(entry),
                "title": entry["title"],
                "in": _venue(entry),
                "link": entry.get("URL"),
            }
            for entry in references().values()
            if entry["id"] != THIS_APP
        ]
    )


def show_references(style: Style) -> None:
    """Shows all references as a table, and in a style to copy and to save.

    Args:
        style: One of `STYLES`.
    """
    table = reference_table()
    st.dataframe(
        table,
        hide_index=True,
        height="content",
        placeholder="–",
        column_config={"link": st.column_config.LinkColumn(display_text="(?:https://)?(.+)")},
        key="references_table",
    )
    entries = [entry for entry in references().values() if entry["id"] != THIS_APP]
    _show_code(formatted(entries, style), style, name="alibi-references")


def show_this_app(style: Style) -> None:
    """Shows how to cite the app: in a style, and as the citation file of its repository.

    Args:
        style: One of `STYLES`.
    """
    _show_code(formatted([references()[THIS_APP]], style), style, name="alibi-viz")
    st.markdown("The same as a citation file, `CITATION.cff`:")
    st.code((PROJECT / "CITATION.cff").read_text(encoding="utf-8"), language="yaml")


def _show_code(text: str, style: Style, *, name: str) -> None:
    extension = EXTENSIONS[style]
    st.download_button(
        f"Save as .{extension}",
        text.encode(),
        file_name=f"{name}.{extension}",
        mime="text/plain",
        key=f"{name}_file",
        on_click="ignore",
    )
    st.code(text, language="json" if extension == "json" else None, height=420)


def _venue(reference: Reference) -> str:
    container: str = reference.get("container-title") or reference.get("publisher", "")
    volume = f" {reference['volume']}" if "volume" in reference else ""
    return container + volume


def _places(claim: ShownClaim) -> str:
    links = [
        f"[{short_name(reference)}]({reference['URL']}), {_plain(place)}"
        for reference, place in claim.places
    ]
    return f":small[({'; '.join(links)})]"


def _view(claim: ShownClaim) -> str:
    if claim.view.page not in {page.name for page in PAGES}:
        return ""
    title = entry(claim.view.page).title
    return f"[See it in {title}]({address(claim.view.page, claim.view.state)})"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _plain(text: str) -> str:
    """Returns text that Markdown shows as it stands."""
    for sign in "\\`*_[]$~":
        text = text.replace(sign, f"\\{sign}")
    return text
