"""Where the project keeps its files: everything relative to the package, never to the caller."""

from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent

ASSETS = PROJECT / "assets"
CHECKPOINTS = ASSETS / "checkpoints"
RESULTS = ASSETS / "results"
TOKENIZER = ASSETS / "tokenizer"

# What a machine makes for itself; git ignores both.
RUNS = PROJECT / "runs"
CACHE = PROJECT / "var"


def run_name(method: str, train_length: int, seed: int) -> str:
    """Returns what a run and its checkpoint are called, e.g. "alibi-L128-s0"."""
    return f"{method}-L{train_length}-s{seed}"


def relative_to_project(path: Path) -> str:
    """Returns `path` as a record writes it: from the project's root where it lies below it."""
    resolved = path.resolve()
    return (
        resolved.relative_to(PROJECT).as_posix()
        if resolved.is_relative_to(PROJECT)
        else resolved.name
    )
