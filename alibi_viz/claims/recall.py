"""Claims about finding things again, and what our recall models say about them."""

import math
from collections.abc import Callable, Mapping
from functools import partial

from alibi_viz.claims.claim import Claim, PageState
from alibi_viz.claims.experiment import Curves, Experiment
from alibi_viz.evaluation.records import TRAIN_LENGTH
from alibi_viz.maths.paired import Word
from alibi_viz.positions.stretch import AS_TRAINED
from alibi_viz.retrieval.needles import CHANCE
from alibi_viz.retrieval.results import compare_at
from alibi_viz.words import count, listed

_FAR, _FARTHEST = 16 * TRAIN_LENGTH, 64 * TRAIN_LENGTH
_COPIED = 4 * TRAIN_LENGTH
"""From copy to copy, in tokens."""


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
        curve = experiment.recall.get((model, stretching))
        if curve is None or length not in curve.places:
            return ""
        seeds = len(curve.seeds)
        told.append(f"{called} {100 * curve.mean_at(length):.0f} %")
    return (
        f"with windows of {length:,} tokens, {length // TRAIN_LENGTH} times those of training, our "
        f"small models answer rightly: {listed(told)} (means of {seeds} seeds; a guess: "
        f"{100 * CHANCE:g} %)."
    )


def rope_beside_alibi(experiment: Experiment) -> str:
    """Returns how plain RoPE stands to plain ALiBi at every longer window, and stretched RoPE."""
    rope, alibi = (experiment.recall.get((model, AS_TRAINED)) for model in ("rope", "alibi"))
    yarn = experiment.recall.get(("rope", "yarn-coded"))
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
    ends = [100 * curve.mean_at(last) for curve in (rope, alibi, yarn)]
    return (
        f"plain RoPE beside plain ALiBi, both trained on {TRAIN_LENGTH} tokens and asked for "
        f"needles, is {listed(told)} tokens; at {last:,} RoPE finds {ends[0]:.0f} %, ALiBi "
        f"{ends[1]:.0f} %, RoPE stretched by YaRN {ends[2]:.0f} %."
    )


def needles_and_copies(experiment: Experiment) -> str:
    """Returns what NoPE and T5 bias find again, of needles and of a text that stood before."""
    needles = found_at(
        _FAR,
        ("nope", AS_TRAINED, "NoPE"),
        ("t5", AS_TRAINED, "T5 bias"),
        ("alibi", AS_TRAINED, "ALiBi"),
    )(experiment)
    names = {"nope": "NoPE", "t5": "T5 bias", "alibi": "ALiBi"}
    gains, losses = (_copied(curves, names) for curves in (experiment.copying, experiment.losses))
    if not needles or min(len(gains), len(losses)) < len(names):
        return ""
    worth = [f"{label} {gain:.2f}" for label, gain in gains.items()]
    broken = [f"{label} {math.exp(loss):.1f}" for label, loss in losses.items()]
    return (
        f"{needles} In language models, real code that stood {_COPIED} tokens "
        f"before is worth, in nats a token, {listed(worth)}; perplexity in windows as long: "
        f"{listed(broken)}. NoPE's gain is one off a loss that has broken down. Not tested: larger "
        "models, tasks in language."
    )


def recency_taken_away(experiment: Experiment) -> str:
    """Returns where perplexity goes past the training length with less and less recency."""
    kinds = (
        ("alibi", AS_TRAINED, "ALiBi"),
        ("alibi", "flattest-freed", "with its two flattest slopes set to 0 after training"),
        ("alibi-e16", AS_TRAINED, "trained with exponent 16"),
        ("t5", AS_TRAINED, "T5 bias"),
        ("nope", AS_TRAINED, "NoPE"),
    )
    told = []
    for model, stretching, called in kinds:
        curve = experiment.losses.get((model, stretching))
        if curve is None or not {TRAIN_LENGTH, _FAR} <= set(curve.places):
            return ""
        first, last = (math.exp(curve.mean_at(length)) for length in (TRAIN_LENGTH, _FAR))
        told.append(f"{called} {first:.1f} to {last:.1f} ({count(len(curve.seeds), 'seed')})")
    return (
        f"from {TRAIN_LENGTH} to {_FAR:,} tokens perplexity goes: {'; '.join(told)}. A penalty in "
        "every head is not needed, and a learned bias does it too; with no bias at all perplexity "
        "breaks down. That agrees with the claim and does not prove it. Not tested: recency in the "
        "data without recency in the model, and larger models."
    )


def _copied(curves: Curves, names: Mapping[str, str]) -> dict[str, float]:
    """Returns means at the distance of a copy by label, of the kinds of models that have one."""
    found = ((label, curves.get((model, AS_TRAINED))) for model, label in names.items())
    return {
        label: curve.mean_at(_COPIED) for label, curve in found if curve and _COPIED in curve.places
    }


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
        source="Its perplexity holds, but it hardly uses what stands far back. Its kind of "
        "stretching is flatter slopes at inference: in about 3,000 tokens BLOOM-1b7 finds "
        "{retrieval_plain} % "
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
    Claim(
        key="nope-and-t5-find",
        topic="other methods",
        statement="Without position, or with T5's bias, a model finds things again far beyond its "
        "training length.",
        verdict="imprecise",
        source="By rank over ten small tasks NoPE leads: mean reciprocal rank {rank_nope}, T5 "
        "{rank_t5}, ALiBi {rank_alibi}, rotary {rank_rope}. Needles at twice the training length, "
        "models of half a billion parameters: {drope_nope} % with no position, {drope_alibi} % "
        "with ALiBi: it is ahead, and still loses nine in ten.",
        view=PageState("retrieval", {"contenders": "alibi,nope,t5"}),
        measured=needles_and_copies,
    ),
    Claim(
        key="recency-extrapolates",
        topic="length",
        statement="Recency bias is what makes ALiBi extrapolate.",
        verdict="open",
        source="The paper reports that perplexity holds, {alibi_512_512} at the training length "
        "and {alibi_512_last} at the longest window, not why. A later paper warns that perplexity "
        "on running text rewards recency by itself.",
        view=PageState("extrapolation", {"methods": "ALiBi,T5 bias,NoPE"}),
        cites=(("kazemnejad2023nope", "section 7"),),
        measured=recency_taken_away,
    ),
)
