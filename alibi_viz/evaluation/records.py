"""The results file: `{"schema": 1, "records": [...]}`, safe for several writers, and its checks."""

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from alibi_viz.evaluation.score import PROTOCOLS, Score
from alibi_viz.files import lock, read_json, write_bytes
from alibi_viz.paths import RESULTS
from alibi_viz.positions import find_method

SCHEMA = 1
EXTRAPOLATION_FILE = RESULTS / "extrapolation.json"
# What `python -m benchmarks.cost` writes: a row for each method and kind of work.
COST_SCHEMA = 2
COST_FILE = RESULTS / "cost.json"
TRAIN_LENGTH = 128
"""Training length that all methods share in the committed experiment, in tokens."""


@dataclass(frozen=True)
class Record:
    """One measured point: one model, one window length, one protocol."""

    method: str
    """Key of the position method."""
    seed: int
    """Of the training run."""
    train_length: int
    """Tokens in a training window."""
    eval_length: int
    """Tokens in an evaluation window."""
    protocol: str
    """"nonoverlapping" or "sliding_window"."""
    stride: int | None
    """Tokens scored in each sliding window; None for nonoverlapping."""
    tokens_scored: int
    """Number of targets."""
    nll: float
    """Mean loss, in nats per token."""
    perplexity: float
    """exp(nll)."""
    bits_per_byte: float
    """nll * tokens / (ln 2 * bytes)."""
    checkpoint: str
    """Where the model lies, from the project's folder."""
    corpus: str
    """Name, version and SHA-256 of the text."""
    command: str
    """What was typed to measure it."""

    def __post_init__(self) -> None:
        """Raises ValueError on a record that cannot be true; the message names the field."""
        find_method(self.method)
        if self.protocol not in PROTOCOLS:
            raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}: {self.protocol!r}")
        if (self.stride is None) != (self.protocol == "nonoverlapping"):
            raise ValueError(f"{self.protocol} cannot have stride {self.stride}")
        for name in ("train_length", "eval_length", "tokens_scored"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
        if not math.isfinite(self.nll):
            raise ValueError(f"nll must be finite, got {self.nll}")
        if not math.isclose(self.perplexity, math.exp(self.nll), rel_tol=1e-6):
            raise ValueError(f"perplexity {self.perplexity} is not exp(nll) of nll {self.nll}")

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two records the same measurement."""
        stride = 0 if self.stride is None else self.stride
        point = (self.method, self.train_length, self.seed, self.protocol, stride)
        return (*point, self.eval_length, self.checkpoint, self.corpus, self.tokens_scored)


def describe_corpus(corpus: dict[str, Any]) -> str:
    """Returns a corpus in one line, e.g. "python-stdlib 3.11.7 sha256:95be..."."""
    named = " ".join(part for part in (corpus["name"], corpus["version"]) if part)
    return f"{named} sha256:{corpus['fingerprint']}"


def score_fields(score: Score) -> dict[str, Any]:
    """Returns the measured fields of a record, rounded to what float32 is worth."""
    nll = round(score.nll, 7)
    return {
        "tokens_scored": score.tokens_scored,
        "nll": nll,
        "perplexity": float(f"{math.exp(nll):.9g}"),
        "bits_per_byte": round(score.bits_per_byte, 7),
    }


def parse_record(content: Any, where: str) -> Record:
    """Returns one record from its JSON.

    Raises:
        ValueError: Missing or unknown fields, or values that cannot be true.
    """
    names = [field.name for field in fields(Record)]
    if not isinstance(content, dict) or sorted(content) != sorted(names):
        raise ValueError(f"{where} must have exactly the fields {', '.join(names)}")
    try:
        return Record(**content)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {error}") from None


def load_records(path: Path = EXTRAPOLATION_FILE) -> list[Record]:
    """Returns the records of a results file, sorted by method, run, protocol and length.

    Raises:
        ValueError: No such file, another schema, or a record that cannot be true.
    """
    rows = read_rows(path, SCHEMA)
    return [parse_record(row, f"{path}, record {n}") for n, row in enumerate(rows)]


def add_records(records: Iterable[Record], path: Path = EXTRAPOLATION_FILE) -> None:
    """Adds records to a results file; a repeated measurement replaces the one before.

    Several processes may do so at once: each waits for its turn, and a reader sees the file before
    or after.

    Raises:
        ValueError: The file is there and cannot be read; it is left as it is.
    """
    with lock(path.with_name(f".{path.name}.lock")):
        merged = {record.key: record for record in load_records(path)} if path.is_file() else {}
        merged.update({record.key: record for record in records})
        write_records(path, SCHEMA, [asdict(merged[key]) for key in sorted(merged)])


def write_records(path: Path, schema: int, rows: Iterable[dict[str, Any]]) -> None:
    """Writes a file of records, one a line: readable, and a change of one changes one line."""
    body = ",\n".join(json.dumps(row, allow_nan=False) for row in rows)
    write_bytes(path, f'{{"schema": {schema}, "records": [\n{body}\n]}}\n'.encode())


def read_rows(path: Path, schema: int) -> list[Any]:
    """Returns what `write_records` wrote.

    Raises:
        ValueError: No such file, or another schema.
    """
    content = read_json(path)
    if not isinstance(content, dict) or content.get("schema") != schema:
        found = content.get("schema") if isinstance(content, dict) else None
        raise ValueError(f"{path} has schema {found!r}, this version reads {schema}")
    return list(content.get("records", []))
