"""What the experiment trains, in order: methods, texts and seeds, and ALiBi's slopes otherwise."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from alibi_viz.model.checkpoint import read_about
from alibi_viz.model.config import ModelConfig
from alibi_viz.paths import CHECKPOINTS, FIRST_TEXT, run_name
from alibi_viz.training.sizes import SIZES, Size

SEEDS = (0, 1, 2)
# Their difference is small, so more seeds are to say its sign.
CLOSE_METHODS = ("alibi", "t5")
MORE_SEEDS = (3, 4)
# Trained at other lengths too, so that "train on L, test on 2 L" can be asked.
OTHER_LENGTHS = (64, 256)
OTHER_METHODS = ("alibi", "sinusoidal")

Settings = dict[str, Any]
SLOPES: tuple[Settings, ...] = (
    *({"max_exponent": exponent} for exponent in (16.0, 4.0, 2.0, 32.0)),
    {"free_heads": 4},
    {"learned_slopes": True},
)
"""ALiBi's slopes otherwise than published, with every seed."""
HEADS: tuple[Settings, ...] = (
    *({"n_head": heads} for heads in (1, 2, 4, 16)),
    {"n_head": 12, "d_model": 192, "slope_rule": "geometric"},
    {"n_head": 12, "d_model": 192, "slope_rule": "interleaved"},
)
"""Other numbers of heads, with the first seed."""
# Learned slopes hardly move at the rate of the rest.
LEARNED_SLOPES_FACTOR = 10.0


@dataclass(frozen=True)
class PlannedRun:
    """One model to train."""

    model: ModelConfig
    """What is trained."""
    seed: int
    """Of parameters and batches."""
    tokens: int
    """Training tokens in all."""
    text: str = FIRST_TEXT
    """Name of the text that it is trained on."""
    is_variant: bool = False
    """Whether ALiBi's slopes or heads are otherwise than the bundled models'."""

    @property
    def name(self) -> str:
        """The run's name, as in `TrainingConfig.name_on`."""
        model = self.model
        return run_name(
            model.position, model.train_length, self.seed, text=self.text, variant=model.variant
        )

    @property
    def checkpoint(self) -> Path:
        """The folder of its checkpoint."""
        return CHECKPOINTS / self.name

    def is_done(self) -> bool:
        """Whether the checkpoint is there, trained on the whole budget."""
        if not (self.checkpoint / "config.json").is_file():
            return False
        return int(read_about(self.checkpoint)["training"]["tokens"]) == self.tokens


def plan_runs(
    methods: Sequence[str], texts: Sequence[str], size: Size, seeds: Collection[int] | None = None
) -> list[PlannedRun]:
    """Returns all runs, the first seed of each group before the next.

    Args:
        methods: Keys of the methods wanted.
        texts: Names of the texts wanted.
        size: Of the models; what goes beyond methods and texts is planned for the small one only.
        seeds: Those wanted; those that each group has in the plan if left out.
    """
    groups = _small_plan(methods, texts) if size == SIZES["small"] else _plain(methods, texts)
    return [
        PlannedRun(
            _model(size, settings),
            seed,
            size.tokens,
            text,
            is_variant=bool(settings.keys() - {"position", "train_length"}),
        )
        for text, seed, settings in groups
        if seeds is None or seed in seeds
    ]


def _model(size: Size, settings: Settings) -> ModelConfig:
    sizes: Settings = {
        "n_layer": size.layers,
        "n_head": size.heads,
        "d_model": size.width,
        "train_length": size.train_length,
    }
    return ModelConfig(**sizes | settings)


Run = tuple[str, int, Settings]


def _plain(
    methods: Sequence[str], texts: Sequence[str], seeds: Sequence[int] = SEEDS
) -> Iterator[Run]:
    """Every method on every text, by seed."""
    for seed, text, method in product(seeds, texts, methods):
        yield text, seed, {"position": method}


def _small_plan(methods: Sequence[str], texts: Sequence[str]) -> Iterator[Run]:
    first, others = texts[:1], texts[1:]
    yield from _plain(methods, first)
    if "alibi" in methods:
        yield from product(first, SEEDS, SLOPES)
    yield from _plain(methods, others)
    yield from _plain([key for key in CLOSE_METHODS if key in methods], texts, MORE_SEEDS)
    if "alibi" in methods:
        yield from product(first, SEEDS[:1], HEADS)
    for text, seed, length in product(first, SEEDS, OTHER_LENGTHS):
        for method in OTHER_METHODS:
            if method in methods:
                yield text, seed, {"position": method, "train_length": length}
