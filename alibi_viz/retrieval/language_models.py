"""The language models that are stretched and asked to copy, as records describe them."""

from pathlib import Path
from typing import Any

from alibi_viz.data.prepared import load_validation, measured_text
from alibi_viz.evaluation.records import TRAIN_LENGTH, describe_corpus
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.provenance import command_line
from alibi_viz.paths import FIRST_TEXT, relative_to_project
from alibi_viz.retrieval.records import OfModel


def describe_model(
    folder: Path, about: dict[str, Any], stretching: str, tuned_length: int = 0
) -> OfModel:
    """Returns what a record says of a model that is measured on the validation tokens.

    Args:
        folder: Of its checkpoint.
        about: Content of its `config.json`.
        stretching: Name of how it is stretched.
        tuned_length: Tokens in the windows of a short training after that; 0 if there was none.
    """
    text = measured_text(about, str(folder))
    return OfModel(
        checkpoint=relative_to_project(folder),
        method=about["model"]["position"],
        seed=about["seed"],
        train_length=about["model"]["train_length"],
        stretching=stretching,
        tuned_length=tuned_length,
        text=text,
        corpus=describe_corpus(load_validation(text).corpus),
        command=command_line(),
    )


def is_stretched(config: ModelConfig, text: str) -> bool:
    """Returns whether a model is measured stretched too: the bundled kind, trained on code."""
    usual = (config.train_length, config.variant, text)
    return usual == (TRAIN_LENGTH, "", FIRST_TEXT)
