"""Measures ALiBi attention against one channel in turn, alone and beside a process that is busy."""

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from alibi_viz.maths.slopes import alibi_slopes
from benchmarks.app import Row
from benchmarks.attention import naive, one_channel, ours, reference

HEADS, WIDTH = 8, 32
IDLE = {2048: 1.0, 8192: 3.0, 16_384: 6.0, 65_536: 20.0}
"""Time of one channel over ours that is wanted, by tokens."""
BUSY = {2048: 1.0, 8192: 1.0, 16_384: 1.0}
"""The same beside a process that keeps one core busy."""
ERROR_TOKENS = 2048
# One channel takes seconds at the longest.
ROUNDS = {2048: 9, 8192: 5, 16_384: 5, 65_536: 2}


@contextmanager
def a_busy_process() -> Iterator[None]:
    """Keeps one core busy meanwhile, with matrix products on one thread."""
    work = (
        "import torch; torch.set_num_threads(1); a = torch.randn(512, 512)\n"
        "print('busy', flush=True)\n"
        "while True: a @ a"
    )
    process = subprocess.Popen([sys.executable, "-c", work], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def ratios(lengths: dict[int, float]) -> list[float]:
    """Returns the time of one channel over ours at each length, timed in turn."""
    return [_ratio(length, ROUNDS[length]) for length in lengths]


def _ratio(length: int, rounds: int) -> float:
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, HEADS, length, WIDTH, generator=generator) for _ in range(3))
    slopes = torch.as_tensor(alibi_slopes(HEADS), dtype=torch.float32)
    found = []
    with torch.inference_mode():
        for at in range(rounds + 1):
            taken = []
            for form in (ours, one_channel):
                started = time.perf_counter()
                form(q, k, v, slopes)
                taken.append(time.perf_counter() - started)
            # The first one allocates.
            if at:
                found.append(taken[1] / taken[0])
    return statistics.median(found)


def errors() -> tuple[float, float]:
    """Returns the largest error of ours and of naive float32, against float64."""
    generator = torch.Generator().manual_seed(1)
    shape = (1, HEADS, ERROR_TOKENS, WIDTH)
    q, k, v = (torch.randn(shape, generator=generator) for _ in range(3))
    slopes = torch.as_tensor(alibi_slopes(HEADS), dtype=torch.float32)
    true = reference(q, k, v, slopes)
    own, plain = (form(q, k, v, slopes).double() for form in (ours, naive))
    return float((own - true).abs().max()), float((plain - true).abs().max())


def idle() -> Row:
    """Measures with nothing beside it but what runs on the machine anyway."""
    found = ratios(IDLE)
    return _row("alone", IDLE, found)


def busy() -> Row:
    """Measures beside a process that keeps one core busy."""
    with a_busy_process():
        found = ratios(BUSY)
    return _row("beside a busy process", BUSY, found)


def exact() -> Row:
    """Measures the error of ours in errors of naive float32."""
    own, plain = errors()
    return Row(
        f"ALiBi attention's error over naive float32's, {ERROR_TOKENS:,} tokens",
        f"{own / plain:.2f} ({own:.1e})",
        "4",
        own <= 4 * plain,
    )


def _row(when: str, wanted: dict[int, float], found: list[float]) -> Row:
    lengths = " / ".join(f"{length:,}" for length in wanted)
    return Row(
        f"one channel's time over ALiBi attention's, {lengths} tokens, {when}",
        " / ".join(f"{ratio:.2f}" for ratio in found),
        " / ".join(f"{ratio:g}" for ratio in wanted.values()),
        all(one >= least for one, least in zip(found, wanted.values(), strict=True)),
    )
