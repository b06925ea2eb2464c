"""The verdict on a model: a value of plain numbers and words that JSON and pickle can hold."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from alibi_viz.inspection.probe.finding import KINDS, NAMES, Finding, FindingPlace
from alibi_viz.inspection.probe.tell import effect_words

VERSION = 1
"""Version of the JSON; another one once a name goes or changes its meaning."""
State = Literal["on", "other", "off", "none"]
SIGNS: dict[State, str] = {"on": "✓", "other": "≠", "off": "✗", "none": "○"}
"""What tells the states apart without colour."""
Slopes = tuple[tuple[float, ...], ...]
"""(layer, head), in nats per token."""


@dataclass(frozen=True)
class SlopeReading:
    """Slopes of all heads in a text of one length."""

    length: int
    """Tokens."""
    slopes: Slopes
    """Of the straight line, or of the nearest keys that could be read where there is none."""
    precision: Slopes
    """What each may be off by; infinite where there is no straight line."""


@dataclass(frozen=True)
class ProbeVerdict:
    """What a model's position method is, and what disagrees."""

    model: str
    """Folder's or hub's name."""
    family: str
    """The library's name for its kind."""
    dtype: str
    """Number type of the file."""
    n_layer: int
    n_head: int
    promised: str
    """Method that the configuration names."""
    promised_words: str
    """The same with its settings."""
    promised_slopes: tuple[float, ...] | None
    """(head,) that should act; None where no slopes are promised."""
    found: tuple[str, ...]
    """Methods that act, strongest evidence first."""
    found_words: str
    """What shows them."""
    rule: str
    """Which rule explains the slopes; empty where there are none, or none does."""
    readings: tuple[SlopeReading, ...]
    """Of a short text, and of the longest one."""
    tried: tuple[str, ...]
    """Situations in which texts came."""
    findings: tuple[Finding, ...]

    @property
    def agrees(self) -> bool:
        """Whether nothing disagrees."""
        return not self.disagreements

    @property
    def disagreements(self) -> tuple[Finding, ...]:
        """What disagrees, the weightiest first."""
        order = list(KINDS)
        wrong = (finding for finding in self.findings if finding.disagrees)
        return tuple(
            sorted(wrong, key=lambda f: (len(f.where.situations) > 0, order.index(f.kind)))
        )

    @property
    def notes(self) -> tuple[Finding, ...]:
        """What is worth knowing and disagrees with nothing."""
        return tuple(finding for finding in self.findings if not finding.disagrees)

    @property
    def state(self) -> State:
        """Whether ALiBi is on as configured, on but otherwise, off, or not meant to be there."""
        is_on = "alibi" in self.found or (self.promised == "alibi" and "nonlinear" in self.found)
        if is_on:
            return "on" if self.agrees else "other"
        return "off" if self.promised == "alibi" else "none"

    @property
    def answer(self) -> str:
        """The verdict in one line, with its sign."""
        return f"{SIGNS[self.state]} {self._answer}"

    @property
    def _answer(self) -> str:
        if self.state == "on":
            return "ALiBi is on, as configured"
        acting = " and ".join(NAMES[key] for key in self.found)
        if self.state == "off":
            return f"ALiBi is off: it is promised, what acts is {acting}"
        wrong = self.disagreements
        if not wrong:
            return f"not ALiBi: {acting}"
        first, more = wrong[0], len(wrong) - 1
        gist = (first.short or first.words).rstrip(".")
        rest = f", and {more} more" if more else ""
        effect = effect_words(first.numbers).strip().rstrip(".") if first.short else ""
        effect = f"; {effect[0].lower()}{effect[1:]}" if effect else ""
        if self.state == "none":
            return f"not ALiBi: {acting}, but {gist[:1].lower()}{gist[1:]}{rest}{effect}"
        return f"ALiBi is on, but not as configured: {gist}{rest}{effect}"

    def as_json(self) -> dict[str, Any]:
        """Returns the verdict as JSON can hold it, see docs/probe.md."""
        told = {"version": VERSION, "state": self.state, "answer": self.answer}
        plain: dict[str, Any] = _plain(asdict(self))
        return {**told, "agrees": self.agrees, **plain}

    @classmethod
    def from_json(cls, held: dict[str, Any]) -> "ProbeVerdict":
        """Returns the verdict that `as_json` told.

        Raises:
            ValueError: Another version.
        """
        if held.get("version") != VERSION:
            raise ValueError(f"version must be {VERSION}, got {held.get('version')}")
        given = {name: _tuples(held[name]) for name in cls.__dataclass_fields__}
        given["readings"] = tuple(
            SlopeReading(
                one["length"],
                _tuples(one["slopes"]),
                tuple(tuple(float("inf") if x is None else x for x in r) for r in one["precision"]),
            )
            for one in held["readings"]
        )
        given["findings"] = tuple(
            Finding(
                **{
                    **one,
                    "where": FindingPlace(
                        **{key: tuple(part) for key, part in one["where"].items()}
                    ),
                }
            )
            for one in held["findings"]
        )
        return cls(**given)


def _plain(value: Any) -> Any:
    """Returns tuples as lists, and numbers that JSON does not know as null."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return value


def _tuples(value: Any) -> Any:
    return tuple(_tuples(part) for part in value) if isinstance(value, list) else value
