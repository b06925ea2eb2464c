"""What our own experiment says about a claim, in one sentence each, from the evaluation records."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from alibi_viz.evaluation.comparisons import (
    against,
    by_length,
    change_text,
    comparison_of,
    side,
    told_by_word,
)
from alibi_viz.evaluation.records import TRAIN_LENGTH, CostRecord, Record
from alibi_viz.maths.paired import mean_perplexity
from alibi_viz.positions import METHODS
from alibi_viz.retrieval.results import Curve
from alibi_viz.words import signed

Curves = Mapping[tuple[str, str], Curve]
"""By kind of model and how it was stretched; see `task_map.contenders`."""


@dataclass(frozen=True)
class Experiment:
    """What was measured, as the sentences ask for it."""

    records: Sequence[Record]
    """All of them comparable; may be empty."""
    same_text: Sequence[Record] = ()
    """Those of both protocols that score the same tokens; may be empty."""
    costs: Sequence[CostRecord] = ()
    """What each method costs; may be empty."""
    recall: Curves = field(default_factory=dict)
    """What recall models answer by the length of the window; may be empty."""
    copying: Curves = field(default_factory=dict)
    """What a first copy is worth to language models, by distance; may be empty."""
    losses: Curves = field(default_factory=dict)
    """Losses of language models, variants and stretched ones included; may be empty."""

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
        return {
            length: mean_perplexity([record.nll for record in of_seeds])
            for length, of_seeds in self._by_length(method, protocol, train_length).items()
        }

    def n_seed(self, *methods: str) -> int:
        """Returns how many seeds there are of each method at the training length, at least."""
        values = [self._by_length(method, "nonoverlapping", TRAIN_LENGTH) for method in methods]
        return min((len(of_length.get(TRAIN_LENGTH, [])) for of_length in values), default=0)

    def beside_alibi(self, eval_length: int, methods: Sequence[str] = tuple(METHODS)) -> str:
        """Returns which methods are ahead of ALiBi and which behind; "" where none was paired.

        Args:
            eval_length: Tokens in a nonoverlapping window.
            methods: Keys of the methods that matter.
        """
        there = [record for record in self.records if record.eval_length == eval_length]
        fields = {"train_length": TRAIN_LENGTH, "protocol": "nonoverlapping"}
        compared = against(there, "alibi", **fields)
        return told_by_word(
            {_name(key): of[eval_length] for key, of in compared.items() if key in methods},
            _name("alibi"),
        )

    def _by_length(self, method: str, protocol: str, train_length: int) -> dict[int, list[Record]]:
        """Returns records by evaluation length."""
        wanted = (method, protocol, train_length)
        return by_length(
            record
            for record in self.records
            if (record.method, record.protocol, record.train_length) == wanted
        )


def _name(method: str) -> str:
    """Returns a method's label as it stands within a sentence: "sinusoidal", but "ALiBi"."""
    label = METHODS[method].label
    return label.lower() if label.istitle() else label


def _over_seeds(experiment: Experiment, *methods: str) -> str:
    """Returns what a mean is over, to put behind it; empty for a single seed."""
    count = experiment.n_seed(*methods)
    return f" (means of {count} seeds)" if count > 1 else ""


def at_training_length(experiment: Experiment) -> str:
    """Returns how the methods rank at the length they were trained on."""
    ranked = sorted(
        (curve[TRAIN_LENGTH], method)
        for method in METHODS
        if TRAIN_LENGTH in (curve := experiment.curve(method))
    )
    if len(ranked) < 2:
        return ""
    listed = ", ".join(f"{_name(method)} {value:.2f}" for value, method in ranked)
    over = _over_seeds(experiment, *(method for _, method in ranked))
    beside = experiment.beside_alibi(TRAIN_LENGTH)
    return (
        f"perplexity at the training length of {TRAIN_LENGTH} tokens{over}, lowest first: "
        f"{listed}.{f' On the same blocks, {beside}.' if beside else ''}"
    )


def growth(method: str) -> Callable[[Experiment], str]:
    """Returns the sentence that follows one method from the training length to the longest."""
    return partial(_growth, method)


def _growth(method: str, experiment: Experiment) -> str:
    """Returns where a method's perplexity starts, is lowest and ends."""
    curve = experiment.curve(method)
    if TRAIN_LENGTH not in curve or len(curve) < 2:
        return ""
    beyond = {length: value for length, value in curve.items() if length >= TRAIN_LENGTH}
    best, last = min(beyond, key=lambda length: beyond[length]), max(beyond)
    return (
        f"our {_name(method)} model, trained on {TRAIN_LENGTH} tokens"
        f"{_over_seeds(experiment, method)}, goes from {curve[TRAIN_LENGTH]:.2f} at "
        f"{TRAIN_LENGTH} to {curve[last]:.2f} at {last:,} tokens; lowest: {curve[best]:.2f} at "
        f"{best:,} ({best / TRAIN_LENGTH:g} times its training length; nonoverlapping)"
        f"{_sliding(method, experiment)}."
    )


def _sliding(method: str, experiment: Experiment) -> str:
    """Returns the same with a sliding window, where every token has context; empty without it."""
    curve = experiment.curve(method, "sliding_window")
    beyond = {length: value for length, value in curve.items() if length >= TRAIN_LENGTH}
    if TRAIN_LENGTH not in beyond or len(beyond) < 2:
        return ""
    best, last = min(beyond, key=lambda length: beyond[length]), max(beyond)
    return (
        f"; with a sliding window, over fewer tokens, from {curve[TRAIN_LENGTH]:.2f} to "
        f"{curve[last]:.2f} at {last:,}, lowest {curve[best]:.2f} at {best:,}"
    )


def both_protocols(experiment: Experiment) -> str:
    """Returns how far ALiBi's perplexity moves under each evaluation protocol."""
    both = Experiment(experiment.same_text)
    blocks = both.curve("alibi")
    sliding = both.curve("alibi", "sliding_window")
    common = sorted(length for length in blocks.keys() & sliding.keys() if length >= TRAIN_LENGTH)
    if len(common) < 2:
        return ""
    first, last = common[0], common[-1]
    return (
        f"from {first:,} to {last:,} tokens, nonoverlapping windows take our ALiBi model"
        f"{_over_seeds(both, 'alibi')} from {blocks[first]:.2f} to {blocks[last]:.2f}, a "
        f"sliding window over the same tokens from {sliding[first]:.2f} to {sliding[last]:.2f}"
        f"{_change(both, first, last)}."
    )


def _change(both: Experiment, first: int, last: int) -> str:
    """Returns how ALiBi's perplexity changes with a sliding window, in words; "" if unpaired."""
    fields = {"method": "alibi", "train_length": TRAIN_LENGTH, "protocol": "sliding_window"}
    long, short = (side(both.records, **fields, eval_length=length) for length in (last, first))
    compared = comparison_of(long, short)
    if compared is None:
        return ""
    word = {"ahead": "lower", "behind": "higher"}.get(compared.word, compared.word)
    return f": {word}, {change_text(compared)}"


def half_the_length(experiment: Experiment) -> str:
    """Returns ALiBi trained on L beside sinusoidal trained on 2 L, both read at 2 L."""
    pairs = []
    for length in (64, TRAIN_LENGTH):
        alibi = experiment.curve("alibi", train_length=length).get(2 * length)
        sinusoidal = experiment.curve("sinusoidal", train_length=2 * length).get(2 * length)
        if alibi is not None and sinusoidal is not None:
            fields = {"protocol": "nonoverlapping", "eval_length": 2 * length}
            compared = comparison_of(
                side(experiment.records, method="alibi", train_length=length, **fields),
                side(experiment.records, method="sinusoidal", train_length=2 * length, **fields),
            )
            pairs.append(
                f"at {2 * length} tokens, ALiBi trained on {length} has {alibi:.2f} and "
                f"sinusoidal trained on {2 * length} has {sinusoidal:.2f}"
                + (f" ({compared.word}, {signed(compared.percent[0], 1)} %)" if compared else "")
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
        f"our NoPE model{_over_seeds(experiment, 'nope', 'alibi')} goes from {nope[first]:.2f} at "
        f"{first:,} to {nope[last]:.2f} at {last:,} tokens, ALiBi from {alibi[first]:.2f} to "
        f"{alibi[last]:.2f} (code, not tasks){_at_last(experiment, last)}."
    )


def _at_last(experiment: Experiment, last: int) -> str:
    beside = experiment.beside_alibi(last, ("nope",))
    return f"; there {beside}" if beside else ""


def training_speed(method: str) -> Callable[[Experiment], str]:
    """Returns the sentence that compares how fast a method trains with sinusoidal positions."""
    return partial(_training_speed, method)


def _training_speed(method: str, experiment: Experiment) -> str:
    """Returns how many tokens a second a method trains on, beside sinusoidal positions."""
    training = {cost.method: cost for cost in experiment.costs if cost.work == "training"}
    if not {method, "sinusoidal"} <= training.keys():
        return ""
    own, sinusoidal = training[method], training["sinusoidal"]
    return (
        f"our {_name(method)} model trains on {own.tokens_per_second:,} tokens a second against "
        f"sinusoidal's {sinusoidal.tokens_per_second:,}, "
        f"{own.speed_over_sinusoidal:.2f} of its speed (windows of {own.window} tokens; "
        f"{own.machine})."
    )
