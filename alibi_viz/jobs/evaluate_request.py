"""Models to measure on a text, within what a shared server can bear."""

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from alibi_viz.evaluation.score import PROTOCOLS, Protocol
from alibi_viz.jobs import limits
from alibi_viz.jobs.limits import check_choice
from alibi_viz.jobs.texts import (
    HUB_PREFIX,
    LIBRARY,
    HubText,
    own_texts,
    spelled_path,
    text_arguments,
)
from alibi_viz.jobs.train_request import own_model_folder
from alibi_viz.paths import CHECKPOINTS

# Files in the job's folder.
RECORDS = "records.json"
EVALUATION_PROGRESS = "evaluation.jsonl"
FETCHED_TEXT = "text.txt"
_CHECKPOINT = re.compile(r"(bundled|own):[A-Za-z0-9][A-Za-z0-9._-]{0,80}")


@dataclass(frozen=True)
class EvaluateRequest:
    """Models to measure on a text, at several lengths."""

    kind: ClassVar[str] = "evaluate"

    checkpoints: tuple[str, ...]
    """What to measure: "bundled:<folder>" or "own:<id of a training job>"."""
    lengths: tuple[int, ...]
    """Evaluation lengths, in tokens."""
    protocol: Protocol = "nonoverlapping"
    """How windows are laid."""
    text: str = LIBRARY
    """The validation part, the id of a text that visitors brought, or "hub:<data set>"."""

    def __post_init__(self) -> None:
        """Raises ValueError on what is not allowed, with the value and what is."""
        check_choice("protocol", self.protocol, PROTOCOLS)
        allowed = (
            limits.SLIDING_LENGTHS if self.protocol == "sliding_window" else limits.EVAL_LENGTHS
        )
        for length in self.lengths:
            check_choice("length", length, allowed)
        if not self.lengths:
            raise ValueError("choose at least one length")
        if not 1 <= len(self.checkpoints) <= limits.MAX_CHECKPOINTS:
            raise ValueError(
                f"choose 1 to {limits.MAX_CHECKPOINTS} models, not {len(self.checkpoints)}"
            )
        for checkpoint in self.checkpoints:
            checkpoint_folder(checkpoint, Path())
        # Order and repetition change nothing, so they must not change the key either.
        object.__setattr__(self, "checkpoints", tuple(sorted(set(self.checkpoints))))
        object.__setattr__(self, "lengths", tuple(sorted(set(self.lengths))))
        if self.text.startswith(HUB_PREFIX):
            HubText.parse(self.text)
        else:
            text_arguments(self.text)

    def to_json(self) -> dict[str, Any]:
        """Returns the parameters as JSON can hold them."""
        return asdict(self)

    def texts(self) -> tuple[str, ...]:
        """Returns the ids of the visitors' texts that it reads."""
        return own_texts(self.text)

    def arguments(self, folder: Path) -> list[str]:
        """Returns what follows `python -m alibi_viz`, without where records are put.

        Args:
            folder: The job's folder; own models lie beside it.
        """
        paths = [spelled_path(checkpoint_folder(name, folder.parent)) for name in self.checkpoints]
        text = (
            ["--text", spelled_path(folder / FETCHED_TEXT)]
            if self.text.startswith(HUB_PREFIX)
            else text_arguments(self.text)
        )
        return [
            *("evaluate", *paths),
            *("--lengths", *map(str, self.lengths)),
            *("--protocol", self.protocol),
            *("--tokens", str(limits.TOKENS_SCORED[self.protocol]), *text),
        ]

    def commands(self, folder: Path) -> list[list[str]]:
        """Returns the commands that fetch the text where it is on the hub, and measure."""
        place = [
            *("--output", spelled_path(folder / RECORDS)),
            *("--progress", spelled_path(folder / EVALUATION_PROGRESS)),
        ]
        measure = [*self.arguments(folder), *place]
        if not self.text.startswith(HUB_PREFIX):
            return [measure]
        return [HubText.parse(self.text).arguments(folder / FETCHED_TEXT), measure]


def checkpoint_folder(name: str, jobs: Path) -> Path:
    """Returns where the model "bundled:<folder>" or "own:<id of a training job>" lies.

    Args:
        name: The model.
        jobs: Folder of the jobs.

    Raises:
        ValueError: Neither of the two forms.
    """
    if not _CHECKPOINT.fullmatch(name):
        raise ValueError(f"no such model: {name!r}")
    origin, _, folder = name.partition(":")
    return CHECKPOINTS / folder if origin == "bundled" else own_model_folder(jobs / folder)
