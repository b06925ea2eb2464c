"""What was measured, ours and the papers', as curves; torch-free."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from alibi_viz.evaluation.by_position import bands_of
from alibi_viz.evaluation.comparisons import by_length
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.score import Protocol
from alibi_viz.figures.measured.extrapolation import MethodCurve
from alibi_viz.figures.trained.losses import ValidationCurve
from alibi_viz.files import read_json
from alibi_viz.maths.paired import mean_perplexity
from alibi_viz.paths import CHECKPOINTS, FIRST_TEXT, run_name
from alibi_viz.positions import METHODS, find_method
from alibi_viz.published.curves import PublishedCurve, published_curves

MEASURES = ("perplexity", "bits per byte", "ratio")


@dataclass(frozen=True)
class BundledModel:
    """What a checkpoint says of itself, and how its loss fell."""

    name: str
    """Its folder."""
    about: dict[str, Any]
    """Its config.json."""
    validation: tuple[tuple[int, float], ...]
    """(point,) training tokens seen, and loss on the validation text in nats per token."""

    @property
    def method(self) -> str:
        """Key of its position method."""
        return str(self.about["model"]["position"])


def comparable(records: Sequence[Record], text: str = FIRST_TEXT) -> list[Record]:
    """Returns the records that may stand in one chart: methods as published, on one text.

    Variants (learned slopes, another exponent) stay out. Of the same point the record with most
    tokens is taken, and of those the one with the shortest stride.

    Args:
        records: Of any results file.
        text: Name of the text.
    """
    best: dict[tuple[Any, ...], Record] = {}
    for record in records:
        if record.text != text or not _is_as_published(record):
            continue
        point = (record.method, record.train_length, record.seed, record.protocol)
        key = (*point, record.eval_length)
        if key not in best or _rank(record) > _rank(best[key]):
            best[key] = record
    return list(best.values())


def same_text(records: Sequence[Record], text: str = FIRST_TEXT) -> list[Record]:
    """Returns comparable records of models that were measured by both protocols on the same tokens.

    A sliding window costs more, so it scores a sample of what `comparable` has nonoverlapping
    windows score. Here a perplexity of one protocol may be set beside one of the other.

    Args:
        records: Of any results file.
        text: Name of the text.

    Returns:
        The sliding records, and the nonoverlapping ones on the same sample; none of a model that
        lacks either.
    """
    sliding = [r for r in comparable(records, text) if r.protocol == "sliding_window"]
    scored = {_scored(record) for record in sliding}
    apart = [r for r in records if r.protocol == "nonoverlapping" and _scored(r) in scored]
    both = {_scored(record) for record in apart}
    return comparable([*apart, *(r for r in sliding if _scored(r) in both)], text)


def _scored(record: Record) -> tuple[str, str]:
    """Returns which model scored which tokens."""
    return record.checkpoint, record.targets


def _is_as_published(record: Record) -> bool:
    name = record.checkpoint.rstrip("/").split("/")[-1]
    return not record.variant and name == run_name(
        record.method, record.train_length, record.seed, text=record.text
    )


def _rank(record: Record) -> tuple[int, int]:
    return record.tokens_scored, -(record.stride or 0)


def own_curves(
    records: Sequence[Record], *, train_length: int, protocol: Protocol, measure: str
) -> list[MethodCurve]:
    """Returns one curve a method that has records, in the order of the registry.

    Args:
        records: Comparable records.
        train_length: Tokens in a training window.
        protocol: How it was measured.
        measure: One of `MEASURES`; "ratio" is each model's perplexity over its own at the
            training length.

    Returns:
        Means and ranges over seeds.
    """
    wanted = [r for r in records if (r.train_length, r.protocol) == (train_length, protocol)]
    longest = max((record.eval_length for record in wanted), default=0)
    curves = []
    for method in METHODS.values():
        points = _points([r for r in wanted if r.method == method.key], measure)
        if points:
            stops = method.ends_at_train_length and max(points) == train_length < longest
            curves.append(_curve(method.key, method.label, points, stops=stops, measure=measure))
    return curves


def _points(records: Iterable[Record], measure: str) -> dict[int, list[float]]:
    """Returns the values of all seeds by evaluation length, shortest first."""
    records = list(records)
    base = {r.seed: r.perplexity for r in records if r.eval_length == r.train_length}
    points: dict[int, list[float]] = {}
    for length, of_seeds in by_length(records).items():
        for record in of_seeds:
            if measure == "bits per byte":
                value = record.bits_per_byte
            elif measure == "perplexity":
                value = record.perplexity
            elif record.seed in base:
                value = record.perplexity / base[record.seed]
            else:
                continue
            points.setdefault(length, []).append(value)
    return points


def _curve(
    method: str, label: str, points: dict[int, list[float]], *, stops: bool, measure: str
) -> MethodCurve:
    values = list(points.values())
    # Losses are averaged over seeds: perplexities and ratios of them by their logarithms.
    is_loss = measure == "bits per byte"
    mean = [fmean(v) if is_loss else mean_perplexity([math.log(x) for x in v]) for v in values]
    return MethodCurve(
        method,
        label,
        np.array(list(points)),
        np.array(mean),
        np.array([min(seeds) for seeds in values]),
        np.array([max(seeds) for seeds in values]),
        np.array([len(seeds) for seeds in values]),
        ends="its table ends here" if stops else "",
    )


def spread_text(curve: MethodCurve, length: int) -> str:
    """Returns mean and range over seeds at an evaluation length, for a table; "-" without one.

    Args:
        curve: Of one method.
        length: Tokens in an evaluation window.
    """
    found = np.nonzero(curve.lengths == length)[0]
    if not len(found):
        return "-"
    mean, low, high = (float(part[found[0]]) for part in (curve.mean, curve.low, curve.high))
    digits = 2 if mean < 100 else 1
    if curve.n_seed[found[0]] == 1:
        return f"{mean:.{digits}f}"
    return f"{mean:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})"


def position_curves(
    records: Sequence[Record], *, train_length: int, methods: Iterable[str] = METHODS
) -> list[MethodCurve]:
    """Returns perplexity against the tokens of context, one curve a method that has records.

    A point is a band of positions and stands at its geometric mean.

    Args:
        records: Comparable records.
        train_length: Tokens in a training window.
        methods: Keys of the methods wanted.

    Returns:
        Means and ranges over seeds.
    """
    wanted: dict[tuple[str, int], list[Record]] = {}
    for record in records:
        if record.train_length == train_length and record.bands:
            wanted.setdefault((record.method, record.seed), []).append(record)
    bands = {model: bands_of(of_model) for model, of_model in wanted.items()}
    longest = max((known[-1].last for known in bands.values()), default=0)
    curves = []
    for key in METHODS:
        points: dict[int, list[float]] = {}
        for band in (b for (method, _), known in bands.items() if method == key for b in known):
            middle = round(math.sqrt(band.first * band.last))
            points.setdefault(middle, []).append(math.exp(band.nll))
        if points and key in methods:
            ends = {known[-1].last for (method, _), known in bands.items() if method == key}
            label = METHODS[key].label
            stops = max(ends) < longest
            curves.append(_curve(key, label, points, stops=stops, measure="perplexity"))
    return curves


def paper_curves(choice: str, protocol: Protocol, methods: Sequence[str]) -> list[PublishedCurve]:
    """Returns the paper's curves for one data set, training length and protocol.

    Args:
        choice: A data set and a training length, as "WikiText-103 512".
        protocol: How it was measured.
        methods: Keys of the methods to show.
    """
    corpus, length = choice.rsplit(" ", 1)
    return [
        curve
        for curve in published_curves()
        if curve.corpus.startswith(corpus)
        and curve.train_length == int(length)
        and curve.is_sliding == (protocol == "sliding_window")
        and curve.method in methods
    ]


def as_method_curve(curve: PublishedCurve, measure: str) -> MethodCurve:
    """Returns a curve of the paper as the figure draws it; the ratio where that is asked for."""
    values = np.array(curve.perplexities)
    if measure == "ratio":
        values = values / values[curve.lengths.index(curve.train_length)]
    return MethodCurve(
        curve.method,
        METHODS[curve.method].label,
        np.array(curve.lengths),
        values,
        values,
        values,
        np.ones(len(values), dtype=int),
        ends="out of memory" if curve.out_of_memory_from else "",
    )


def measure_title(measure: str, *, published: bool = False) -> str:
    """Returns the name of an axis; papers give no bits per byte, and keep perplexity."""
    if measure == "ratio":
        return "perplexity / perplexity at the training length"
    if measure == "bits per byte" and not published:
        return "bits per byte"
    return "perplexity per token"


def bundled_models(folder: Path | None = None) -> list[BundledModel]:
    """Returns every committed checkpoint with its curve, by name.

    Args:
        folder: Where checkpoints lie, each in a folder of its own; the committed ones if left out.

    Raises:
        ValueError: A file that cannot be read, or that lacks what a checkpoint says of itself.
    """
    models = []
    for path in sorted((folder or CHECKPOINTS).glob("*/config.json")):
        about, curve = read_json(path), path.with_name("curve.json")
        try:
            find_method(about["model"]["position"])
            points = read_json(curve)["validation"] if curve.is_file() else []
            validation = tuple((int(tokens), float(loss)) for tokens, loss in points)
            about["model"]["train_length"]
        except (KeyError, TypeError) as error:
            raise ValueError(f"{path.parent} holds no readable checkpoint: {error}") from None
        models.append(BundledModel(path.parent.name, about, validation))
    return models


def loss_curves(models: Sequence[BundledModel], train_length: int) -> list[ValidationCurve]:
    """Returns the validation curves of the models of one training length, each method named once.

    Args:
        models: Trained models, by name.
        train_length: Tokens in a training window.
    """
    curves, named = [], set()
    for model in models:
        if model.about["model"]["train_length"] != train_length or not model.validation:
            continue
        label = "" if model.method in named else METHODS[model.method].label
        named.add(model.method)
        curves.append(ValidationCurve(model.method, label, model.validation))
    return curves
