"""Claims about finding things again, and what our recall models say about them."""

from collections.abc import Callable
from functools import partial

from alibi_viz.claims.claim import Claim, PageState
from alibi_viz.claims.experiment import Experiment
from alibi_viz.evaluation.records import TRAIN_LENGTH
from alibi_viz.maths.paired import Word
from alibi_viz.positions.stretch import AS_TRAINED
from alibi_viz.retrieval.needles import CHANCE
from alibi_viz.retrieval.results import Curve, compare_at
from alibi_viz.words import listed

_FAR, _FARTHEST = 16 * TRAIN_LENGTH, 64 * TRAIN_LENGTH


def found_at(length: int, *contenders: tuple[str, str, str]) -> Callable[[Experiment], str]:
    """Returns the sentence that says how much several recall models find at one length.

    Args:
        length: Tokens in a window.
        contenders: (kind of model, how it was stretched, what the sentence calls it) of each.
    """
    return partial(_found_at, length, contenders)


def _found_at(
    length: int, contenders: tuple[tuple[str, str, str], ...], experiment: Experiment
) -> str:
    told, seeds = [], 0
    for model, stretching, called in contenders:
        curve = _curve(experiment, model, stretching)
        if curve is None or length not in curve.places:
            return ""
        seeds = len(curve.seeds)
        told.append(f"{called} {100 * curve.mean[curve.places.index(length)]:.0f} %")
    return (
        f"with windows of {length:,} tokens, {length // TRAIN_LENGTH} times those of training, our "
        f"small models answer rightly: {listed(told)} (means of {seeds} seeds; a guess: "
        f"{100 * CHANCE:g} %)."
    )


def rope_beside_alibi(experiment: Experiment) -> str:
    """Returns how plain RoPE stands to plain ALiBi at every longer window, and stretched RoPE."""
    rope, alibi = (_curve(experiment, model, AS_TRAINED) for model in ("rope", "alibi"))
    yarn = _curve(experiment, "rope", "yarn-coded")
    if rope is None or alibi is None or yarn is None:
        return ""
    shared = sorted(set(rope.places) & set(alibi.places) & set(yarn.places))
    by_word: dict[Word, list[str]] = {}
    for place in shared:
        if place > TRAIN_LENGTH:
            found = compare_at(rope, alibi, place, more_is_better=True)
            by_word.setdefault(found.word, []).append(f"{place:,}")
    if not by_word:
        return ""
    told = [f"{word} at {listed(places)}" for word, places in by_word.items()]
    last = shared[-1]
    ends = [100 * float(c.mean[c.places.index(last)]) for c in (rope, alibi, yarn)]
    return (
        f"plain RoPE beside plain ALiBi, both trained on {TRAIN_LENGTH} tokens and asked for "
        f"needles, is {listed(told)} tokens; at {last:,} RoPE finds {ends[0]:.0f} %, ALiBi "
        f"{ends[1]:.0f} %, RoPE stretched by YaRN {ends[2]:.0f} %."
    )


def _curve(experiment: Experiment, model: str, stretching: str) -> Curve | None:
    for curve in experiment.recall:
        if (curve.model, curve.stretching) == (model, stretching):
            return curve
    return None


RECALL = (
    Claim(
        key="recency-costs",
        topic="length",
        statement="A penalty on distance costs a model what lies far back.",
        verdict="right",
        source="With the published slopes it does. Asked for needles at twice their training "
        "length, models of half a billion parameters find {drope_alibi} % with ALiBi and "
        "{drope_nope} % with no position at all. How much it costs is a matter of the slopes, not "
        "of the idea.",
        view=PageState("retrieval", {"contenders": "alibi,alibi-e4,alibi-e16,alibi-free4,nope"}),
        measured=found_at(
            _FAR,
            ("alibi-e4", AS_TRAINED, "ALiBi with exponent 4"),
            ("alibi", AS_TRAINED, "with the published 8"),
            ("alibi-e16", AS_TRAINED, "with 16"),
            ("alibi-free4", AS_TRAINED, "with half the heads free"),
            ("nope", AS_TRAINED, "NoPE"),
        ),
    ),
    Claim(
        key="rope-retrieves",
        topic="other methods",
        statement="RoPE finds things again over distance where ALiBi does not.",
        verdict="imprecise",
        source="Stretched or trained on, yes; as it is, no. At twice the training length plain "
        "RoPE finds {drope_rope} %, ALiBi {drope_alibi} %, RoPE with YaRN {drope_yarn} %, with "
        "NTK-aware scaling {drope_ntk} %.",
        view=PageState("retrieval", {"contenders": "alibi,rope,rope:ntk,rope:yarn-coded"}),
        measured=rope_beside_alibi,
    ),
    Claim(
        key="needs-no-stretching",
        topic="length",
        statement="ALiBi needs no stretching: it reads longer windows as it is.",
        verdict="imprecise",
        source="Its perplexity holds, yet what stands far back it hardly uses. Flatter slopes at "
        "inference are its stretching: in about 3,000 tokens BLOOM-1b7 finds {retrieval_plain} % "
        "of the topics as it is, {retrieval_ntk} % with slopes stretched unevenly.",
        view=PageState("retrieval", {"contenders": "alibi,alibi:slopes-pi,alibi:slopes-ntk"}),
        measured=found_at(
            _FARTHEST,
            ("alibi", AS_TRAINED, "ALiBi as it is"),
            ("alibi", "slopes-ntk", "with slopes stretched unevenly"),
            ("alibi", "slopes-pi", "with all slopes divided"),
            ("alibi", "slopes-pi+log-length", "with logits that grow with ln T as well"),
        ),
    ),
)
