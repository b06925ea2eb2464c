"""Do all ways to compute attention give the same?"""

from collections.abc import Iterator

import numpy as np

from alibi_viz.errors import first_lines
from alibi_viz.inspection.adapters.contract import Adapter, AttentionPath
from alibi_viz.inspection.errors import RUN_ERRORS
from alibi_viz.inspection.probe.finding import Finding
from alibi_viz.inspection.probe.read_back import (
    FEW_DISTANCES,
    ReadBack,
    Situation,
    read_back_slopes,
)

SITUATIONS: tuple[Situation, ...] = ("whole text", "last token from the cache", "behind padding")
SAME_SLOPE = 0.005


def read_other_ways(adapter: Adapter, default: ReadBack) -> tuple[list[ReadBack], list[Finding]]:
    """Returns slopes on every path and in every situation but the default, and what failed."""
    reads, failures = [], []
    possible = (True, adapter.has_cache, adapter.has_padding)
    situations = [name for name, can in zip(SITUATIONS, possible, strict=True) if can]
    for path in adapter.paths:
        for situation in situations:
            if (path, situation) == (default.path, default.situation):
                continue
            try:
                read = read_back_slopes(
                    adapter, path, length=min(default.length, FEW_DISTANCES), situation=situation,
                    distances=FEW_DISTANCES,
                )  # fmt: skip
                reads.append(read)
            except RUN_ERRORS as error:
                failures.append(_failure(path, situation, error))
    return reads, failures


def _failure(path: AttentionPath, situation: Situation, error: BaseException) -> Finding:
    words = f"By {path.label}, {situation}, the model fails: {first_lines(error)}."
    return Finding("paths", True, words, {"path": path.label, "situation": situation})


def check_paths(default: ReadBack, others: list[ReadBack]) -> Iterator[Finding]:
    """Yields where slopes differ from those of the path that is used by itself.

    Ways that differ by one and the same factor are told in one finding.
    """
    groups: dict[str, list[ReadBack]] = {}
    for read in others:
        if _differs(default, read):
            groups.setdefault(f"{_factor(default, read):.3f}", []).append(read)
    for reads in groups.values():
        yield _path_finding(default, reads)


def _differs(default: ReadBack, read: ReadBack) -> bool:
    if not np.array_equal(default.is_linear, read.is_linear):
        return True
    allowed = SAME_SLOPE * np.abs(default.slopes) + default.slope_precision + read.slope_precision
    return bool((np.abs(read.slopes - default.slopes) > allowed)[default.is_linear].any())


def _factor(default: ReadBack, read: ReadBack) -> float:
    """Returns the median of how many times steeper the heads are; NaN without any slope."""
    sloped = ~default.is_flat & default.is_linear
    return (
        float(np.median(read.slopes[sloped] / default.slopes[sloped])) if sloped.any() else np.nan
    )


def _ways(reads: list[ReadBack]) -> str:
    """Returns paths in words; situations only where they are not all of those that were read."""
    situations: dict[str, list[str]] = {}
    for read in reads:
        situations.setdefault(read.path.label, []).append(read.situation)
    most = max(len(names) for names in situations.values())
    return "; ".join(
        path if len(names) == most > 1 else f"{path} ({', '.join(names)})"
        for path, names in situations.items()
    )


def _path_finding(default: ReadBack, reads: list[ReadBack]) -> Finding:
    read = reads[0]
    bent = default.is_linear & ~read.is_linear
    if bent.any():
        return Finding(
            "paths",
            True,
            f"Positions depend on how attention is computed. By {default.path.label} ln p is a "
            f"straight line in the distance; by {_ways(reads)} it is none, or cannot be read, in "
            f"{int(bent.sum())} of {bent.size} heads.",
            {
                "usual": default.path.label,
                "other": [r.words for r in reads],
                "heads": int(bent.sum()),
            },
        )
    error = np.abs(read.slopes - default.slopes)
    layer, head = np.unravel_index(np.argmax(error), error.shape)
    factor = _factor(default, read)
    ways = _ways(reads)
    acts, usual = float(read.slopes[layer, head]), float(default.slopes[layer, head])
    times = "" if np.isnan(factor) else f", {factor:.3g} times the slope in the middle head"
    return Finding(
        "paths",
        True,
        f"Slopes depend on how attention is computed. By {default.path.label}, head {head + 1} "
        f"of layer {layer + 1} has {usual:.4g}; it has {acts:.4g}{times} by: {ways}.",
        {
            "usual": default.path.label,
            "other": [r.words for r in reads],
            "factor": None if np.isnan(factor) else factor,
            "layer": int(layer) + 1,
            "head": int(head) + 1,
            "slope": acts,
            "usual_slope": usual,
        },
    )
