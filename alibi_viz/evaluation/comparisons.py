"""Records side by side: means over seeds by one rule, and paired differences; torch-free."""

from collections.abc import Iterable, Sequence

import numpy as np

from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.stretch import Stretch, named_stretch
from alibi_viz.maths.paired import Comparison, compare


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
