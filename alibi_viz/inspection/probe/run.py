"""The probe: reads a model in many situations and lengths, and holds it to its configuration."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from alibi_viz.inspection.adapters.contract import Adapter
from alibi_viz.inspection.loading import load_model
from alibi_viz.inspection.probe.effect import check_content, effect, with_effects
from alibi_viz.inspection.probe.finding import Finding
from alibi_viz.inspection.probe.lengths import LONG_LENGTH, check_lengths, lengths_for
from alibi_viz.inspection.probe.method import FoundMethod, check_method, found_method
from alibi_viz.inspection.probe.settings import check_files
from alibi_viz.inspection.probe.shapes import shape_of
from alibi_viz.inspection.probe.sheets import Sheet
from alibi_viz.inspection.probe.situation_check import check_float32, check_situations
from alibi_viz.inspection.probe.situations import situations
from alibi_viz.inspection.probe.slope_fit import SlopeFit, fit_slopes
from alibi_viz.inspection.probe.slopes import numbered
from alibi_viz.inspection.probe.tell import tell
from alibi_viz.inspection.probe.usual import Usual, read_usual
from alibi_viz.inspection.probe.verdict import ProbeVerdict, SlopeReading
from alibi_viz.maths.arrays import Floats

# Times that a probe tells what it does.
STEPS = 4


def probe_folder(
    source: str | Path,
    *,
    long_length: int = LONG_LENGTH,
    allow_hub: bool = False,
    trust_code: bool = False,
) -> ProbeVerdict:
    """Returns the verdict on the model in a folder.

    Args:
        source: Directory; or a name on the hub, when there is no such directory and `allow_hub`.
        long_length: Tokens of the longest text, where the model takes as many.
        allow_hub: Whether the hub may be asked.
        trust_code: Whether code that the folder brings may run.

    Raises:
        UnreadableModel: Anything that keeps the model from being read; the message says what.
    """
    adapter = load_model(source, length=long_length, allow_hub=allow_hub, trust_code=trust_code)
    return probe(adapter, long_length=long_length)


def probe(
    adapter: Adapter,
    *,
    long_length: int = LONG_LENGTH,
    progress: Callable[[str], None] | None = None,
) -> ProbeVerdict:
    """Returns the verdict on a model.

    Args:
        adapter: A loaded model.
        long_length: Tokens of the longest text, where the model takes as many.
        progress: Called with a few words before each of the `STEPS`.

    Raises:
        UnreadableModel: The model cannot be read.
    """
    say = progress or (lambda _: None)
    say("reading slopes")
    promise = adapter.promise()
    usual = read_usual(adapter, promise)
    found = found_method(adapter, usual)
    fit = _fit(usual, found)
    findings = [_unless_configured(tell(fault, promise), adapter) for fault in usual.faults]
    findings += _of_queries(adapter, usual)
    findings += check_method(promise, found, fit)
    findings += _of_layers(usual, found)
    say("trying batches, padding, caches and other ways to compute attention")
    findings += check_situations(adapter, usual, found.keys)
    findings += check_float32(adapter, usual)
    say("reading long texts")
    sheet: Sheet | None = None
    if {"alibi", "nonlinear"} & set(found.keys):
        longer, sheet = check_lengths(adapter, usual, long_length)
        findings += longer
    else:
        findings += lengths_for(adapter, long_length)[1]
    readings = [_reading(usual, usual.sheet)] + ([_reading(usual, sheet)] if sheet else [])
    findings += _too_flat(usual, readings)
    say("running it as promised, and comparing files")
    findings = with_effects(findings, adapter, usual, readings[-1].length)
    if "rope" not in found.keys:
        findings += check_content(adapter, usual)
    findings += check_files(adapter)
    promised = None if promise.slopes is None else tuple(float(m) for m in promise.slopes)
    return ProbeVerdict(
        adapter.facts.name,
        adapter.facts.family,
        str(adapter.dtype).removeprefix("torch."),
        *usual.sheet.shape,
        promise.method,
        promise.words,
        promised,
        found.keys,
        found.words,
        fit.words if fit is not None and fit.is_good else "",
        tuple(readings),
        tuple(situation.words for situation in situations(adapter)),
        tuple(findings),
    )


def _reading(usual: Usual, sheet: Sheet) -> SlopeReading:
    """Returns the slopes of all heads in one reading."""
    slopes, precision = np.zeros(sheet.shape), np.zeros(sheet.shape)
    for place in usual.shapes:
        promised = usual.expected.slopes
        expected = None if promised is None else float(promised[place])
        shape = shape_of(sheet.points(place[0], 0, place[1]), expected, usual.promise.factor)
        slopes[place], precision[place] = shape.slope, shape.precision
    return SlopeReading(sheet.asked.length, _tuples(slopes), _tuples(precision))


def _tuples(values: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in row) for row in values)


def _unless_configured(finding: Finding, adapter: Adapter) -> Finding:
    """Returns a window as a note where the configuration names one."""
    named = [key for key, value in adapter.facts.config.items() if "window" in key and value]
    if finding.kind != "window" or not named:
        return finding
    words = f"{finding.words} The configuration names it: {', '.join(named)}."
    return Finding("window", False, words, finding.numbers, finding.where)


def _of_queries(adapter: Adapter, usual: Usual) -> Iterator[Finding]:
    """Yields what heads do at some queries of a text only."""
    length, slopes = usual.sheet.asked.length, usual.promised
    shared: dict[str, Any] = {"length": length}
    if usual.at_queries and slopes is not None:
        # The first ones as well: all positions count.
        shared["nats"] = effect(adapter, slopes, length, last=length)
    for fault, queries in usual.at_queries.items():
        when = [f"at {numbered('token', queries)} of a text"]
        numbers = {"queries": list(queries), **shared}
        yield tell(fault, usual.promise, when=when, numbers=numbers)


def _fit(usual: Usual, found: FoundMethod) -> SlopeFit | None:
    slopes = np.median(usual.slopes, axis=0)
    if "alibi" not in found.keys or not (slopes > 0).all():
        return None
    precision = usual.precision[np.isfinite(usual.precision)]
    return fit_slopes(slopes, usual.promise.factor, float(precision.max(initial=0.0)))


def _of_layers(usual: Usual, found: FoundMethod) -> list[Finding]:
    """Returns a note if slopes that nothing promises differ from layer to layer."""
    if "alibi" not in found.keys or usual.promise.slopes is not None:
        return []
    spread = np.ptp(usual.slopes, axis=0)
    if not (spread > 2 * usual.precision.max(0)).any():
        return []
    words = "Slopes differ between layers: they were trained, or set by hand."
    return [Finding("loading", False, words, {"spread": float(spread.max())})]


def _too_flat(usual: Usual, readings: list[SlopeReading]) -> list[Finding]:
    """Returns a note on heads whose slope could not be told from none at any length."""
    if usual.promise.slopes is None or usual.promise.method != "alibi":
        return []
    best = np.min([reading.precision for reading in readings], axis=0)
    heads = [
        head + 1
        for head, slope in enumerate(usual.promise.slopes)
        if (best[:, head] > slope / 2).any() and not np.isinf(best[:, head]).all()
    ]
    if not heads:
        return []
    words = (
        f"The slope of {numbered('head', heads)} is too flat to be told from none, in the model's "
        f"number type and up to {readings[-1].length:,} tokens."
    )
    return [Finding("unread", False, words, {"heads": heads})]
