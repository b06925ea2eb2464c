"""Where the project keeps its files: everything relative to the package, never to the caller."""

from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent

ASSETS = PROJECT / "assets"
CHECKPOINTS = ASSETS / "checkpoints"
RECALL_MODELS = ASSETS / "recall"
RESULTS = ASSETS / "results"
TEXTS = ASSETS / "texts"

FIRST_TEXT = "code"
"""The text that commands take unless told otherwise; runs on another have its name in theirs."""

# What a machine makes for itself; git ignores both.
RUNS = PROJECT / "runs"
CACHE = PROJECT / "var"


def tokenizer_folder(text: str = FIRST_TEXT) -> Path:
    """Returns where the tokenizer and the validation tokens of a named text lie."""
    return ASSETS / "tokenizer" / text


def run_name(method: str, train_length: int, seed: int, *, text: str = FIRST_TEXT) -> str:
    """Returns what a run and its checkpoint are called: "alibi-L128-s0", "prose-alibi-L128-s0"."""
    prefix = "" if text == FIRST_TEXT else f"{text}-"
    return f"{prefix}{method}-L{train_length}-s{seed}"


def relative_to_project(path: Path) -> str:
    """Returns `path` as a record writes it: from the project's root where it lies below it."""
    resolved = path.resolve()
    return (
        resolved.relative_to(PROJECT).as_posix()
        if resolved.is_relative_to(PROJECT)
        else resolved.name
    )
