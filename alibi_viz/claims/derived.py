"""Numbers that follow from cited figures: differences, percentages, ranges."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from alibi_viz.published.cited import Figure, cited_figures


@dataclass(frozen=True)
class Derived:
    """A number and the cited figures that it follows from."""

    number: float
    figures: tuple[Figure, ...]

    def __format__(self, spec: str) -> str:
        return format(self.number, spec).replace("-", "−")


@cache
def derived_numbers() -> dict[str, Derived]:
    """Returns every derived number by the name under which texts quote it."""
    return {
        **_haviv_gaps(),
        **_overheads(),
        **_middle_ranges(),
        "rope_slower": _percent("train_speed_rope_1024", "train_speed_sinusoidal_1024"),
        "t5_slower": _percent("train_speed_t5_1024", "train_speed_sinusoidal_1024"),
        "memory_512_percent": _percent("gigabytes_alibi_512", "gigabytes_sinusoidal_1024"),
        "kerple_gain": _difference("kerple_alibi_16384", "kerple_log_16384"),
    }


def _haviv_gaps() -> dict[str, Derived]:
    return {
        f"gap_{size}": _difference(f"haviv_sinusoidal_{size}", f"haviv_alibi_{size}")
        for size in ("125m", "1_3b")
    }


def _overheads() -> dict[str, Derived]:
    """Lowest and highest change against sinusoidal over the lengths of Table 1, in percent."""
    ends = {}
    for what in ("train_speed", "eval_speed", "memory"):
        changes = [
            _percent(f"{what}_alibi_{length}", f"{what}_sinusoidal_{length}")
            for length in (512, 1024, 3072)
        ]
        figures = tuple(figure for change in changes for figure in change.figures)
        numbers = [change.number for change in changes]
        ends[f"{what}_low"] = Derived(min(numbers), figures)
        ends[f"{what}_high"] = Derived(max(numbers), figures)
    return ends


def _middle_ranges() -> dict[str, Derived]:
    """Best minus worst accuracy over the five places of the answer, in percentage points."""
    models = ("mpt", "claude", "longchat", "gpt35")
    return {f"middle_{model}_range": _range(f"middle_{model}_") for model in models}


def _range(prefix: str) -> Derived:
    figures = _figures(name for name in cited_figures() if name.startswith(prefix))
    numbers = [figure.number for figure in figures]
    return Derived(max(numbers) - min(numbers), figures)


def _difference(name: str, minus: str) -> Derived:
    figures = _figures((name, minus))
    return Derived(figures[0].number - figures[1].number, figures)


def _percent(name: str, against: str) -> Derived:
    figures = _figures((name, against))
    return Derived((figures[0].number / figures[1].number - 1) * 100, figures)


def _figures(names: Iterable[str]) -> tuple[Figure, ...]:
    return tuple(cited_figures()[name] for name in names)
