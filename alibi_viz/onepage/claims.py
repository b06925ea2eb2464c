"""The claims and the references as HTML."""

import html
from urllib.parse import urlencode

from alibi_viz.charts.measured.read import own_records, same_text_records
from alibi_viz.claims import CLAIMS
from alibi_viz.claims.claim import TOPICS, VERDICTS, ShownClaim, shown
from alibi_viz.claims.experiment import Experiment
from alibi_viz.evaluation.records import CostRecord
from alibi_viz.evaluation.store import known_records
from alibi_viz.published.references import THIS_APP, references, short_name
from alibi_viz.retrieval.task_map import contenders

# A sign and a word as well as a colour: the verdict must not hang on the colour.
_SIGNS = {"right": "✓", "imprecise": "≈", "wrong": "✗", "open": "?"}


def claims_html(parts: set[str]) -> str:
    """Returns every claim, what the sources say of it, and what was measured here.

    Args:
        parts: Parts of the page by their names in the address: claims link to these, and not to
            pages that only the app has.
    """
    experiment = Experiment(
        own_records(),
        same_text_records(),
        known_records(CostRecord),
        contenders("recall"),
        contenders("copying"),
        contenders("perplexity"),
    )
    return "".join(_claim(shown(claim, experiment), parts) for claim in CLAIMS)


def choices_html(name: str) -> str:
    """Returns the options of a choice of verdicts or topics."""
    options = ("all", *(VERDICTS if name == "verdict" else TOPICS))
    return "".join(f"<option>{html.escape(option)}</option>" for option in options)


def references_html() -> str:
    """Returns what is quoted and built on, a line each."""
    lines = (
        f'<li><a href="{html.escape(entry["URL"])}">{html.escape(short_name(entry))}</a>: '
        f"{html.escape(entry['title'])}</li>"
        for entry in references().values()
        if entry["id"] != THIS_APP and "URL" in entry
    )
    return f"<ul>{''.join(lines)}</ul>"


def _claim(claim: ShownClaim, parts: set[str]) -> str:
    places = "; ".join(
        f'<a href="{html.escape(entry["URL"])}">{html.escape(short_name(entry))}</a>, '
        f"{html.escape(place)}"
        for entry, place in claim.places
    )
    measured = claim.measured[:1].upper() + claim.measured[1:]
    here = f"<p><strong>Here.</strong> {html.escape(measured)}</p>" if measured else ""
    page, query = claim.view.page, urlencode(claim.view.state)
    see = f'<p><a href="#{page}?{html.escape(query)}">See it</a></p>' if page in parts else ""
    return (
        f'<article class="claim" data-verdict="{claim.verdict}" data-topic="{claim.topic}">'
        f'<div><span class="verdict {claim.verdict}">{_SIGNS[claim.verdict]} {claim.verdict}</span>'
        f" <small>{claim.topic}</small><h2>{html.escape(claim.statement)}</h2></div>"
        f"<div><p><strong>Sources.</strong> {html.escape(claim.source)} "
        f"<small>({places})</small></p></div><div>{here}{see}</div></article>"
    )
