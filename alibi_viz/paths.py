"""Where the project keeps its files: everything relative to the package, never to the caller."""

import os
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
IS_INSTALLED = (_PACKAGE / "bundled").is_dir()
"""Whether this is a wheel, which has app, pages and assets inside the package; else a checkout."""

PROJECT = _PACKAGE / "bundled" if IS_INSTALLED else _PACKAGE.parent

ASSETS = PROJECT / "assets"
CHECKPOINTS = ASSETS / "checkpoints"
RECALL_MODELS = ASSETS / "recall"
RESULTS = ASSETS / "results"
TEXTS = ASSETS / "texts"

FIRST_TEXT = "code"
"""The text that commands take unless told otherwise; runs on another have its name in theirs."""


def data_folder() -> Path:
    """Returns where a machine keeps what it makes: the checkout, or the user's folder for data.

    ALIBI_VIZ_DATA names another one.
    """
    if named := os.environ.get("ALIBI_VIZ_DATA"):
        return Path(named).expanduser().resolve()
    if not IS_INSTALLED:
        return PROJECT
    usual = {
        "win32": ("LOCALAPPDATA", "~/AppData/Local"),
        "darwin": ("", "~/Library/Application Support"),
    }
    name, otherwise = usual.get(sys.platform, ("XDG_DATA_HOME", "~/.local/share"))
    return Path(os.environ.get(name) or otherwise).expanduser() / "alibi-viz"


# git ignores both.
RUNS = data_folder() / "runs"
CACHE = data_folder() / "var"


def tokenizer_folder(text: str = FIRST_TEXT) -> Path:
    """Returns where the tokenizer and the validation tokens of a named text lie."""
    return ASSETS / "tokenizer" / text


def run_name(
    method: str, train_length: int, seed: int, *, text: str = FIRST_TEXT, variant: str = ""
) -> str:
    """Returns what a run and its checkpoint are called, as "alibi-L128-s0".

    Args:
        method: Key of the position method.
        train_length: Tokens in a training window.
        seed: Of parameters and batches.
        text: Name of the text that it is trained on.
        variant: What the model has otherwise than the bundled ones, as `ModelConfig.variant`.
    """
    prefix = "" if text == FIRST_TEXT else f"{text}-"
    suffix = f"-{variant}" if variant else ""
    return f"{prefix}{method}{suffix}-L{train_length}-s{seed}"


def relative_to_project(path: Path) -> str:
    """Returns `path` as a record writes it: from the project's root where it lies below it."""
    resolved = path.resolve()
    return (
        resolved.relative_to(PROJECT).as_posix()
        if resolved.is_relative_to(PROJECT)
        else resolved.name
    )
