"""What is measured of finding again, one record a measurement; torch-free."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from alibi_viz.evaluation.records import Record
from alibi_viz.paths import RESULTS


@dataclass(frozen=True)
class RecallRecord:
    """One recall model's answers in windows of one length."""

    schema: ClassVar[int] = 1
    file: ClassVar[Path] = RESULTS / "recall.json"

    variant: str
    """Key of the kind of model, see `alibi_viz.retrieval.plan.RECALL_VARIANTS`."""
    seed: int
    """Of the training run."""
    stretching: str
    """How the model was stretched; "as-trained" if it was not."""
    eval_length: int
    """Tokens in a window."""
    questions: int
    """Questions in each window."""
    right: tuple[int, ...]
    """(window,) questions answered rightly; the same windows for every model."""
    right_by_depth: tuple[int, ...]
    """(depth,) questions answered rightly by eighth of the window that the needle lies in, nearest
    first."""
    asked_by_depth: tuple[int, ...]
    """(depth,) questions asked."""
    command: str
    """What was typed to measure it."""

    def __post_init__(self) -> None:
        """Makes tuples of the lists that JSON brings."""
        _with_tuples(self)

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two records the same measurement."""
        return (self.variant, self.stretching, self.seed, self.eval_length)

    @property
    def accuracy(self) -> float:
        """Share of the questions answered rightly."""
        return sum(self.right) / (len(self.right) * self.questions)


@dataclass(frozen=True)
class RecallHeads:
    """What the heads of one recall model know of content, and how much they look."""

    schema: ClassVar[int] = 1
    file: ClassVar[Path] = RESULTS / "recall_heads.json"

    variant: str
    """Key of the kind of model."""
    seed: int
    """Of the training run."""
    eval_length: int
    """Tokens in the windows that the weights were measured in."""
    slopes: tuple[float, ...] | None
    """(head,) in nats per token; None where the bias is no slope."""
    gaps: tuple[float, ...] | None
    """(head,) content logit of the asked needle above filler's, in nats; None where position lies
    in the content."""
    weights: tuple[tuple[float, ...], ...]
    """(head, depth) mean attention on the asked needle, by eighth of the window, nearest first."""
    command: str
    """What was typed to measure it."""

    def __post_init__(self) -> None:
        """Makes tuples of the lists that JSON brings."""
        _with_tuples(self)

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two records the same measurement."""
        return (self.variant, self.seed, self.eval_length)


def model_name(checkpoint: str, seed: int) -> str:
    """Returns the name of a kind of model: its checkpoint's, without the seed.

    >>> model_name("assets/checkpoints/alibi-e16-L128-s2", 2)
    'alibi-e16-L128'
    """
    return checkpoint.rsplit("/", 1)[-1].removesuffix(f"-s{seed}")


@dataclass(frozen=True)
class OfModel:
    """Which language model was measured, and how it was changed."""

    checkpoint: str
    """Where the model lies, from the project's folder."""
    method: str
    """Key of the position method."""
    seed: int
    """Of the training run."""
    train_length: int
    """Tokens in a training window."""
    stretching: str
    """How the model was stretched; "as-trained" if it was not."""
    tuned_length: int
    """Tokens in the windows of a short training after that; 0 if there was none."""
    text: str
    """Name of the text that it is measured on."""
    corpus: str
    """Name, version and SHA-256 of the text."""
    command: str
    """What was typed to measure it."""

    @property
    def model(self) -> str:
        """Name of the kind of model: the checkpoint's, without its seed."""
        return model_name(self.checkpoint, self.seed)

    @property
    def model_key(self) -> tuple[Any, ...]:
        """What makes two models the same."""
        named = (self.method, self.train_length, self.seed, self.checkpoint)
        return (*named, self.tuned_length, self.stretching)


@dataclass(frozen=True)
class CopyRecord(OfModel):
    """What a first copy is worth to one language model, at one distance."""

    schema: ClassVar[int] = 1
    file: ClassVar[Path] = RESULTS / "copying.json"

    kind: str
    """"real" for snippets of text, "random" for tokens drawn evenly."""
    distance: int
    """From a token of the second copy back to the same one of the first, in tokens."""
    same: tuple[float, ...]
    """(trial,) mean loss with the snippet in both places, in nats per token."""
    other: tuple[float, ...]
    """(trial,) mean loss with another snippet in the first place, in nats per token."""

    def __post_init__(self) -> None:
        """Makes tuples of the lists that JSON brings."""
        _with_tuples(self)

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two records the same measurement."""
        return (*self.model_key, self.kind, self.distance)

    @property
    def gains(self) -> tuple[float, ...]:
        """(trial,) what the first copy is worth, in nats per token."""
        return tuple(b - a for a, b in zip(self.same, self.other, strict=True))

    @property
    def mean_gain(self) -> float:
        """Mean over trials."""
        return sum(self.gains) / len(self.gains)


@dataclass(frozen=True)
class StretchedRecord(Record):
    """One measured point of a stretched model; the rest as of a model that was not stretched."""

    schema: ClassVar[int] = 1
    file: ClassVar[Path] = RESULTS / "stretched.json"

    stretching: str
    """How the model was stretched; "as-trained" if it was not."""
    tuned_length: int
    """Tokens in the windows of a short training after that; 0 if there was none."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two records the same measurement."""
        return (*super().key, self.stretching, self.tuned_length)


def _with_tuples(record: Any) -> None:
    """Turns the lists of a record that comes from JSON, which has no tuples, into tuples."""
    for field in fields(record):
        object.__setattr__(record, field.name, _tuples(getattr(record, field.name)))


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
