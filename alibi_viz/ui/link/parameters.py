"""What a link can say to each page: every parameter by its name in the URL, and what it may be."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from alibi_viz.evaluation.front_door_file import LENGTHS
from alibi_viz.ui.claims import view as claims
from alibi_viz.ui.decay import controls as decay
from alibi_viz.ui.explore.controls import COLOUR, SCALE
from alibi_viz.ui.extrapolation import shown as extrapolation
from alibi_viz.ui.home.ending import FIRST_PLACE
from alibi_viz.ui.link.control import Control, text_of
from alibi_viz.ui.link.controls import EXPONENT, HEADS, LENGTH, MAX_HEADS, MAX_LENGTH, RULE
from alibi_viz.ui.methods import controls as methods
from alibi_viz.ui.show import results
from alibi_viz.ui.train import controls as training


@dataclass(frozen=True)
class Several:
    """A choice of several at once, which stand in a link joined by commas."""

    key: str
    """Name in the URL."""
    label: str
    """What stands above it."""
    names: Mapping[str, str]
    """What can be chosen: label by name in the URL; all of them is the default."""

    def allows(self, text: str) -> bool:
        """Returns whether a link may say that: names or labels, one at least."""
        known = {*self.names, *self.names.values()}
        return set(text.split(",")) <= known

    @property
    def default(self) -> tuple[str, ...]:
        """What a link without the parameter means."""
        return tuple(self.names)


@dataclass(frozen=True)
class Numbers:
    """Whole numbers that are chosen within a figure, in a link joined by dots."""

    key: str
    """Name in the URL."""
    labels: tuple[str, ...]
    """What each number is."""
    highest: int
    """The largest that each may be."""
    default: tuple[int, ...] | None = None
    """What a link without the parameter means; None where that depends on other parameters."""
    lowest: int = 1
    """The smallest that each may be."""

    def allows(self, text: str) -> bool:
        """Returns whether a link may say that."""
        parts = text.split(".")
        return len(parts) == len(self.labels) and all(
            part.isdecimal() and self.lowest <= int(part) <= self.highest for part in parts
        )


@dataclass(frozen=True)
class Words:
    """Words that a visitor types; every text is allowed."""

    key: str
    """Name in the URL."""

    def allows(self, text: str) -> bool:
        """Returns whether a link may say that."""
        return bool(text)


Parameter: TypeAlias = Control[Any] | Several | Numbers | Words

_SHARED = (HEADS, EXPONENT, LENGTH, RULE)
_METHODS = Several(
    extrapolation.METHODS_KEY,
    "methods",
    {key: label for label, key in extrapolation.LABELS.items()},
)
_HEAD = Numbers("head", ("head",), MAX_HEADS, (3,))
_CELL = Numbers("cell", ("query", "key"), MAX_LENGTH - 1, lowest=0)
_MOST_HEADS = 512
"""Layers or heads of the largest model that a link may name; the page knows those of its model."""


def page_controls(page: str, part: str | None = None) -> tuple[Control[Any] | Several, ...]:
    """Returns the controls of a page that a link can set, in their order; none for the lessons.

    Args:
        page: The page's name.
        part: Which part of a page that has parts; the one that it opens with if left out.
    """
    if page == "trained_attention":
        return _trained_controls(part)
    if page == "methods":
        return (methods.PART, *methods.BY_PART[part or methods.PARTS[0]])
    if page == "claims":
        filters = (claims.VERDICT, claims.TOPIC) if part in (None, "claims") else (claims.STYLE,)
        return (claims.SHOW, *filters)
    if page == "extrapolation":
        return (
            extrapolation.PROTOCOL,
            extrapolation.MEASURE,
            _METHODS,
            extrapolation.train_length_control(results.own_records()),
            extrapolation.PAPER,
        )
    return {
        "explore": (*_SHARED, COLOUR, SCALE),
        "decay": (*_SHARED, *decay.CONTROLS),
        "train": training.CONTROLS,
    }.get(page, ())


def part_control(page: str) -> Control[Any] | None:
    """Returns the control that decides which others a page has; None where nothing does."""
    if page == "trained_attention":
        # Here, not at the top: it brings in torch.
        from alibi_viz.ui.trained.controls import MODE

        return MODE
    return {"methods": methods.PART, "claims": claims.SHOW}.get(page)


def chosen_in_figures(page: str) -> tuple[Numbers, ...]:
    """Returns what is chosen within a page's figures and has a default of its own."""
    if page == "trained_attention":
        # Here, not at the top: it brings in torch.
        from alibi_viz.ui.trained.body import DEFAULT_HEAD

        first = (DEFAULT_HEAD[0] + 1, DEFAULT_HEAD[1] + 1)
        return (Numbers("layer_head", ("layer", "head"), _MOST_HEADS, first),)
    return {"explore": (_HEAD,)}.get(page, ())


def parameters(page: str) -> dict[str, Parameter]:
    """Returns everything that a link can say to a page, by its name in the URL.

    Args:
        page: The page's name.
    """
    part = part_control(page)
    known: list[Parameter] = [*chosen_in_figures(page)]
    for name in part.options if part else [None]:
        known += page_controls(page, name)
    others: dict[str, list[Parameter]] = {
        "home": [Numbers("read", ("length",), len(LENGTHS), (FIRST_PLACE + 1,))],
        "explore": [_CELL],
        "claims": [Words("search")],
        "train": [Words("own_text")],
        "trained_attention": [
            Numbers("other_head", ("layer", "head"), _MOST_HEADS),
            Numbers("pair", ("query", "key"), MAX_LENGTH - 1, lowest=0),
        ],
    }
    known += others.get(page, [])
    return {parameter.key: parameter for parameter in known}


def complaints(page: str, state: Mapping[str, Any]) -> list[str]:
    """Returns what is wrong with a link to a page, one sentence each; nothing where it will open.

    Args:
        page: The page's name.
        state: What the link says, by names in the URL.
    """
    known, found = parameters(page), []
    for name, value in state.items():
        text = text_of(value)
        if name not in known:
            found.append(f"the page {page} has no parameter {name!r}; it has {', '.join(known)}")
        elif not _allows(known[name], text):
            found.append(f"the page {page} does not take {name}={text}")
    return found


def _allows(parameter: Parameter, text: str) -> bool:
    if isinstance(parameter, Control):
        return parameter.is_exactly(text, parameter.nearest(text))
    return parameter.allows(text)


def _trained_controls(mode: str | None) -> tuple[Control[Any], ...]:
    from alibi_viz.ui.trained import controls as trained
    from alibi_viz.ui.trained.offered import model_names, policy

    names = model_names(policy())
    models = (trained.model_control(names),) if names else ()
    others = trained.CHANGES if mode == trained.WHAT_IF else ()
    return (trained.MODE, *models, trained.text_control(), trained.VIEW, trained.ORDER, *others)
