"""A model to train, within what a shared server can bear."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from alibi_viz.jobs import limits
from alibi_viz.jobs.cost import probe_seconds, run_probes, step_probes
from alibi_viz.jobs.limits import check_choice, check_range, minutes
from alibi_viz.jobs.texts import LIBRARY, own_texts, spelled_path, text_arguments
from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT
from alibi_viz.positions import find_method

# Folder in the job's own: the run that can be resumed.
RUN = "run"


def own_model_folder(job: Path) -> Path:
    """Returns where a training job puts its finished model.

    Its name is unlike any other's: a record names a checkpoint by its folder.

    Args:
        job: The job's folder.
    """
    return job / f"own-{job.name}"


def slope_arguments(position: str, max_exponent: float, *, learned: bool) -> list[str]:
    """Returns the options of a command that choose ALiBi's slopes; none for another method.

    Args:
        position: Key of the position method.
        max_exponent: The flattest slope is 2 to minus this.
        learned: Whether slopes are trained.
    """
    if "max_exponent" not in find_method(position).settings:
        return []
    return ["--max-exponent", f"{max_exponent:g}", *(["--learned-slopes"] if learned else [])]


@dataclass(frozen=True)
class TrainRequest:
    """A model to train; every field is within what a shared server can bear."""

    kind: ClassVar[str] = "train"

    position: str = "alibi"
    """Key of the position method."""
    heads: int = 8
    """Attention heads in every layer."""
    layers: int = 4
    """Blocks of attention and MLP."""
    width: int = 128
    """Width of the residual stream, a multiple of the heads."""
    train_length: int = 128
    """Tokens in a training window."""
    max_exponent: float = MAX_SLOPE_EXPONENT
    """ALiBi: the flattest slope is 2 to minus this; 8 for every other method."""
    learned_slopes: bool = False
    """ALiBi: whether slopes are trained."""
    tokens: int = 1_000_000
    """Training tokens in all."""
    seed: int = 0
    """Of initial parameters and batches."""
    text: str = LIBRARY
    """The standard library, or the id of a text that visitors brought."""

    def __post_init__(self) -> None:
        """Raises ValueError on what is not allowed, with the value and what is."""
        method = find_method(self.position)
        text_arguments(self.text)
        for name, allowed in (
            ("heads", limits.HEADS),
            ("layers", limits.LAYERS),
            ("width", limits.WIDTHS),
            ("train_length", limits.TRAIN_LENGTHS),
            ("tokens", limits.TOKENS),
        ):
            check_choice(name, getattr(self, name), allowed)
        check_range("seed", self.seed, 0, limits.MAX_SEED)
        check_range("max_exponent", self.max_exponent, *limits.EXPONENTS)
        # 8 and 8.0 mean the same, so they must give the same key.
        object.__setattr__(self, "max_exponent", float(self.max_exponent))
        if "max_exponent" not in method.settings and (
            self.learned_slopes or self.max_exponent != MAX_SLOPE_EXPONENT
        ):
            raise ValueError(f"{method.label} has no slopes: it takes no exponent and learns none")
        if self.width % self.heads:
            fitting = ", ".join(str(width) for width in limits.WIDTHS if width % self.heads == 0)
            raise ValueError(
                f"{self.heads} heads cannot share a width of {self.width}; "
                f"widths that they can share: {fitting}"
            )
        if self.probes > limits.MAX_PROBES:
            raise ValueError(
                f"this would take about {minutes(self.seconds)} on one core; "
                f"the limit here is {minutes(limits.MAX_PROBES * probe_seconds())}: "
                "choose fewer tokens or a smaller model"
            )

    @property
    def probes(self) -> float:
        """Cost of the whole run, the same on every machine."""
        method = f"{self.position} learned" if self.learned_slopes else self.position
        sizes = (self.heads, self.layers, self.width, self.train_length)
        return run_probes(self.tokens, step_probes(method, *sizes))

    @property
    def seconds(self) -> float:
        """Time that the run takes on one core of this machine, within a factor of two."""
        return self.probes * probe_seconds()

    def to_json(self) -> dict[str, Any]:
        """Returns the parameters as JSON can hold them."""
        return asdict(self)

    def texts(self) -> tuple[str, ...]:
        """Returns the ids of the visitors' texts that it reads."""
        return own_texts(self.text)

    def arguments(self) -> list[str]:
        """Returns what follows `python -m alibi_viz`, without where the model is put."""
        return [
            *("train", "--position", self.position),
            *("--heads", str(self.heads), "--layers", str(self.layers)),
            *("--width", str(self.width), "--train-length", str(self.train_length)),
            *("--batch-size", str(limits.BATCH_TOKENS // self.train_length)),
            *("--tokens", str(self.tokens), "--seed", str(self.seed)),
            *slope_arguments(self.position, self.max_exponent, learned=self.learned_slopes),
            *text_arguments(self.text),
        ]

    def commands(self, folder: Path) -> list[list[str]]:
        """Returns the command that trains the model, or goes on with it, in the job's folder."""
        place = [
            "--run",
            spelled_path(folder / RUN),
            "--output",
            spelled_path(own_model_folder(folder)),
        ]
        return [[*self.arguments(), *place]]
