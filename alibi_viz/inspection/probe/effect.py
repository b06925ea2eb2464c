"""What other biases than promised do to predictions, in nats."""

from collections.abc import Iterable
from dataclasses import replace

import torch

from alibi_viz.inspection.adapters.contract import Adapter, RunAsked, Slopes
from alibi_viz.inspection.errors import RUN_ERRORS
from alibi_viz.inspection.probe.finding import Finding
from alibi_viz.inspection.probe.situation_check import divergence
from alibi_viz.inspection.probe.situations import text_ids
from alibi_viz.inspection.probe.tell import WORDS, effect_words
from alibi_viz.inspection.probe.usual import Usual

# Positions whose predictions are compared, the last ones: those with most keys before them.
KEPT = 32
# Nats that rounding may move predictions, in each number type; biases rounded to bfloat16 included.
UNLIKE = {torch.float32: 0.01, torch.float16: 0.03, torch.bfloat16: 0.1}


def effect(adapter: Adapter, slopes: Slopes, length: int, last: int = KEPT) -> float | None:
    """Returns how far predictions are from those with the promised slopes.

    The model runs once as it is, and once with attention computed by this project in the place of
    every layer's: the mean over the last positions of KL(promised || acting), on random tokens.

    Args:
        adapter: A loaded model.
        slopes: (layer, head) promised, in nats per token.
        length: Tokens of the text.
        last: Positions whose predictions are compared, from the end.

    Returns:
        In nats; None where the model cannot be run with other attention.
    """
    ids = text_ids(length, adapter.facts.vocab_size)
    try:
        right = adapter.predictions_with(ids, slopes, last=last)
        acting = adapter.predictions(RunAsked((ids,), adapter.default_path), last=last)[0]
    except RUN_ERRORS:
        return None
    is_finite = bool(torch.isfinite(right).all() and torch.isfinite(acting).all())
    return divergence(right, acting) if is_finite else None


def check_content(adapter: Adapter, usual: Usual) -> list[Finding]:
    """Returns a finding if queries and keys are changed by something that no bias shows.

    All biases being as promised, the model has to predict what it does with plain attention and
    these biases; if it does not, its content is another one.
    """
    slopes, length = usual.promised, usual.sheet.asked.length
    if slopes is None:
        return []
    if usual.at_queries or any(fault.kind != "rounded" for fault in usual.faults):
        return []
    nats = effect(adapter, slopes, length)
    if nats is None or nats <= UNLIKE[adapter.dtype]:
        return []
    numbers = {"nats": nats, "length": length}
    words = (
        "Besides what is promised something acts on queries and keys before their product: RoPE, "
        f"or the like.{effect_words(numbers)}"
    )
    return [Finding("extra", True, words, numbers)]


def with_effects(
    findings: Iterable[Finding], adapter: Adapter, usual: Usual, longest: int
) -> list[Finding]:
    """Returns findings about biases with what they do to predictions, those of one length alike.

    Args:
        findings: All that was found.
        adapter: A loaded model.
        usual: What its biases do in a short text.
        longest: Tokens of the longest text that was read.
    """
    slopes = usual.promised
    if slopes is None:
        return list(findings)
    known: dict[int, float | None] = {}
    told = []
    for finding in findings:
        numbers = finding.numbers
        if finding.kind not in WORDS or finding.where.situations or "nats" in numbers:
            told.append(finding)
            continue
        is_long = "from_length" in numbers or "length" in numbers
        length = longest if is_long else usual.sheet.asked.length
        if length not in known:
            known[length] = effect(adapter, slopes, length)
        if known[length] is not None:
            numbers = {**numbers, "nats": known[length], "length": length}
            finding = replace(finding, words=finding.words + effect_words(numbers), numbers=numbers)
        told.append(finding)
    return told
