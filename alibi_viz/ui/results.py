"""Our own measurements, read from assets/results and the checkpoints beside them; torch-free."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from alibi_viz.evaluation.records import EXTRAPOLATION_FILE, Record, load_records
from alibi_viz.evaluation.score import Protocol
from alibi_viz.figures.extrapolation import MethodCurve
from alibi_viz.files import read_json
from alibi_viz.paths import CHECKPOINTS, PROJECT, RESULTS
from alibi_viz.positions import METHODS

Item = TypeVar("Item")
SWEEP_FILE = RESULTS / "sweep.json"
MEASURES = ("perplexity", "bits per byte", "ratio")


@dataclass(frozen=True)
class TrainedModel:
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


def explained(read: Callable[[], list[Item]]) -> list[Item]:
    """Returns what `read` returns; where it cannot, shows the reason and returns nothing.

    Args:
        read: Reads a file of results; its ValueError names the file and the reason.
    """
    try:
        return read()
    except ValueError as error:
        st.error(str(error).replace(f"{PROJECT}/", ""))
        return []


def own_records(path: Path | None = None) -> list[Record]:
    """Returns the records that are comparable: methods as published, one corpus, no duplicates.

    Variants (learned slopes, another exponent) have names of their own and stay out, as do texts
    other than the one that most records are about. Of the same point the record with most tokens
    is taken, and of those the one with the shortest stride.

    Args:
        path: A results file, the committed one if left out; no file is no record.

    Raises:
        ValueError: The file cannot be read, or holds what cannot be true.
    """
    path = path or EXTRAPOLATION_FILE
    if not path.is_file():
        return []
    return comparable(_records(str(path), path.stat().st_mtime_ns))


@st.cache_data(max_entries=4, show_spinner=False)
def _records(path: str, changed: int) -> list[Record]:
    """Reads a file again only when it has changed: `changed` is part of the cache's key."""
    return load_records(Path(path))


def comparable(records: Sequence[Record]) -> list[Record]:
    """Returns the records that may stand in one chart; see `own_records`."""
    published = [record for record in records if _is_as_published(record)]
    corpora = [record.corpus for record in published]
    corpus = max(sorted(set(corpora)), key=corpora.count, default="")
    best: dict[tuple[Any, ...], Record] = {}
    for record in published:
        if record.corpus != corpus:
            continue
        point = (record.method, record.train_length, record.seed, record.protocol)
        key = (*point, record.eval_length)
        if key not in best or _rank(record) > _rank(best[key]):
            best[key] = record
    return list(best.values())


def _is_as_published(record: Record) -> bool:
    name = record.checkpoint.rstrip("/").split("/")[-1]
    return re.fullmatch(rf"{record.method}-L{record.train_length}-s{record.seed}", name) is not None


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
            curves.append(_curve(method.key, method.label, points, train_length, longest))
    return curves


def _points(records: Iterable[Record], measure: str) -> dict[int, list[float]]:
    """Returns the values of all seeds by evaluation length, shortest first."""
    records = list(records)
    base = {r.seed: r.perplexity for r in records if r.eval_length == r.train_length}
    points: dict[int, list[float]] = {}
    for record in sorted(records, key=lambda record: record.eval_length):
        if measure == "bits per byte":
            value = record.bits_per_byte
        elif measure == "perplexity":
            value = record.perplexity
        elif record.seed in base:
            value = record.perplexity / base[record.seed]
        else:
            continue
        points.setdefault(record.eval_length, []).append(value)
    return points


def _curve(
    method: str, label: str, points: dict[int, list[float]], train_length: int, longest: int
) -> MethodCurve:
    values = list(points.values())
    stops = method == "learned" and max(points) == train_length < longest
    return MethodCurve(
        method,
        label,
        np.array(list(points)),
        np.array([np.mean(seeds) for seeds in values]),
        np.array([min(seeds) for seeds in values]),
        np.array([max(seeds) for seeds in values]),
        np.array([len(seeds) for seeds in values]),
        ends="its table ends here" if stops else "",
    )


def trained_models(folder: Path | None = None) -> list[TrainedModel]:
    """Returns every committed checkpoint with its curve, by name.

    Args:
        folder: Where checkpoints lie, each in a folder of its own; the committed ones if left out.

    Raises:
        ValueError: A file that cannot be read.
    """
    models = []
    for path in sorted((folder or CHECKPOINTS).glob("*/config.json")):
        curve = path.with_name("curve.json")
        points = read_json(curve)["validation"] if curve.is_file() else []
        models.append(
            TrainedModel(path.parent.name, read_json(path), tuple((int(t), x) for t, x in points))
        )
    return models


def sweep_trials(path: Path | None = None) -> list[dict[str, Any]]:
    """Returns the trials of the search for learning rates; none where there is no file.

    Args:
        path: A sweep's file, the committed one if left out.

    Raises:
        ValueError: The file cannot be read.
    """
    path = path or SWEEP_FILE
    return list(read_json(path)["trials"]) if path.is_file() else []


@st.cache_resource(show_spinner="asking torch for its devices")
def device_here() -> str:
    """Returns the device that training and evaluation would use on this machine.

    Asked in a process of its own: this one stays without torch.
    """
    code = (
        "import json, torch; from alibi_viz.model.device import choose_device; "
        "device = choose_device('auto'); "
        "print(json.dumps([device.type, torch.get_num_threads(), "
        "torch.cuda.get_device_name() if device.type == 'cuda' else '']))"
    )
    asked = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, timeout=120
    )
    if asked.returncode:
        return "torch could not be asked: " + asked.stderr.strip().splitlines()[-1]
    kind, threads, name = json.loads(asked.stdout)
    return f"CPU, {threads} threads" if kind == "cpu" else f"{kind.upper()} {name}".strip()
