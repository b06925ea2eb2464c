"""What a recall model answers: logits, attention and accuracy at the questions alone.

A model of one layer lets a question be answered without computing what other tokens predict: keys
and values of all tokens, and the queries of the questions. The numbers are those of the model
itself; the cost grows with the window, not with its square.
"""

import numpy as np
import torch
from einops import einsum, rearrange
from numpy.typing import NDArray
from torch import Tensor

from alibi_viz.model.transformer import Block, Transformer
from alibi_viz.retrieval.needles import NeedleWindows

TOKENS_AT_ONCE = 131_072
"""Bounds the memory; does not change the result beyond rounding."""


def the_block(model: Transformer) -> Block:
    """Returns the one block of a recall model.

    Raises:
        ValueError: A model of more layers than one.
    """
    if len(model.blocks) != 1:
        raise ValueError(f"a recall model has one layer, this one has {len(model.blocks)}")
    block: Block = model.blocks[0]  # type: ignore[assignment]
    return block


def _attend(model: Transformer, x: Tensor, windows: NeedleWindows) -> tuple[Tensor, Tensor]:
    """Returns the questions' weights (window, head, question, key) and all values."""
    block = the_block(model)
    q, k, v = block.attention.project(block.attention_norm(x), model.position)
    places = torch.from_numpy(windows.places)
    asked = q.gather(2, places[:, None, :, None].expand(-1, q.shape[1], -1, q.shape[3]))
    logits = einsum(
        asked, k, "window head question d, window head key d -> window head question key"
    )
    distance = places[:, :, None] - torch.arange(windows.length)
    logits = logits / q.shape[-1] ** 0.5
    bias = model.bias_by_distance(windows.length)
    if bias is not None:
        by_key = bias[:, distance.clamp(min=0)]
        logits = logits + rearrange(by_key, "head window ... -> window head ...")
    return logits.masked_fill(distance[:, None] < 0, -torch.inf).softmax(-1), v


def question_logits(model: Transformer, windows: NeedleWindows) -> Tensor:
    """Returns what a recall model predicts after each question, with gradients.

    Args:
        model: A recall model, stretched or not.
        windows: With as many questions in each.

    Returns:
        (window, question, vocab) logits.

    Raises:
        ValueError: A model of more layers than one.
    """
    x = model.embed(torch.from_numpy(windows.tokens))
    weights, v = _attend(model, x, windows)
    mixed = rearrange(weights @ v, "window head question d -> window question (head d)")
    block = the_block(model)
    x = x.gather(1, torch.from_numpy(windows.places)[..., None].expand_as(mixed))
    x = x + block.attention.output(mixed)
    return model.unembed(x + block.mlp(block.mlp_norm(x)))


@torch.inference_mode()
def question_attention(model: Transformer, windows: NeedleWindows) -> NDArray[np.float32]:
    """Returns the attention of each question.

    Args:
        model: A recall model, stretched or not.
        windows: With as many questions in each.

    Returns:
        (window, head, question, key) weights; rows sum to 1, and future keys have 0.
    """
    weights, _ = _attend(model, model.embed(torch.from_numpy(windows.tokens)), windows)
    return weights.numpy()


@torch.inference_mode()
def right_answers(model: Transformer, windows: NeedleWindows) -> NDArray[np.bool_]:
    """Returns whether each question is answered: (window, question).

    Args:
        model: A recall model, stretched or not.
        windows: With as many questions in each.
    """
    at_once = max(1, TOKENS_AT_ONCE // windows.length)
    parts = [
        windows.part(start, start + at_once) for start in range(0, len(windows.tokens), at_once)
    ]
    predicted = torch.cat([question_logits(model, part).argmax(-1) for part in parts])
    right: NDArray[np.bool_] = predicted.numpy() == windows.answers
    return right
