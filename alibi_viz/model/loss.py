"""What a model is trained to lower: minus the log probability of the token that came, in nats."""

import torch
from einops import rearrange
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from alibi_viz.model.transformer import Transformer


def token_nll(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Returns the loss of every target, (batch, last) float32, in nats.

    Args:
        model: A `Transformer`, or what wraps one.
        inputs: (batch, length) token ids.
        targets: (batch, last), the tokens that follow the last so many inputs.
    """
    logits = model(inputs, targets.shape[1]).float()
    flat = rearrange(logits, "batch length vocab -> (batch length) vocab")
    losses = cross_entropy(flat, targets.reshape(-1), reduction="none")
    return losses.view(targets.shape)


@torch.inference_mode()
def mean_window_nll(model: Transformer, tokens: Tensor, length: int, batch_size: int = 32) -> float:
    """Returns the mean loss over whole nonoverlapping windows of `tokens`, in nats per token.

    Args:
        model: Left in the mode that it is in; it has no dropout.
        tokens: (token,) ids on the model's device; what does not fill a window is left out.
        length: Tokens in a window.
        batch_size: Windows at a time; does not change the result beyond rounding.
    """
    count = (len(tokens) - 1) // length
    inputs = tokens[: count * length].view(count, length)
    targets = tokens[1 : count * length + 1].view(count, length)
    total = 0.0
    for start in range(0, count, batch_size):
        rows = slice(start, start + batch_size)
        total += token_nll(model, inputs[rows], targets[rows]).double().sum().item()
    return total / (count * length)
