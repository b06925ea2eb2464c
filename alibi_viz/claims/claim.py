"""What a claim is, and how its text gets its numbers: from cited numbers, never typed in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Literal, get_args

from alibi_viz.claims.derived import derived_numbers
from alibi_viz.claims.experiment import Experiment
from alibi_viz.published.cited import CitedNumber, cited_numbers
from alibi_viz.published.references import Reference, find_by_source, references, short_name

Verdict = Literal["right", "imprecise", "wrong", "open"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
Topic = Literal["perplexity", "length", "mechanism", "cost", "other methods"]
TOPICS: tuple[Topic, ...] = get_args(Topic)


@dataclass(frozen=True)
class PageState:
    """A page of the app in a state that shows what a claim is about."""

    page: str
    """The page's name in the navigation."""
    state: Mapping[str, str | int | float] = field(default_factory=dict)
    """Its controls by their names in the URL."""


@dataclass(frozen=True)
class Claim:
    """One statement about ALiBi or its neighbours, and what became of it.

    In `statement` and `source`, {name} stands for a cited number as printed, and {name.ratio:.2f}
    and the like for what follows from it; names of `derived_numbers` stand for those.
    """

    key: str
    """Name in links."""
    topic: Topic
    """What it is about."""
    statement: str
    """What is said, in our words."""
    verdict: Verdict
    """Whether it is true as said."""
    source: str
    """What the sources say."""
    view: PageState
    """Where the app shows it."""
    cites: tuple[tuple[str, str], ...] = ()
    """(id of a reference, place in it) for what carries no cited number."""
    measured: Callable[[Experiment], str] | None = None
    """Says what was measured or computed here; "" while there is nothing to compute it from."""


@dataclass(frozen=True)
class ShownClaim:
    """A claim with every number filled in."""

    key: str
    topic: Topic
    statement: str
    verdict: Verdict
    source: str
    places: tuple[tuple[Reference, str], ...]
    """References with the tables and sections that the source's sentence rests on."""
    measured: str
    """Empty where nothing was measured."""
    view: PageState

    @property
    def text(self) -> str:
        """Everything a search looks through, in lower case."""
        places = (f"{short_name(entry)} {entry['title']} {place}" for entry, place in self.places)
        parts = (self.statement, self.source, self.measured, self.topic, self.verdict, *places)
        return " ".join(parts).lower()


def shown(claim: Claim, experiment: Experiment) -> ShownClaim:
    """Returns a claim with its numbers, its places and its measurement.

    Raises:
        ValueError: The claim names a number or a reference that does not exist.
    """
    numbers = {**cited_numbers(), **derived_numbers()}
    return ShownClaim(
        key=claim.key,
        topic=claim.topic,
        statement=_filled(claim.statement, numbers),
        verdict=claim.verdict,
        source=_filled(claim.source, numbers),
        places=_places(claim),
        measured=claim.measured(experiment) if claim.measured else "",
        view=claim.view,
    )


def quoted_numbers(claim: Claim) -> list[CitedNumber]:
    """Returns the cited numbers that a claim's texts rest on, in their order."""
    cited, derived = cited_numbers(), derived_numbers()
    quoted: dict[str, CitedNumber] = {}
    for name in _names(claim.statement + claim.source):
        for number in derived[name].cited if name in derived else [cited[name]]:
            quoted[number.name] = number
    return list(quoted.values())


def _filled(text: str, numbers: Mapping[str, object]) -> str:
    try:
        return text.format_map(dict(numbers))
    except KeyError as missing:
        raise ValueError(f"no cited number is called {missing}: {text!r}") from None


def _names(text: str) -> list[str]:
    fields = (name for _, name, _, _ in Formatter().parse(text) if name)
    return [name.partition(".")[0] for name in fields]


def _places(claim: Claim) -> tuple[tuple[Reference, str], ...]:
    known = references()
    places: dict[str, list[str]] = {}
    for reference, place in claim.cites:
        if reference not in known:
            raise ValueError(f"no reference is called {reference!r}")
        places.setdefault(reference, []).append(place)
    for number in quoted_numbers(claim):
        entry = find_by_source(number.source)
        if entry is None:
            raise ValueError(f"no reference for the source {number.source!r}")
        where = places.setdefault(entry["id"], [])
        place = number.table.replace("(p", "(p. ").replace("+-", "±")
        if place not in where:
            where.append(place)
    return tuple((known[reference], ", ".join(where)) for reference, where in places.items())
