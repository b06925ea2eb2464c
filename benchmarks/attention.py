"""Seconds and memory of causal attention with linear biases against length, ours beside others'.

    python -m benchmarks.attention
    python -m benchmarks.attention --lengths 1024 16384 --heads 8 --width 32

Every measurement is a process of its own, one at a time: its peak memory is its own, and what one
leaves behind costs no other. All take the same inputs and give the same answer, which is checked
where a length is short enough to compute it in float64. A form is left out from the length on at
which it would not fit or its last measurement took longer than the limit.
"""

import argparse
import json
import math
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from alibi_viz.maths.slopes import alibi_slopes
from alibi_viz.model.attention import alibi_attention, bias_for_blocks, causal_attention

LENGTHS = (1024, 2048, 4096, 8192, 16_384, 32_768, 65_536)
# Seconds after which a form is not tried at the next, at best doubled, length.
SLOWEST = 30.0
# Bytes of head x length x length in float32 that a form may hold once.
LARGEST_CUBE = 9e9
CHECKED_LENGTH = 2048

Form = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def ours(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """Exact pruning in blocks."""
    return alibi_attention(q, k, v, slopes)


def any_bias_in_blocks(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """Our general form, for any bias by distance: nothing skipped, nothing cubic."""
    length = q.shape[-2]
    by_distance = -slopes[:, None] * torch.arange(length)
    return causal_attention(q, k, v, bias_for_blocks(by_distance, length))


def one_channel(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """Fused causal attention; one channel more holds slope * key position, centred."""
    batch, head, length, d_head = q.shape
    scale = d_head**-0.5
    position = torch.arange(length, dtype=torch.float32) - length / 2
    ones = torch.full((batch, head, length, 1), 1 / scale)
    channel = (slopes[:, None] * position)[None, :, :, None].expand(batch, -1, -1, -1)
    # Fused attention needs values of the same width.
    output = scaled_dot_product_attention(
        torch.cat([q, ones], -1),
        torch.cat([k, channel], -1),
        torch.cat([v, torch.zeros_like(ones)], -1),
        is_causal=True,
        scale=scale,
    )
    return output[..., :d_head]


def _cube(slopes: Tensor, length: int) -> Tensor:
    distance = torch.arange(length)[:, None] - torch.arange(length)
    bias = -slopes[:, None, None] * distance
    return bias.masked_fill_(distance < 0, -math.inf)


def dense_bias(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """Fused attention with a head x length x length bias."""
    return scaled_dot_product_attention(q, k, v, attn_mask=_cube(slopes, q.shape[-2])[None])


def naive(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """The definition: product, bias, softmax, product."""
    logits = q @ k.mT / q.shape[-1] ** 0.5 + _cube(slopes, q.shape[-2])
    return logits.softmax(-1) @ v


def flex(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """FlexAttention with a block mask, compiled; compiling is not timed."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    def bias(score: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return score - slopes[h] * (i - j)

    length = q.shape[-2]
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, length, length, device="cpu")
    return torch.compile(flex_attention)(q, k, v, score_mod=bias, block_mask=mask)  # type: ignore[no-any-return]


def bloom_eager(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """The core of transformers' eager BloomAttention, its own alibi tensor included."""
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    batch, head, length, d_head = q.shape
    alibi = build_alibi_tensor(torch.ones(batch, length), head, torch.float32)
    flat = [x.reshape(batch * head, length, d_head) for x in (q, k, v)]
    logits = alibi.baddbmm(flat[0], flat[1].mT, beta=1.0, alpha=d_head**-0.5)
    mask = torch.full((length, length), torch.finfo(torch.float32).min).triu(1)
    weights = (logits.view(batch, head, length, length) + mask).softmax(-1)
    return torch.bmm(weights.view(batch * head, length, length), flat[2]).view_as(q)


def x_transformers(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """x-transformers' Attend with its AlibiPositionalBias."""
    from x_transformers.attend import Attend
    from x_transformers.x_transformers import AlibiPositionalBias

    head, length = q.shape[1], q.shape[2]
    position = AlibiPositionalBias(heads=head, total_heads=head)
    output, _ = Attend(causal=True, heads=head, flash=True)(
        q, k, v, attn_bias=position(length, length)
    )
    return output  # type: ignore[no-any-return]


# Each form, and whether it holds head x length x length.
FORMS: dict[str, tuple[Form, bool]] = {
    "ours": (ours, False),
    "ours, any bias": (any_bias_in_blocks, False),
    "one channel": (one_channel, False),
    "flex": (flex, False),
    "dense bias": (dense_bias, True),
    "x-transformers": (x_transformers, True),
    "BLOOM eager": (bloom_eager, True),
    "naive": (naive, True),
}


def reference(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """The definition in float64."""
    return naive(q.double(), k.double(), v.double(), slopes.double())


def measure(name: str, length: int, heads: int, width: int, repeats: int) -> dict[str, float]:
    """Returns median seconds, peak memory on top of the inputs in MB, and the largest error."""
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, heads, length, width, generator=generator) for _ in range(3))
    slopes = torch.as_tensor(alibi_slopes(heads), dtype=torch.float32)
    form, _ = FORMS[name]
    seconds = []
    with torch.inference_mode():
        small = [x[..., :256, :] for x in (q, k, v)]
        form(*small, slopes)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if name == "flex":
            form(q, k, v, slopes)
        for _ in range(repeats):
            started = time.perf_counter()
            output = form(q, k, v, slopes)
            seconds.append(time.perf_counter() - started)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        error = math.nan
        if length <= CHECKED_LENGTH:
            error = (output.double() - reference(q, k, v, slopes)).abs().max().item()
    # ru_maxrss is in kilobytes on Linux, in bytes on macOS.
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return {"seconds": statistics.median(seconds), "megabytes": peak / unit, "error": error}


def _in_a_process(name: str, length: int, args: argparse.Namespace) -> dict[str, float] | str:
    sizes = ["--heads", str(args.heads), "--width", str(args.width)]
    command = ["--one", name, "--lengths", str(length), "--repeats", str(args.repeats), *sizes]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "benchmarks.attention", *command],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return lines[-1][:60] if lines else f"killed ({done.returncode})"
    result: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def _cell(result: dict[str, float] | str | None, ours_seconds: float) -> str:
    if not isinstance(result, dict):
        return "-"
    ratio = result["seconds"] / ours_seconds
    return f"{result['seconds']:.3f} s  {ratio:5.1f}x  {result['megabytes']:6.0f} MB"


def compare(args: argparse.Namespace) -> None:
    """Prints a table: a row for each length, and for each form its seconds, ratio and memory."""
    print(
        f"{args.heads} heads, d_head {args.width}, {torch.get_num_threads()} threads; ratio to ours"
    )
    given_up: dict[str, str] = {}
    for length in args.lengths:
        results: dict[str, dict[str, float] | str] = {}
        for name, (_, is_cubic) in FORMS.items():
            if name in given_up:
                continue
            if is_cubic and 4 * args.heads * length**2 > LARGEST_CUBE:
                given_up[name] = f"head x length x length does not fit at {length:,} tokens"
                continue
            results[name] = _in_a_process(name, length, args)
            outcome = results[name]
            if isinstance(outcome, str):
                given_up[name] = f"{outcome} (at {length:,} tokens)"
            elif outcome["seconds"] > SLOWEST:
                given_up[name] = f"took {outcome['seconds']:.0f} s at {length:,} tokens"
        own = results["ours"]
        assert isinstance(own, dict), own
        print(f"\n{length:,} tokens")
        for name, outcome in results.items():
            error = outcome["error"] if isinstance(outcome, dict) else math.nan
            known = "" if math.isnan(error) else f"  error {error:.0e}"
            print(f"  {name:<15} {_cell(outcome, own['seconds'])}{known}", flush=True)
    print("\nleft out:", *(f"  {name}: {reason}" for name, reason in given_up.items()), sep="\n")


def main(arguments: list[str] | None = None) -> None:
    """Runs the comparison, or one measurement of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lengths", nargs="+", type=int, default=LENGTHS)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--width", type=int, default=32, help="d_head")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--one", choices=FORMS, help="measure one form and print JSON")
    args = parser.parse_args(arguments)
    if args.one:
        result = measure(args.one, args.lengths[0], args.heads, args.width, args.repeats)
        print(json.dumps(result))
    else:
        compare(args)


if __name__ == "__main__":
    main()
