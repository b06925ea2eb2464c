"""Numbers that follow from cited numbers: differences, percentages, ranges."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from alibi_viz.published.cited import CitedNumber, cited_numbers


@dataclass(frozen=True)
class Derived:
    """A number and the cited numbers that it follows from."""

    number: float
    cited: tuple[CitedNumber, ...]

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
        cited = tuple(number for change in changes for number in change.cited)
        percents = [change.number for change in changes]
        ends[f"{what}_low"] = Derived(min(percents), cited)
        ends[f"{what}_high"] = Derived(max(percents), cited)
    return ends


def _middle_ranges() -> dict[str, Derived]:
    """Best minus worst accuracy over the five places of the answer, in percentage points."""
    models = ("mpt", "claude", "longchat", "gpt35")
    return {f"middle_{model}_range": _range(f"middle_{model}_") for model in models}


def _range(prefix: str) -> Derived:
    cited = _cited(name for name in cited_numbers() if name.startswith(prefix))
    accuracies = [each.number for each in cited]
    return Derived(max(accuracies) - min(accuracies), cited)


def _difference(name: str, minus: str) -> Derived:
    cited = _cited((name, minus))
    return Derived(cited[0].number - cited[1].number, cited)


def _percent(name: str, against: str) -> Derived:
    cited = _cited((name, against))
    return Derived((cited[0].number / cited[1].number - 1) * 100, cited)


def _cited(names: Iterable[str]) -> tuple[CitedNumber, ...]:
    return tuple(cited_numbers()[name] for name in names)
