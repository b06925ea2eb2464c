"""`python -m alibi_viz gpucheck`: does this machine's GPU give the CPU's numbers, and how fast?

Four checks, each printed as it ends: attention against float64, attention's speed beside torch's
own, perplexity of the committed ALiBi model against its records, and training speed at full size.
"""

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from alibi_viz.data.tokenizer import load_tokenizer, token_bytes
from alibi_viz.evaluation.perplexity import evaluate
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.store import known_records
from alibi_viz.evaluation.stretch import named_stretch
from alibi_viz.maths.bias import alibi_bias
from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.model.attention import alibi_attention
from alibi_viz.model.checkpoint import load_checkpoint
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.device import add_device_options, device_of
from alibi_viz.model.transformer import Transformer, initialise
from alibi_viz.paths import CHECKPOINTS, FIRST_TEXT, relative_to_project
from alibi_viz.training.config import TrainingConfig
from alibi_viz.training.loop import take_step
from alibi_viz.training.sizes import SIZES
from alibi_viz.training.state import fresh_optimizer

CHECKPOINT = CHECKPOINTS / "alibi-L128-s0"
# Largest error allowed against float64, for outputs of size 1, by number format.
ALLOWED = {torch.float32: 1e-5, torch.bfloat16: 3e-2}
# bfloat16 has 8 bits: perplexity moves by a few thousandths at most.
ALLOWED_PERPLEXITY = 0.01
N_HEAD, D_HEAD = 8, 32
STEPS = 20

Check = tuple[str, bool]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `gpucheck` to the command line."""
    parser = subparsers.add_parser(
        "gpucheck",
        help="check equality, speed and perplexity on a GPU",
        description="Check this machine's GPU; exit status 0 when all agrees, 1 when not.",
    )
    add_device_options(parser, default="cuda")
    parser.add_argument("--lengths", nargs="+", type=int, default=[211, 1024, 4096, 16_384])
    parser.add_argument("--tokens", type=int, help="tokens to score; all if left out")
    parser.add_argument("--steps", type=int, default=STEPS, help="of training to time")
    parser.set_defaults(action=run_gpucheck)


def run_gpucheck(args: argparse.Namespace) -> int:
    """Runs the checks; returns 0 when all hold, 1 when one does not."""
    device = device_of(args)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else device.type
    print(f"{name}, torch {torch.__version__}", flush=True)
    failed = []
    checks = (
        attention_equality(device, args.lengths),
        attention_speed(device, args.lengths),
        perplexities(device, args.tokens),
        time_training(device, args.steps),
    )
    for check in checks:
        for line, is_right in check:
            print(line if is_right else f"{line}  WRONG", flush=True)
            failed += [] if is_right else [line]
    print(f"{len(failed)} of the checks failed" if failed else "all agree")
    return 1 if failed else 0


def _inputs(length: int, device: torch.device) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(length)
    shape = (1, N_HEAD, length, D_HEAD)
    q, k, v = (torch.randn(shape, generator=generator).to(device) for _ in range(3))
    return q, k, v, torch.as_tensor(alibi_slopes(N_HEAD), dtype=torch.float32, device=device)


def attention_equality(device: torch.device, lengths: list[int]) -> Iterator[Check]:
    """Yields the largest error against the definition in float64, up to 4,096 tokens."""
    formats = (torch.float32, torch.bfloat16) if device.type == "cuda" else (torch.float32,)
    for length in (length for length in lengths if length <= 4096):
        q, k, v, slopes = _inputs(length, device)
        for dtype in formats:
            rounded = q.to(dtype), k.to(dtype), v.to(dtype)
            ours = alibi_attention(*rounded, slopes)
            error = (ours.double() - _reference(*rounded, slopes)).abs().max().item()
            line = f"attention  {length:>6,} tokens  {str(dtype)[6:]:<9}  largest error {error:.1e}"
            yield line, error <= ALLOWED[dtype]


def _reference(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """The definition in float64, head by head."""
    outputs = []
    for head, slope in enumerate(slopes):
        bias = alibi_bias(slope[None].double(), q.shape[-2])
        logits = q[:, head].double() @ k[:, head].double().mT / D_HEAD**0.5 + bias
        outputs.append(logits.softmax(-1) @ v[:, head].double())
    return torch.stack(outputs, 1)


def attention_speed(device: torch.device, lengths: list[int]) -> Iterator[Check]:
    """Yields seconds of our attention, beside torch's causal attention without a bias."""
    for length in lengths:
        q, k, v, slopes = _inputs(length, device)
        if device.type == "cuda":
            q, k, v = (x.bfloat16() for x in (q, k, v))
        ours = _seconds(partial(alibi_attention, q, k, v, slopes), device)
        plain = _seconds(partial(scaled_dot_product_attention, q, k, v, is_causal=True), device)
        yield (
            f"attention  {length:>6,} tokens  {1e3 * ours:8.2f} ms, {ours / plain:5.2f}x causal "
            "attention without position",
            True,
        )


def _seconds(work: Callable[[], object], device: torch.device) -> float:
    """The fastest of five, after one that compiles and warms."""
    times = []
    for _ in range(6):
        _wait(device)
        started = time.perf_counter()
        work()
        _wait(device)
        times.append(time.perf_counter() - started)
    return min(times[1:])


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def perplexities(device: torch.device, tokens: int | None) -> Iterator[Check]:
    """Yields the committed model's perplexity here beside its records.

    With fewer tokens than the records' there is nothing to compare with.
    """
    model, _ = load_checkpoint(CHECKPOINT, device)
    stretch = named_stretch(FIRST_TEXT)
    stretch = stretch.beginning(tokens) if tokens else stretch
    sizes = token_bytes(load_tokenizer())
    known = {
        record.eval_length: record.perplexity
        for record in known_records(Record)
        if record.checkpoint == relative_to_project(CHECKPOINT)
        and (record.protocol, record.targets) == ("nonoverlapping", stretch.fingerprint)
    }
    for length in (length for length in (128, 2048, 16_384) if length <= len(stretch.targets)):
        started = time.perf_counter()
        here = evaluate(model, stretch, sizes, eval_length=length).perplexity
        seconds = time.perf_counter() - started
        line = f"perplexity {length:>6,} tokens  {here:.3f}"
        if length in known:
            line += f", on the CPU {known[length]:.3f}"
        change = abs(here / known.get(length, here) - 1)
        yield f"{line}  {seconds:.1f} s", math.isfinite(here) and change <= ALLOWED_PERPLEXITY


def time_training(device: torch.device, steps: int) -> Iterator[Check]:
    """Yields tokens a second at full size, ALiBi beside sinusoidal positions."""
    size = SIZES["full"]
    speeds = {}
    for method in ("sinusoidal", "alibi"):
        model_config = ModelConfig(
            position=method,
            n_layer=size.layers,
            n_head=size.heads,
            d_model=size.width,
            train_length=size.train_length,
        )
        config = TrainingConfig(model=model_config, batch_size=size.batch_size)
        config = replace(config, tokens=config.tokens_per_step)
        speeds[method] = config.tokens_per_step / _step_seconds(config, device, steps)
        yield f"training   {method:<10}  {speeds[method]:,.0f} tokens/s", True
    ratio = speeds["sinusoidal"] / speeds["alibi"]
    yield f"training   a step of ALiBi takes {ratio:.3f}x one of sinusoidal positions", True


def _step_seconds(config: TrainingConfig, device: torch.device, steps: int) -> float:
    """The median step, after as many that warm up, ten at most."""
    model = Transformer(config.model)
    initialise(model, 0)
    model.to(device)
    optimizer = fresh_optimizer(model, config)
    shape = config.batch_size, config.model.train_length + 1
    tokens = torch.randint(config.model.vocab_size, shape, device=device)
    times = []
    for _ in range(min(10, steps) + steps):
        started = time.perf_counter()
        take_step(model, optimizer, config, tokens[:, :-1], tokens[:, 1:])
        _wait(device)
        times.append(time.perf_counter() - started)
    return sorted(times[-steps:])[steps // 2]
