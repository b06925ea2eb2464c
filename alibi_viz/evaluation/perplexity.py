"""Perplexity of a stretch of text, cut into windows of one length.

Each window of `eval_length` input tokens predicts the `eval_length` tokens that follow each of
them. Position 0 of a window always holds a real token: the first target is scored with one token
of context, never with none. The protocols (the authors' README) differ in what they score:

nonoverlapping    every target of every window; windows follow one another. Early targets have
                  little context, the more so the shorter the window ("early-token curse").
sliding_window    the targets among the last `stride` tokens of each window; windows move by
                  `stride`. Every target has at least eval_length - stride + 1 tokens of context.

Both give a loss for each target of the stretch, at every length; windows without one are left out.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from alibi_viz.evaluation.score import PROTOCOLS, Protocol, Score
from alibi_viz.evaluation.stretch import Stretch
from alibi_viz.model.device import autocast
from alibi_viz.model.loss import token_nll
from alibi_viz.model.transformer import Transformer

# Tokens computed at a time: bounds the memory, whatever the length, and keeps most of it in a
# processor's cache. Does not change the result beyond rounding.
BATCH_TOKENS = 4096


@dataclass(frozen=True)
class _Window:
    """Inputs tokens[start : start + length]; it scores the targets numbered `low` .. `high` - 1."""

    start: int
    length: int
    low: int
    high: int


def _plan(stretch: Stretch, eval_length: int, stride: int) -> list[_Window]:
    """The windows that score every target once; stride = eval_length is nonoverlapping."""
    windows = []
    end = int(stretch.targets[-1]) + 1
    cells, lows = np.unique((stretch.targets - stretch.first) // stride, return_index=True)
    highs = [*lows[1:].tolist(), len(stretch.targets)]
    for cell, low, high in zip(cells.tolist(), lows.tolist(), highs, strict=True):
        first = stretch.first + cell * stride
        last = min(first + stride, end)
        # Nonoverlapping windows begin one token before their first target; the last may be short.
        length = last - first if stride == eval_length else eval_length
        windows.append(_Window(last - 1 - length, length, low, high))
    return windows


def _batches(windows: list[_Window]) -> list[list[_Window]]:
    """Groups neighbouring windows of one shape, as many as BATCH_TOKENS allows."""
    groups: list[list[_Window]] = []
    for window in windows:
        size = max(1, BATCH_TOKENS // window.length)
        last = groups[-1] if groups else []
        if last and last[0].length == window.length and len(last) < size:
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
        reach = int(stretch.targets[-1]) + 1 - stretch.first
        if reach < eval_length:
            raise ValueError(f"{reach} tokens to score do not fill one window of {eval_length}")
        return eval_length
    if stride is None or not 1 <= stride < eval_length:
        raise ValueError(f"stride must be between 1 and {eval_length - 1} tokens, got {stride}")
    if _plan(stretch, eval_length, stride)[0].start < 0:
        raise ValueError(
            f"a sliding window of {eval_length} needs {eval_length} tokens of context before the "
            f"first target, the text has {stretch.first}"
        )
    return stride


@torch.inference_mode()
def target_losses(
    model: Transformer,
    stretch: Stretch,
    *,
    eval_length: int,
    protocol: Protocol = "nonoverlapping",
    stride: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> NDArray[np.float32]:
    """Returns the loss of every target of `stretch` with windows of one length.

    Args:
        model: Any decoder of this package, on any device.
        stretch: The text and its targets.
        eval_length: Tokens in a window.
        protocol: "nonoverlapping" or "sliding_window".
        stride: Tokens that a sliding window moves by.
        on_progress: Called with the share of windows done, 0 .. 1.

    Returns:
        (target,), in nats.

    Raises:
        ValueError: See `check_protocol`.
    """
    step = check_protocol(model, stretch, eval_length, protocol, stride)
    tokens = torch.from_numpy(stretch.tokens.astype(np.int64))
    losses = np.empty(len(stretch.targets), np.float32)
    windows = _plan(stretch, eval_length, step)
    done = 0
    for group in _batches(windows):
        last = max(w.start + w.length + 1 - int(stretch.targets[w.low]) for w in group)
        nll = _group_nll(model, tokens, group, last)
        for row, window in zip(nll, group, strict=True):
            scored = slice(window.low, window.high)
            losses[scored] = row[stretch.targets[scored] - (window.start + window.length + 1)]
        done += len(group)
        on_progress(done / len(windows))
    return losses


def evaluate(
    model: Transformer,
    stretch: Stretch,
    bytes_per_token: NDArray[np.int64],
    *,
    eval_length: int,
    protocol: Protocol = "nonoverlapping",
    stride: int | None = None,
) -> Score:
    """Returns how well `model` predicts the targets of `stretch` with windows of one length.

    Args:
        model: Any decoder of this package, on any device.
        stretch: The text and its targets.
        bytes_per_token: (vocab,) bytes of text that each token stands for.
        eval_length: Tokens in a window.
        protocol: "nonoverlapping" or "sliding_window".
        stride: Tokens that a sliding window moves by.

    Raises:
        ValueError: See `check_protocol`.
    """
    losses = target_losses(
        model, stretch, eval_length=eval_length, protocol=protocol, stride=stride
    )
    return score_of(losses, stretch, bytes_per_token)


def score_of(
    losses: NDArray[np.float32], stretch: Stretch, bytes_per_token: NDArray[np.int64]
) -> Score:
    """Returns what the losses of all targets come to.

    Args:
        losses: (target,) in nats.
        stretch: The text and its targets.
        bytes_per_token: (vocab,) bytes of text that each token stands for.
    """
    scored_bytes = int(bytes_per_token[stretch.tokens[stretch.targets]].sum())
    return Score(float(losses.mean(dtype=np.float64)), len(losses), scored_bytes)


def _group_nll(
    model: Transformer, tokens: Tensor, group: list[_Window], last: int
) -> NDArray[np.float32]:
    """The losses at the end of a group's windows, (window, last), in nats."""
    device = model.embedding.weight.device
    length = group[0].length
    rows = torch.stack([tokens[w.start : w.start + length + 1] for w in group]).to(device)
    with autocast(device):
        nll = token_nll(model, rows[:, :-1], rows[:, -last:])
    return nll.float().cpu().numpy()
