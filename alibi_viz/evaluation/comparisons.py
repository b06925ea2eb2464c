"""Records side by side: means over seeds by one rule, and paired differences; torch-free."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from alibi_viz.data.corpus import NAMED_TEXTS
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.stretch import Stretch, named_stretch
from alibi_viz.maths.paired import Comparison, Word, compare
from alibi_viz.positions import METHODS
from alibi_viz.words import signed

_BESIDE: dict[Word, str] = {
    "ahead": "ahead of",
    "behind": "behind",
    "level": "level with",
    "undecided": "undecided against",
}


def by_length(records: Iterable[Record]) -> dict[int, list[Record]]:
    """Returns records by evaluation length, shortest first, of the same seeds at every length.

    A mean over other seeds at each length would compare models with models. So where some seeds
    were measured at every length, those that were not are left out.

    Args:
        records: Of one method and protocol; at most one of each seed and length.
    """
    of_length: dict[int, dict[int, Record]] = {}
    for record in sorted(records, key=lambda record: (record.eval_length, record.seed)):
        of_length.setdefault(record.eval_length, {})[record.seed] = record
    everywhere = set[int]().union(*of_length.values()).intersection(*of_length.values())
    return {
        length: [by_seed[seed] for seed in by_seed if not everywhere or seed in everywhere]
        for length, by_seed in of_length.items()
    }


def compare_records(first: Sequence[Record], second: Sequence[Record]) -> Comparison:
    """Returns how two sides differ on the blocks that both scored, over the seeds that both have.

    Args:
        first: One record a seed, all on the same targets of a named text.
        second: Likewise, of the same text; a sample has the blocks of its sample.

    Raises:
        ValueError: No seed in common, or records of different texts or targets.
    """
    seeds = sorted({r.seed for r in first} & {r.seed for r in second})
    texts = {(record.text, record.corpus) for record in (*first, *second)}
    if not seeds or len(texts) != 1:
        raise ValueError(
            f"sides must share a seed and one text, got seeds {sorted(r.seed for r in first)} and "
            f"{sorted(r.seed for r in second)}, texts {sorted(text for text, _ in texts)}"
        )
    sides = [{record.seed: record for record in side} for side in (first, second)]
    scored = [_scored(side[seeds[0]]) for side in sides]
    common = np.intersect1d(scored[0].blocks, scored[1].blocks)
    losses = []
    for side, stretch in zip(sides, scored, strict=True):
        wanted = np.isin(stretch.blocks, common)
        for seed in seeds:
            if side[seed].targets != stretch.fingerprint:
                raise ValueError(
                    f"{side[seed].checkpoint} was scored on targets {side[seed].targets}, not "
                    f"on {stretch.fingerprint} of {side[seed].text}"
                )
        losses.append(np.stack([side[seed].block_losses[wanted] for seed in seeds]))
    tokens = scored[0].block_tokens[np.isin(scored[0].blocks, common)]
    return compare(losses[0], losses[1], tokens, scored[0].file_of[common])


def comparison_of(first: Sequence[Record], second: Sequence[Record]) -> Comparison | None:
    """Returns how two sides differ, or None where they cannot be compared block by block.

    That is so of records of a text file, of a text that has changed since, and of sides that have
    no seed in common.

    Args:
        first: One record a seed.
        second: One record a seed.
    """
    sides = [[record for record in side if _has_blocks(record)] for side in (first, second)]
    seeds = {record.seed for record in sides[0]} & {record.seed for record in sides[1]}
    texts = {(record.text, record.corpus) for side in sides for record in side}
    return _compared(*map(tuple, sides)) if seeds and len(texts) == 1 else None


@lru_cache(maxsize=1024)
def _compared(first: tuple[Record, ...], second: tuple[Record, ...]) -> Comparison:
    """A page asks again with every rerun, and thousands of resamples take their time."""
    return compare_records(first, second)


def _has_blocks(record: Record) -> bool:
    return record.text in NAMED_TEXTS and record.targets == _scored(record).fingerprint


def against(
    records: Iterable[Record], reference: str, **fields: object
) -> dict[str, dict[int, Comparison]]:
    """Returns how every other method stands to one, by method and evaluation length.

    Args:
        records: Comparable ones: methods as published, on one text.
        reference: Key of the method on the other side.
        fields: What both sides have in common, as `train_length=128, protocol="sliding_window"`.
    """
    records = list(records)
    lengths = sorted({record.eval_length for record in records})
    compared: dict[str, dict[int, Comparison]] = {}
    for length in lengths:
        other = side(records, method=reference, eval_length=length, **fields)
        for key in METHODS:
            own = side(records, method=key, eval_length=length, **fields)
            if key != reference and (found := comparison_of(own, other)):
                compared.setdefault(key, {})[length] = found
    return {key: compared[key] for key in METHODS if key in compared}


def told_by_word(compared: Mapping[str, Comparison], reference: str) -> str:
    """Returns what is ahead of a method, and what is behind it, by the rule of `maths.paired`.

    Args:
        compared: What stands on the first side, by its name in a sentence.
        reference: Name of the second side.

    Returns:
        As "ahead of ALiBi: T5 bias (-11.8 %); behind ALiBi: NoPE (+50.1 %)"; "" for nothing.
    """
    parts = []
    for word, before in _BESIDE.items():
        ranked = sorted(
            (of.difference, f"{name} ({signed(of.percent[0], 1)} %)")
            for name, of in compared.items()
            if of.word == word
        )
        if ranked:
            parts.append(f"{before} {reference}: {', '.join(text for _, text in ranked)}")
    return "; ".join(parts)


def change_text(change: Comparison) -> str:
    """Returns a change of perplexity with its 95 % interval, as "+1.2 % (+0.4 to +2.0 %)"."""
    middle, low, high = (signed(value, 1) for value in change.percent)
    return f"{middle} % ({low} to {high} %)"


def side(records: Iterable[Record], **fields: object) -> list[Record]:
    """Returns the records with these values, one a seed, of a whole text rather than a sample.

    Args:
        records: Of any results file.
        fields: Values by their names in `Record`, as `method="alibi", eval_length=128`.
    """
    found: dict[int, Record] = {}
    for record in records:
        if all(getattr(record, name) == value for name, value in fields.items()):
            known = found.get(record.seed)
            if known is None or record.tokens_scored > known.tokens_scored:
                found[record.seed] = record
    return [found[seed] for seed in sorted(found)]


def _scored(record: Record) -> Stretch:
    return named_stretch(record.text, record.sample)
