"""The committed records as charts take them: read once for all, and again when the file changes."""

from functools import lru_cache
from pathlib import Path

from alibi_viz.charts.measured.curves import BundledModel, bundled_models, comparable, same_text
from alibi_viz.evaluation.comparisons import against
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.score import Protocol
from alibi_viz.evaluation.store import last_change, shared_records
from alibi_viz.files import last_written
from alibi_viz.maths.paired import Comparison
from alibi_viz.paths import CHECKPOINTS, FIRST_TEXT
from alibi_viz.retrieval.records import StretchedRecord
from alibi_viz.retrieval.results import Curve, perplexity_curves


def own_records(path: Path | None = None, *, text: str = FIRST_TEXT) -> tuple[Record, ...]:
    """Returns the records that may stand in one chart, shared by all; see `curves.comparable`.

    Args:
        path: A results file, the committed one if left out; no file is no record.
        text: Name of the text.

    Raises:
        ValueError: The file cannot be read, or holds what cannot be true.
    """
    path = path or Record.file
    return _comparable(path, last_written(path), text)


def same_text_records(path: Path | None = None, *, text: str = FIRST_TEXT) -> tuple[Record, ...]:
    """Returns the records of both protocols on the same tokens, shared; see `curves.same_text`.

    Args:
        path: As for `own_records`.
        text: Name of the text.

    Raises:
        ValueError: The file cannot be read, or holds what cannot be true.
    """
    path = path or Record.file
    return _same_text(path, last_written(path), text)


def all_records(path: Path | None = None) -> tuple[Record, ...]:
    """Returns every record of a results file, variants and all texts too; shared by all.

    Args:
        path: As for `own_records`.

    Raises:
        ValueError: The file cannot be read, or holds what cannot be true.
    """
    return shared_records(Record, path)


@lru_cache(maxsize=16)
def _comparable(path: Path, changed: int, text: str) -> tuple[Record, ...]:
    return tuple(comparable(all_records(path), text))


@lru_cache(maxsize=16)
def _same_text(path: Path, changed: int, text: str) -> tuple[Record, ...]:
    return tuple(same_text(all_records(path), text))


def stretched_records() -> tuple[StretchedRecord, ...]:
    """Returns every record of a stretched model, shared by all; none where there is no file.

    Raises:
        ValueError: The file cannot be read.
    """
    return shared_records(StretchedRecord)


def stretched_curves(protocol: Protocol) -> tuple[Curve, ...]:
    """Returns the loss of models as trained and stretched; see `results.perplexity_curves`.

    Args:
        protocol: How windows lie.

    Raises:
        ValueError: A file that cannot be read.
    """
    if not StretchedRecord.file.is_file():
        return ()
    return _curves(protocol, last_change(Record, StretchedRecord))


@lru_cache(maxsize=4)
def _curves(protocol: Protocol, changed: object) -> tuple[Curve, ...]:
    """Reads the files again only when one of them has changed."""
    return perplexity_curves(protocol)


def measured_texts(path: Path | None = None) -> tuple[str, ...]:
    """Returns the names of the texts that have records, the first of all texts first.

    Args:
        path: As for `own_records`.

    Raises:
        ValueError: The file cannot be read, or holds what cannot be true.
    """
    there = {record.text for record in all_records(path) if record.text}
    return tuple(sorted(there, key=lambda text: (text != FIRST_TEXT, text)))


def paired_differences(
    reference: str, *, text: str = FIRST_TEXT, train_length: int, protocol: Protocol
) -> dict[str, dict[int, Comparison]]:
    """Returns how every method stands to one, by method and evaluation length; shared by all.

    Args:
        reference: Key of the method on the other side.
        text: Name of the text.
        train_length: Tokens in a training window.
        protocol: How it was measured.

    Raises:
        ValueError: The file cannot be read, or holds what cannot be true.
    """
    return _compared(last_change(Record), reference, text, train_length, protocol)


@lru_cache(maxsize=64)
def _compared(
    changed: object, reference: str, text: str, train_length: int, protocol: Protocol
) -> dict[str, dict[int, Comparison]]:
    records = own_records(text=text)
    return against(records, reference, train_length=train_length, protocol=protocol)


def models_with_curves() -> tuple[BundledModel, ...]:
    """Returns every committed checkpoint with its curve, by name; shared by all.

    Raises:
        ValueError: A file that cannot be read.
    """
    return _models(*models_changed())


def models_changed() -> tuple[str, int]:
    """Returns where the committed checkpoints lie, and when one last changed, in nanoseconds."""
    changed = (path.stat().st_mtime_ns for path in CHECKPOINTS.glob("*/config.json"))
    return str(CHECKPOINTS), max(changed, default=0)


@lru_cache(maxsize=4)
def _models(folder: str, changed: int) -> tuple[BundledModel, ...]:
    return tuple(bundled_models(Path(folder)))
