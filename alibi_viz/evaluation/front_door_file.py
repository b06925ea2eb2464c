"""The recorded picture of the front door, as a file; reading it imports no torch."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from alibi_viz.files import read_json, write_json
from alibi_viz.paths import RESULTS

FRONT_DOOR_FILE = RESULTS / "front_door.json"
SCHEMA = 1
LENGTHS = (16, 32, 64, 128, 256, 512, 1024)
"""Tokens that are read, the last word included."""


@dataclass(frozen=True)
class Ending:
    """The end of a text as several models read it, at several lengths."""

    text: str
    """Name of the text that the models were trained on."""
    train_length: int
    """Tokens in a training window."""
    looks: tuple[dict[str, Any], ...]
    """One `evaluation.last_word.LastWord` a model and length."""

    @property
    def lengths(self) -> list[int]:
        """Tokens read, rising."""
        return sorted({look["length"] for look in self.looks})


def save_ending(ending: Ending, command: str, path: Path = FRONT_DOOR_FILE) -> None:
    """Writes an ending, with the command that made it."""
    write_json(path, {"schema": SCHEMA, "command": command, **asdict(ending)})


def load_ending(path: Path = FRONT_DOOR_FILE) -> Ending:
    """Returns the recorded ending.

    Raises:
        ValueError: The file cannot be read, or is of another kind.
    """
    content = read_json(path)
    try:
        if content["schema"] != SCHEMA:
            raise ValueError(f"{path} has schema {content['schema']!r}, not {SCHEMA}")
        return ending_of(content)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} holds no recorded ending: {error!r}") from None


def ending_of(content: dict[str, Any]) -> Ending:
    """Returns an ending from what JSON held of it."""
    return Ending(content["text"], content["train_length"], tuple(content["looks"]))
