"""The loss of every token, without the logits of a whole text over the vocabulary at once."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

# Logits of one block of tokens over the vocabulary: 250,880 tokens in float32 are 1 MB a row.
LOSS_BLOCK = 128


def token_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Returns -ln p of each target, (length,) float32 in nats.

    Args:
        logits: (length, vocab_size).
        targets: (length,) token ids.
    """
    return cross_entropy(logits.float(), targets.long().to(logits.device), reduction="none")


def token_loss_in_blocks(
    unembed: Callable[[Tensor], Tensor], hidden: Tensor, targets: Tensor
) -> Tensor:
    """Returns -ln p of each target, (length,) float32 in nats, from what makes the logits.

    Args:
        unembed: Takes a block of `hidden` and returns its logits, (block, vocab_size).
        hidden: (length, d_model) what the last layer leaves.
        targets: (length,) token ids.
    """
    blocks = zip(torch.split(hidden, LOSS_BLOCK), torch.split(targets, LOSS_BLOCK), strict=True)
    return torch.cat([token_loss(unembed(rows), following) for rows, following in blocks])
