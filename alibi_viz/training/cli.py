"""`python -m alibi_viz train` and `sweep`."""

import argparse
import sys
from dataclasses import asdict
from itertools import product
from pathlib import Path

from alibi_viz.data.corpus import NAMED_TEXTS
from alibi_viz.data.prepared import prepare_corpus
from alibi_viz.errors import EXIT_STOPPED
from alibi_viz.evaluation.store import add_records
from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT, SLOPE_RULES
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.device import add_device_options, device_of
from alibi_viz.model.provenance import command_line
from alibi_viz.paths import FIRST_TEXT, RUNS
from alibi_viz.positions import METHODS, find_method
from alibi_viz.training.config import TrainingConfig
from alibi_viz.training.loop import train
from alibi_viz.training.reporting import reporter, stop_when_asked
from alibi_viz.training.result import save_result
from alibi_viz.training.sizes import SIZES
from alibi_viz.training.sweep import TRIAL_TOKENS, finished_trial, trial_config, trial_name
from alibi_viz.training.team import joined
from alibi_viz.training.trials import best_trial_of, is_tried

RATES = (2e-3, 4e-3, 8e-3)
"""Peak learning rates that a sweep tries."""
UNTRIED_RATE = RATES[1]
"""That of a method without a trial: so far never more than 0.06 nats from a method's best."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `train` and `sweep` to the command line."""
    trainer = subparsers.add_parser(
        "train", help="train a model", description="Train one model; the same command resumes it."
    )
    trainer.add_argument("--position", choices=METHODS, default="alibi", help="the method")
    trainer.add_argument("--learning-rate", type=float, help="peak; the sweep's best if left out")
    trainer.add_argument("--position-factor", type=float, help="times this for position's own")
    trainer.add_argument(
        "--sinusoid-amplitude", type=float, help="the sweep's best for sinusoidal if left out"
    )
    trainer.add_argument(
        "--max-exponent",
        type=float,
        default=MAX_SLOPE_EXPONENT,
        help=f"ALiBi's, {MAX_SLOPE_EXPONENT:g} in the paper",
    )
    trainer.add_argument(
        "--slope-rule",
        choices=SLOPE_RULES,
        default="geometric",
        help="ALiBi's: geometric as in the paper, interleaved as in the authors' code",
    )
    trainer.add_argument(
        "--free-heads", type=int, default=0, help="ALiBi's last heads without bias"
    )
    trainer.add_argument("--learned-slopes", action="store_true", help="train ALiBi's slopes")
    # torchrun takes --run for an option of its own, so the folder has a second name.
    trainer.add_argument(
        "--run", "--run-folder", type=Path, help="folder of the run; runs/<name> if left out"
    )
    trainer.add_argument("--output", type=Path, help="checkpoint folder; <run>/checkpoint")
    _add_shared(trainer)
    trainer.set_defaults(action=run_train)

    sweeper = subparsers.add_parser(
        "sweep", help="compare learning rates", description="Train every method at every rate."
    )
    sweeper.add_argument("--methods", nargs="+", default=list(METHODS), metavar="METHOD")
    sweeper.add_argument("--learning-rates", nargs="+", type=float, default=RATES)
    sweeper.add_argument("--position-factors", nargs="+", type=float, help="for position's own")
    sweeper.add_argument(
        "--sinusoid-amplitudes", nargs="+", type=float, default=[1.0], help="for sinusoidal"
    )
    _add_shared(sweeper, tokens=TRIAL_TOKENS)
    sweeper.set_defaults(action=run_sweep)


def _add_shared(parser: argparse.ArgumentParser, *, tokens: int | None = None) -> None:
    parser.add_argument(
        "--size", choices=SIZES, default="small", help="the defaults of the next six options"
    )
    for name, text in (
        ("train-length", "tokens in a training window"),
        ("layers", "blocks of attention and MLP"),
        ("heads", "attention heads"),
        ("width", "d_model"),
        ("batch-size", "windows in a batch"),
        ("tokens", "training tokens in all"),
    ):
        default = tokens if name == "tokens" else None
        parser.add_argument(f"--{name}", type=int, default=default, help=text)
    parser.add_argument("--seed", type=int, default=0, help="of initial parameters and batches")
    parser.add_argument(
        "--text",
        default=FIRST_TEXT,
        help=f"{' or '.join(NAMED_TEXTS)}, or the path of a text file ({FIRST_TEXT})",
    )
    add_device_options(parser)


def _fill_in(args: argparse.Namespace) -> None:
    """Gives the options that were left out the values of the chosen size."""
    for name, value in asdict(SIZES[args.size]).items():
        if getattr(args, name) is None:
            setattr(args, name, value)


def _config(
    args: argparse.Namespace, model: ModelConfig, rate: float, factor: float
) -> TrainingConfig:
    return TrainingConfig(
        model=model,
        seed=args.seed,
        tokens=args.tokens,
        batch_size=args.batch_size,
        learning_rate=rate,
        position_learning_rate_factor=factor,
    )


def _model(args: argparse.Namespace, position: str, **alibi: object) -> ModelConfig:
    return ModelConfig(
        position=position,
        n_layer=args.layers,
        n_head=args.heads,
        d_model=args.width,
        train_length=args.train_length,
        **alibi,  # type: ignore[arg-type]
    )


def _take_from_sweep(args: argparse.Namespace) -> None:
    """Gives rates and amplitude that were left out the values of the method's best trial."""
    if args.learning_rate is None and not is_tried(args.position):
        args.learning_rate = UNTRIED_RATE
        print(f"no trial of {args.position}: learning rate {UNTRIED_RATE:g}", file=sys.stderr)
    if args.learning_rate is None:
        best = best_trial_of(args.position)
        args.learning_rate = best.learning_rate
        factor, amplitude = best.position_learning_rate_factor, best.sinusoid_amplitude
    else:
        factor, amplitude = METHODS[args.position].learning_rate_factor, 1.0
    if args.position_factor is None:
        args.position_factor = factor
    if args.sinusoid_amplitude is None:
        args.sinusoid_amplitude = amplitude


def asked_model(args: argparse.Namespace) -> ModelConfig:
    """Returns the model that `train` was asked for."""
    return _model(
        args,
        args.position,
        max_exponent=args.max_exponent,
        slope_rule=args.slope_rule,
        learned_slopes=args.learned_slopes,
        free_heads=args.free_heads,
        sinusoid_amplitude=args.sinusoid_amplitude,
    )


def run_train(args: argparse.Namespace) -> int:
    """Trains one model, or goes on with one; returns the exit status."""
    _fill_in(args)
    _take_from_sweep(args)
    config = _config(args, asked_model(args), args.learning_rate, args.position_factor)
    device, should_stop = device_of(args), stop_when_asked()
    prepared = prepare_corpus(args.text)
    name = config.name_on(args.text if args.text in NAMED_TEXTS else FIRST_TEXT)
    folder = args.run or RUNS / name
    folder.mkdir(parents=True, exist_ok=True)
    show = reporter(folder, name)
    with joined(device) as (team, own_device):
        run = train(
            config,
            prepared,
            folder,
            device=own_device,
            on_report=show,
            should_stop=should_stop,
            team=team,
        )
    if not team.is_lead:
        return 0 if run.is_finished else EXIT_STOPPED
    if not run.is_finished:
        print(f"stopped at step {run.progress.step:,}; the same command goes on", file=sys.stderr)
        return EXIT_STOPPED
    output = args.output or folder / "checkpoint"
    save_result(output, config, prepared, run)
    print(f"saved {output}")
    return 0


def run_sweep(args: argparse.Namespace) -> int:
    """Trains every method at every rate for a short while; returns the exit status."""
    _fill_in(args)
    device, should_stop = device_of(args), stop_when_asked()
    prepared = prepare_corpus(args.text)
    base = _config(args, _model(args, "alibi"), rate=1.0, factor=1.0)
    for method in args.methods:
        own = find_method(method)
        factors = args.position_factors or [own.learning_rate_factor]
        amplitudes = args.sinusoid_amplitudes if "sinusoid_amplitude" in own.settings else [1.0]
        for factor, amplitude, rate in product(factors, amplitudes, args.learning_rates):
            config = trial_config(base, method, rate, factor, amplitude)
            folder = RUNS / "sweep" / trial_name(config)
            folder.mkdir(parents=True, exist_ok=True)
            show = reporter(folder, trial_name(config))
            run = train(
                config, prepared, folder, device=device, on_report=show, should_stop=should_stop
            )
            if not run.is_finished:
                return EXIT_STOPPED
            add_records([finished_trial(config, run, prepared.corpus, command_line())])
    return 0
