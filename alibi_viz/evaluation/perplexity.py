"""Perplexity of a stretch of text, cut into windows of one length.

Each window of `eval_length` input tokens predicts the `eval_length` tokens that follow each of
them. Position 0 of a window always holds a real token: the first target is scored with one token
of context, never with none. The protocols (the authors' README) differ in what they score:

nonoverlapping    every target of every window; windows follow one another. Early targets have
                  little context, the more so the shorter the window ("early-token curse").
sliding_window    the last `stride` targets of each window; windows move by `stride`. Every target
                  has at least eval_length - stride + 1 tokens of context.

Each scores the same targets at every length: those from `first_target` on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from alibi_viz.evaluation.score import PROTOCOLS, Protocol, Score
from alibi_viz.evaluation.stretch import Stretch
from alibi_viz.model.device import autocast
from alibi_viz.model.loss import token_nll
from alibi_viz.model.transformer import Transformer

# Tokens computed at a time: bounds the memory, whatever the length. Does not change the result
# beyond rounding.
BATCH_TOKENS = 16_384


@dataclass(frozen=True)
class _Window:
    """Inputs tokens[start : start + length], of which the last `scored` targets count."""

    start: int
    length: int
    scored: int


def _plan(stretch: Stretch, eval_length: int, stride: int) -> list[_Window]:
    """The windows that score every target once; stride = eval_length is nonoverlapping."""
    windows = []
    end = stretch.first_target + stretch.count
    for first in range(stretch.first_target, end, stride):
        scored = min(stride, end - first)
        # Nonoverlapping windows begin one token before their first target; the last may be short.
        length = scored if stride == eval_length else eval_length
        windows.append(_Window(first + scored - 1 - length, length, scored))
    return windows


def _batches(windows: list[_Window]) -> list[list[_Window]]:
    """Groups neighbouring windows of one shape, as many as BATCH_TOKENS allows."""
    groups: list[list[_Window]] = []
    for window in windows:
        size = max(1, BATCH_TOKENS // window.length)
        last = groups[-1] if groups else []
        same = last and (last[0].length, last[0].scored) == (window.length, window.scored)
        if same and len(last) < size:
            last.append(window)
        else:
            groups.append([window])
    return groups


def check_protocol(
    model: Transformer, stretch: Stretch, eval_length: int, protocol: Protocol, stride: int | None
) -> int:
    """Returns how far windows move, or explains why this cannot be measured.

    Raises:
        ValueError: An unknown protocol, a stride that does not suit it, a length below 1 or beyond
            what a learned table has, or too little text for one window.
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}, got {protocol!r}")
    if eval_length < 1:
        raise ValueError(f"eval_length must be at least 1 token, got {eval_length}")
    longest = model.config.longest
    if longest is not None and eval_length > longest:
        raise ValueError(
            f"learned positions end at the training length of {longest} tokens, got {eval_length}"
        )
    if protocol == "nonoverlapping":
        if stride is not None:
            raise ValueError(f"nonoverlapping windows have no stride, got {stride}")
        if stretch.count < eval_length:
            raise ValueError(
                f"{stretch.count} tokens to score do not fill one window of {eval_length}"
            )
        return eval_length
    if stride is None or not 1 <= stride < eval_length:
        raise ValueError(f"stride must be between 1 and {eval_length - 1} tokens, got {stride}")
    if stretch.first_target + min(stride, stretch.count) - 1 < eval_length:
        raise ValueError(
            f"a sliding window of {eval_length} needs {eval_length} tokens of context before the "
            f"first target, the text has {stretch.first_target}"
        )
    return stride


@torch.inference_mode()
def evaluate(
    model: Transformer,
    stretch: Stretch,
    bytes_per_token: NDArray[np.int64],
    *,
    eval_length: int,
    protocol: Protocol = "nonoverlapping",
    stride: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> Score:
    """Returns how well `model` predicts the targets of `stretch` with windows of one length.

    Args:
        model: Any decoder of this package, on any device.
        stretch: The text and its targets.
        bytes_per_token: (vocab,) bytes of text that each token stands for.
        eval_length: Tokens in a window.
        protocol: "nonoverlapping" or "sliding_window".
        stride: Tokens scored in each sliding window.
        on_progress: Called with the share of windows done, 0 .. 1.

    Raises:
        ValueError: See `check_protocol`.
    """
    step = check_protocol(model, stretch, eval_length, protocol, stride)
    tokens = torch.from_numpy(stretch.tokens.astype(np.int64))
    windows = _plan(stretch, eval_length, step)
    total, done = 0.0, 0
    for group in _batches(windows):
        total += _group_nll(model, tokens, group)
        done += len(group)
        on_progress(done / len(windows))
    scored_bytes = int(bytes_per_token[stretch.targets].sum())
    return Score(total / stretch.count, stretch.count, scored_bytes)


def _group_nll(model: Transformer, tokens: Tensor, group: list[_Window]) -> float:
    """The summed loss of a group's scored targets, in nats."""
    device = model.embedding.weight.device
    length, scored = group[0].length, group[0].scored
    rows = torch.stack([tokens[w.start : w.start + length + 1] for w in group]).to(device)
    with autocast(device):
        nll = token_nll(model, rows[:, :-1], rows[:, 1:])
    return float(nll[:, -scored:].double().sum().item())


@torch.inference_mode()
def nll_by_position(model: Transformer, stretch: Stretch, eval_length: int) -> NDArray[np.float64]:
    """Returns the mean loss at each position of whole nonoverlapping windows: (position,), nats.

    Args:
        model: Any decoder of this package.
        stretch: The text and its targets; what does not fill a window is left out.
        eval_length: Tokens in a window.

    Raises:
        ValueError: See `check_protocol`.
    """
    check_protocol(model, stretch, eval_length, "nonoverlapping", None)
    device = model.embedding.weight.device
    tokens = torch.from_numpy(stretch.tokens.astype(np.int64))
    windows = [w for w in _plan(stretch, eval_length, eval_length) if w.length == eval_length]
    total: NDArray[Any] = np.zeros(eval_length)
    for window in windows:
        row = tokens[window.start : window.start + eval_length + 1].to(device)[None]
        with autocast(device):
            nll = token_nll(model, row[:, :-1], row[:, 1:])
        total += nll[0].double().cpu().numpy()
    return total / len(windows)
