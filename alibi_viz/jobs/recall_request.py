"""A recall model to train and to ask, within what a shared server can bear."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from alibi_viz.jobs import limits
from alibi_viz.jobs.cost import probe_seconds, recall_probes
from alibi_viz.jobs.limits import check_choice, check_range
from alibi_viz.jobs.texts import spelled_path
from alibi_viz.jobs.train_request import RUN, slope_arguments
from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT
from alibi_viz.positions import find_method
from alibi_viz.retrieval.plan import RecallVariant, recall_variant

# File in the job's folder: a `RecallRecord` a length.
RECALL_RECORDS = "recall.json"


@dataclass(frozen=True)
class RecallRequest:
    """A recall model to train, and to ask at every length."""

    kind: ClassVar[str] = "recall"

    position: str = "alibi"
    """Key of the position method."""
    max_exponent: float = MAX_SLOPE_EXPONENT
    """ALiBi: the flattest slope is 2 to minus this; 8 for every other method."""
    free_heads: int = 0
    """ALiBi: heads without a bias, the flattest ones, of 8."""
    learned_slopes: bool = False
    """ALiBi: whether slopes are trained."""
    steps: int = limits.RECALL_STEPS[-1]
    """Of training."""
    seed: int = 0
    """Of initial parameters and windows."""

    def __post_init__(self) -> None:
        """Raises ValueError on what is not allowed, with the value and what is."""
        method = find_method(self.position)
        check_choice("free_heads", self.free_heads, limits.FREE_HEADS)
        check_choice("steps", self.steps, limits.RECALL_STEPS)
        check_range("seed", self.seed, 0, limits.MAX_SEED)
        check_range("max_exponent", self.max_exponent, *limits.EXPONENTS)
        # 8 and 8.0 mean the same, so they must give the same key.
        object.__setattr__(self, "max_exponent", float(self.max_exponent))
        slopes = (self.max_exponent, self.free_heads, self.learned_slopes)
        if "max_exponent" not in method.settings and slopes != (MAX_SLOPE_EXPONENT, 0, False):
            raise ValueError(f"{method.label} has no slopes: it takes no settings of slopes")
        if self.learned_slopes and self.free_heads:
            raise ValueError("a slope of 0 cannot be learned: choose learned slopes or free heads")
        if method.ends_at_train_length:
            raise ValueError(f"{method.label} has no positions past its training length")

    @property
    def variant(self) -> RecallVariant:
        """The kind of model."""
        return recall_variant(
            self.position,
            max_exponent=self.max_exponent,
            free_heads=self.free_heads,
            learned_slopes=self.learned_slopes,
        )

    @property
    def seconds(self) -> float:
        """Time that it takes on one core of this machine, within a factor of two."""
        return recall_probes(self.steps) * probe_seconds()

    def to_json(self) -> dict[str, Any]:
        """Returns the parameters as JSON can hold them."""
        return asdict(self)

    def texts(self) -> tuple[str, ...]:
        """Returns the ids of the visitors' texts that it reads: none."""
        return ()

    def arguments(self) -> list[str]:
        """Returns what follows `python -m alibi_viz`, without where model and records are put."""
        return [
            *("recall-own", "--position", self.position),
            *slope_arguments(self.position, self.max_exponent, learned=self.learned_slopes),
            *(["--free-heads", str(self.free_heads)] if self.free_heads else []),
            *("--steps", str(self.steps), "--seed", str(self.seed)),
        ]

    def commands(self, folder: Path) -> list[list[str]]:
        """Returns the command that trains and asks the model, or goes on, in the job's folder."""
        return [
            [
                *self.arguments(),
                *("--run", spelled_path(folder / RUN)),
                *("--output", spelled_path(folder / RECALL_RECORDS)),
            ]
        ]
