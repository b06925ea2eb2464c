"""Which head of a recall model finds the needle: read off its weights, and measured.

In a model of one layer without positions in its embedding, the content logit of a question and a
key depends on the two tokens alone. So one table tells everything a head knows of content, and with
the bias by distance it tells the attention in any window, exactly.
"""

from dataclasses import dataclass

import numpy as np
import torch
from einops import einsum, rearrange
from numpy.typing import NDArray
from torch import Tensor

from alibi_viz.maths.arrays import Floats
from alibi_viz.model.transformer import Transformer
from alibi_viz.positions import find_method
from alibi_viz.retrieval.needles import (
    FIRST_ANSWER,
    FIRST_NEEDLE,
    FIRST_QUESTION,
    N_COLOUR,
    N_DEPTH,
    N_FILLER,
    N_NUMBER,
    NeedleWindows,
    depth_of,
)
from alibi_viz.retrieval.recall import question_attention, question_logits, the_block


def has_content_table(model: Transformer) -> bool:
    """Returns whether content and position can be told apart: nothing rotated, nothing embedded."""
    return find_method(model.config.position).acts_on in ("logit", "nowhere")


@dataclass(frozen=True)
class LookBack:
    """One question about one needle: what every head pays, has and gives."""

    weights: NDArray[np.float32]
    """(head, key) attention of the question, measured."""
    answers: NDArray[np.float32]
    """(number,) probability of each answer, of all tokens."""
    prices: Floats | None
    """(head,) nats that the bias takes from the needle; None where position lies in the content."""
    content: Floats | None
    """(head,) the needle's content logit above filler's, in nats."""
    needed: Floats | None
    """(head,) content that the needle would need for half the attention, in nats: its price, and
    what all other keys keep together."""


@torch.inference_mode()
def look_back(model: Transformer, window: NeedleWindows) -> LookBack:
    """Returns how the heads of a recall model find one needle, or do not.

    Args:
        model: A recall model, as trained.
        window: What `asked_window` returns.
    """
    logits = question_logits(model, window)[0, 0]
    answers = logits.softmax(-1)[FIRST_ANSWER:].numpy()
    weights = question_attention(model, window)[0, :, 0]
    if not has_content_table(model):
        return LookBack(weights, answers, None, None, None)
    distance, tokens = int(window.distances[0, 0]), window.tokens[0]
    question = content_logits(model).double().numpy()[:, tokens[-1] - FIRST_QUESTION]
    filler = np.log(np.exp(question[:, :N_FILLER]).mean(-1))
    bias = model.bias_by_distance(window.length)
    by_distance = np.zeros((len(weights), window.length))
    if bias is not None:
        by_distance = bias.detach().double().numpy()
    others = np.delete(by_distance, distance, axis=1)
    prices = -by_distance[:, distance]
    return LookBack(
        weights,
        answers,
        prices=prices,
        content=question[:, tokens[window.length - 1 - distance]] - filler,
        needed=prices + np.log(np.exp(others).sum(-1)),
    )


@torch.inference_mode()
def content_logits(model: Transformer) -> Tensor:
    """Returns the content logit of each question with each token.

    Args:
        model: A recall model for which `has_content_table` holds.

    Returns:
        (head, question, token) in nats, before any bias.

    Raises:
        ValueError: Position lies in the model's content.
    """
    if not has_content_table(model):
        raise ValueError(f"{model.config.position} puts position into the content of a logit")
    block = the_block(model)
    every_token = rearrange(torch.arange(model.config.vocab_size), "token -> 1 token")
    x = block.attention_norm(model.embed(every_token))
    q, k, _ = block.attention.project(x, model.position)
    questions = q[0, :, FIRST_QUESTION : FIRST_QUESTION + N_COLOUR]
    logits = einsum(questions, k[0], "head question d, head token d -> head question token")
    table: Tensor = logits / q.shape[-1] ** 0.5
    return table


def content_gaps(model: Transformer) -> Floats:
    """Returns each head's content gap: how far the asked needle's logit lies above filler's.

    gap = mean logit of the asked colour's needles - ln mean exp of the fillers' logits, averaged
    over the four questions.

    Args:
        model: A recall model for which `has_content_table` holds.

    Returns:
        (head,) in nats.
    """
    table = content_logits(model).double()
    needles = rearrange(
        table[..., FIRST_NEEDLE:FIRST_QUESTION],
        "head question (colour number) -> head question colour number",
        number=N_NUMBER,
    )
    asked = needles.mean(-1).diagonal(dim1=1, dim2=2)
    filler = table[..., :N_FILLER].logsumexp(-1) - np.log(N_FILLER)
    gaps: Floats = (asked - filler).mean(-1).numpy()
    return gaps


def predicted_attention(model: Transformer, tokens: NDArray[np.int64]) -> Floats:
    """Returns the attention of a window's last token, a question, from tables alone.

    weight(key) = softmax over keys of  content(question, token of key) + bias(distance)

    Args:
        model: A recall model for which `has_content_table` holds, as trained.
        tokens: (token,) ids of one window.

    Returns:
        (head, key) weights; rows sum to 1.
    """
    content = content_logits(model).double().numpy()[:, tokens[-1] - FIRST_QUESTION][:, tokens]
    bias = model.bias_by_distance(len(tokens))
    if bias is not None:
        content = content + bias.detach().double().numpy()[:, ::-1]
    weights = np.exp(content - content.max(-1, keepdims=True))
    predicted: Floats = weights / weights.sum(-1, keepdims=True)
    return predicted


def needle_attention_by_depth(model: Transformer, windows: NeedleWindows) -> Floats:
    """Returns the mean attention on the asked needle, by head and by how far back it lies.

    Args:
        model: A recall model, stretched or not.
        windows: As `needle_windows` makes them.

    Returns:
        (head, depth) mean weight; depth counts `N_DEPTH` equal parts of the window, nearest first.
    """
    rows, queries = np.ogrid[: len(windows.places), : windows.places.shape[1]]
    weights = question_attention(model, windows)
    found = weights[rows, :, queries, windows.places - windows.distances]
    depths = depth_of(windows.distances, windows.length)
    means = [found[depths == depth].mean(0) for depth in range(N_DEPTH)]
    return np.stack(means, axis=-1).astype(np.float64)
