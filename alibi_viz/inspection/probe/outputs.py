"""Do all ways to compute attention predict the same, and do returned weights hide the future?"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import torch

from alibi_viz.errors import first_lines
from alibi_viz.inspection.adapters.contract import Adapter, AttentionPath, ForwardPass
from alibi_viz.inspection.errors import RUN_ERRORS
from alibi_viz.inspection.probe.finding import Finding
from alibi_viz.inspection.probe.method import FoundMethod
from alibi_viz.inspection.probe.read_back import PADDING, probe_ids

PLAIN_LENGTH = 24
# Methods that count positions from the first token, padding or not, unless told otherwise.
ABSOLUTE = ("learned", "sinusoidal")


def check_outputs(adapter: Adapter, found: FoundMethod) -> Iterator[Finding]:
    """Yields what differs between plain runs, nothing in the model being touched.

    Args:
        adapter: A loaded model.
        found: How position enters: absolute methods count padding as positions.
    """
    ids = probe_ids(PLAIN_LENGTH, adapter.facts.vocab_size)
    try:
        usual = adapter.run(ids, adapter.default_path)
    except RUN_ERRORS as error:
        words = f"A plain run of {PLAIN_LENGTH} tokens fails: {first_lines(error)}."
        yield Finding("outputs", True, words, {"length": PLAIN_LENGTH})
        return
    if not bool(torch.isfinite(usual.logits).all()):
        yield Finding("outputs", True, "The model's predictions are not finite numbers.", {})
        return
    others = [path for path in adapter.paths if path != adapter.default_path]
    yield from _merged(f for path in others for f in _check_path(adapter, ids, path, usual))
    if adapter.has_cache:
        yield from _check_steps(adapter, ids, usual)
    if adapter.has_padding:
        yield from _check_padding(adapter, ids, usual, found)


def _merged(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yields findings, those that say the same of several paths as one."""
    alike: dict[str, list[Finding]] = {}
    for finding in findings:
        alike.setdefault(finding.words.replace(finding.numbers["path"], "{path}"), []).append(
            finding
        )
    for words, group in alike.items():
        paths = [finding.numbers["path"] for finding in group]
        numbers = {**group[0].numbers, "paths": paths}
        yield Finding(
            "outputs", group[0].disagrees, words.replace("{path}", ", ".join(paths)), numbers
        )


def _check_path(
    adapter: Adapter, ids: torch.Tensor, path: AttentionPath, usual: ForwardPass
) -> Iterator[Finding]:
    try:
        run = adapter.run(ids, path)
    except RUN_ERRORS as error:
        words = f"By {path.label} the model fails: {first_lines(error)}."
        yield Finding("outputs", True, words, {"path": path.label})
        return
    leak = 0.0
    if run.weights is not None:
        leak = max(float(layer.triu(1).sum(-1).max()) for layer in run.weights)
    if leak > 0:
        yield Finding(
            "outputs",
            True,
            f"By {path.label} the causal mask is lost: up to {leak:.0%} of a query's attention "
            "falls on later tokens, and the predictions know the future.",
            {"path": path.label, "future_share": leak},
        )
    if path.returns_weights and run.weights is None:
        words = f"By {path.label} the library gives no weights, and does not refuse either."
        yield Finding("outputs", False, words, {"path": path.label})
    for finding in _difference(f"by {path.label}", run.logits, usual.logits, adapter):
        yield replace(finding, numbers={**finding.numbers, "path": path.label})


def _check_steps(adapter: Adapter, ids: torch.Tensor, usual: ForwardPass) -> Iterator[Finding]:
    where = "when the last token is given alone, with the cache"
    try:
        run = adapter.run(ids, adapter.default_path, in_steps=True)
    except RUN_ERRORS as error:
        yield Finding("outputs", True, f"The model fails {where}: {first_lines(error)}.", {})
        return
    yield from _difference(where, run.logits, usual.logits[-1:], adapter)


def _check_padding(
    adapter: Adapter, ids: torch.Tensor, usual: ForwardPass, found: FoundMethod
) -> Iterator[Finding]:
    where = f"behind {PADDING} masked padding tokens"
    try:
        run = adapter.run(ids, adapter.default_path, padding=PADDING)
    except RUN_ERRORS as error:
        yield Finding("outputs", True, f"The model fails {where}: {first_lines(error)}.", {})
        return
    counts_padding = any(key in ABSOLUTE for key in found.keys)
    for finding in _difference(where, run.logits, usual.logits, adapter):
        if counts_padding:
            words = (
                f"{finding.words} The model counts padding as positions unless told where to start."
            )
            yield Finding("outputs", False, words, finding.numbers)
        else:
            yield finding


def _difference(
    where: str, logits: torch.Tensor, usual: torch.Tensor, adapter: Adapter
) -> Iterator[Finding]:
    """Yields a finding if logits differ by more than rounding, measured in their spread."""
    spread = float(usual.std())
    largest = float((logits - usual).abs().max())
    if not largest <= (1e-3 + 32 * torch.finfo(adapter.dtype).eps) * spread:
        usual_way = adapter.default_path.label
        yield Finding(
            "outputs",
            True,
            f"Predictions differ {where}: by up to {largest:.2g} from those by {usual_way}, whose "
            f"spread is {spread:.2g}.",
            {"where": where, "largest": largest, "spread": spread},
        )
