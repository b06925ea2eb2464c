"""What our own experiment says about a claim, in one sentence each, from the evaluation records."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Keys of the position methods as the records spell them, and their names in a sentence.
LABELS = {
    "alibi": "ALiBi",
    "sinusoidal": "sinusoidal",
    "learned": "learned",
    "rope": "RoPE",
    "t5": "T5 bias",
    "nope": "NoPE",
}
# The training length that all six methods share in the committed experiment.
TRAIN_LENGTH = 128


@dataclass(frozen=True)
class Experiment:
    """The records of assets/results/extrapolation.json, as the sentences ask for them."""

    records: Sequence[Mapping[str, Any]]
    """Records as the file has them; may be empty."""

    def curve(
        self, method: str, protocol: str = "nonoverlapping", train_length: int = TRAIN_LENGTH
    ) -> dict[int, float]:
        """Returns mean perplexity over seeds by evaluation length, shortest first.

        Args:
            method: Key of the position method.
            protocol: "nonoverlapping" or "sliding_window".
            train_length: Tokens in a training window.

        Returns:
            Empty if there is no such record.
        """
        values: dict[int, list[float]] = {}
        for record in self.records:
            if (
                record["method"] == method
                and record["protocol"] == protocol
                and record["train_length"] == train_length
                and _is_published_form(record)
            ):
                values.setdefault(record["eval_length"], []).append(record["perplexity"])
        return {length: sum(of) / len(of) for length, of in sorted(values.items())}


def _is_published_form(record: Mapping[str, Any]) -> bool:
    """Returns whether a record's checkpoint is of the method as published, not of a variant."""
    name = str(record.get("checkpoint", "")).rstrip("/").split("/")[-1]
    return bool(re.fullmatch(r"[a-z0-9]+-L\d+-s\d+", name))


def at_training_length(experiment: Experiment) -> str:
    """Returns how the methods rank at the length they were trained on."""
    ranked = sorted(
        (curve[TRAIN_LENGTH], LABELS[method])
        for method in LABELS
        if TRAIN_LENGTH in (curve := experiment.curve(method))
    )
    if len(ranked) < 2:
        return ""
    listed = ", ".join(f"{label} {value:.2f}" for value, label in ranked)
    return f"perplexity at the training length of {TRAIN_LENGTH} tokens, best first: {listed}."


def growth(method: str) -> "_Growth":
    """Returns the sentence that follows one method from the training length to the longest."""
    return _Growth(method)


@dataclass(frozen=True)
class _Growth:
    """Says where a method's perplexity starts, is lowest and ends."""

    method: str

    def __call__(self, experiment: Experiment) -> str:
        curve = experiment.curve(self.method)
        if TRAIN_LENGTH not in curve or len(curve) < 2:
            return ""
        beyond = {length: value for length, value in curve.items() if length >= TRAIN_LENGTH}
        best, last = min(beyond, key=lambda length: beyond[length]), max(beyond)
        return (
            f"our {LABELS[self.method]} model, trained on {TRAIN_LENGTH} tokens, goes from "
            f"{curve[TRAIN_LENGTH]:.2f} at {TRAIN_LENGTH} to {curve[last]:.2f} at {last:,} tokens; "
            f"lowest: {curve[best]:.2f} at {best:,} ({best / TRAIN_LENGTH:g} times its training "
            "length; nonoverlapping)."
        )


def both_protocols(experiment: Experiment) -> str:
    """Returns how far ALiBi's perplexity moves under each evaluation protocol."""
    blocks = experiment.curve("alibi")
    sliding = experiment.curve("alibi", "sliding_window")
    common = sorted(length for length in blocks.keys() & sliding.keys() if length >= TRAIN_LENGTH)
    if len(common) < 2:
        return ""
    first, last = common[0], common[-1]
    return (
        f"from {first:,} to {last:,} tokens, nonoverlapping windows take our ALiBi model from "
        f"{blocks[first]:.2f} to {blocks[last]:.2f}, a sliding window from {sliding[first]:.2f} to "
        f"{sliding[last]:.2f}."
    )


def half_the_length(experiment: Experiment) -> str:
    """Returns ALiBi trained on L beside sinusoidal trained on 2 L, both read at 2 L."""
    pairs = []
    for length in (64, TRAIN_LENGTH):
        alibi = experiment.curve("alibi", train_length=length).get(2 * length)
        sinusoidal = experiment.curve("sinusoidal", train_length=2 * length).get(2 * length)
        if alibi is not None and sinusoidal is not None:
            pairs.append(
                f"at {2 * length} tokens, ALiBi trained on {length} has {alibi:.2f} and "
                f"sinusoidal trained on {2 * length} has {sinusoidal:.2f}"
            )
    return "; ".join(pairs) + " (equal numbers of training tokens)." if pairs else ""


def nope_beside_alibi(experiment: Experiment) -> str:
    """Returns the two methods at the training length and at the longest length of both."""
    nope, alibi = experiment.curve("nope"), experiment.curve("alibi")
    common = sorted(length for length in nope.keys() & alibi.keys() if length >= TRAIN_LENGTH)
    if len(common) < 2:
        return ""
    first, last = common[0], common[-1]
    return (
        f"our NoPE model goes from {nope[first]:.2f} at {first:,} to {nope[last]:.2f} at {last:,} "
        f"tokens, ALiBi from {alibi[first]:.2f} to {alibi[last]:.2f} (code, not tasks)."
    )
