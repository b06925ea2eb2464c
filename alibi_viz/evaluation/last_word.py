"""What a text's last word attends to, and what a model expects next, by how much text it has read.

The end of the text stays where it is while more and more text before it is read: what changes is
the length of the window alone. Past the training length some methods of telling position fail, and
one sees it in the attention, in the loss and in the words that the model would write.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from einops import einsum
from torch import Tensor
from torch.nn.functional import cross_entropy

from alibi_viz.data.tokenizer import Tokens, load_tokenizer
from alibi_viz.model.attention import bias_for_blocks
from alibi_viz.model.transformer import Block, Transformer
from alibi_viz.paths import tokenizer_folder

METHODS_SHOWN = ("alibi", "rope", "t5", "nope")
SCORED = 15
"""Tokens at the end whose loss is told: the shortest text has no more that follow another."""
WRITTEN = 12
"""Tokens that the model writes."""
WORDS = 14
"""Words at the end whose attention is told one by one."""


@dataclass(frozen=True)
class LastWord:
    """What one model makes of the end of a text, having read so many tokens."""

    method: str
    """Key of the position method."""
    length: int
    """Tokens read."""
    words: tuple[str, ...]
    """The last words, the very last one last."""
    weights: tuple[float, ...]
    """Attention of the last token on each of them, a mean over all layers and heads."""
    earlier: float
    """The same on all text before them."""
    beyond: float
    """Of that, what goes to tokens farther away than any in training."""
    perplexity: float
    """exp of the mean loss of the last `SCORED` tokens, nats per token."""
    continuation: str
    """What the model would write: the likeliest token, `WRITTEN` times."""


@torch.inference_mode()
def last_attention(model: Transformer, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Returns the attention of the last token, and the logits of all next tokens.

    Args:
        model: Ready to evaluate.
        tokens: (batch, length) token ids; a batch of one.

    Returns:
        (key,) a mean over layers and heads, which sums to 1; and (length, vocab_size).
    """
    length = tokens.shape[1]
    x, bias = model.embed(tokens), model.bias_by_distance(length)
    blocks = None if bias is None else bias_for_blocks(bias, length)
    rows = []
    for block in model.blocks:
        assert isinstance(block, Block), "a transformer is made of blocks"
        q, k, _ = block.attention.project(block.attention_norm(x), model.position)
        content = einsum(q[0, :, -1], k[0], "head d_head, head key d_head -> head key")
        logits = content / q.shape[-1] ** 0.5
        # Distance 0 is the last key.
        logits = logits if bias is None else logits + bias[:, :length].flip(-1)
        rows.append(logits.softmax(-1))
        x = block(x, model.position, blocks)
    return torch.stack(rows).mean((0, 1)), model.unembed(x)[0]


@torch.inference_mode()
def written_next(model: Transformer, tokens: Tensor, count: int = WRITTEN) -> list[int]:
    """Returns the tokens that the model would write, the likeliest each time.

    The window grows with what is written: it is never cut.

    Args:
        model: Ready to evaluate.
        tokens: (1, length) token ids.
        count: Tokens to write.
    """
    for _ in range(count):
        tokens = torch.cat([tokens, model(tokens)[:, -1:].argmax(-1)], dim=1)
    return [int(token) for token in tokens[0, -count:]]


def read_end(
    model: Transformer, tokens: Tokens, length: int, *, text: str, write: int = WRITTEN
) -> LastWord:
    """Returns what a model makes of the end of a text.

    Args:
        model: Ready to evaluate.
        tokens: (text,) token ids of the whole text.
        length: How many of the last ones are read, `SCORED` + 1 at least.
        text: Name of the text that the model was trained on, for its tokenizer.
        write: Tokens to write.

    Raises:
        ValueError: A length below `SCORED` + 1 or beyond the text.
    """
    if not SCORED < length <= len(tokens):
        raise ValueError(f"length must be from {SCORED + 1} to {len(tokens)}, got {length}")
    tokenizer = load_tokenizer(tokenizer_folder(text) / "tokenizer.json")
    read = torch.as_tensor(tokens[-length:].astype("int64"))[None]
    weights, logits = last_attention(model, read)
    loss = cross_entropy(logits[-SCORED - 1 : -1], read[0, -SCORED:])
    pieces = [tokenizer.decode([token]) for token in read[0].tolist()]
    words = list(_last_words(pieces, weights.tolist()))
    first = length - sum(size for _, _, size in words)
    known = model.config.train_length
    return LastWord(
        method=model.config.position,
        length=length,
        words=tuple(word for word, _, _ in words),
        weights=tuple(round(weight, 5) for _, weight, _ in words),
        earlier=round(float(weights[:first].sum()), 5),
        beyond=round(float(weights[: max(0, length - known)].sum()), 5),
        perplexity=round(float(loss.exp()), 3),
        continuation=tokenizer.decode(written_next(model, read, write)),
    )


def _last_words(
    pieces: Sequence[str], weights: Sequence[float]
) -> Iterator[tuple[str, float, int]]:
    """Yields the last words with their weight and how many tokens each is made of."""
    words: list[tuple[str, float, int]] = []
    for piece, weight in zip(pieces, weights, strict=True):
        starts = not words or not piece[:1].isalnum() or not words[-1][0][-1:].isalnum()
        if starts:
            words.append((piece, weight, 1))
        else:
            text, before, size = words[-1]
            words[-1] = (text + piece, before + weight, size + 1)
    yield from words[-WORDS:]
