"""The whole decoder: pre-norm blocks of attention and MLP, no biases, tied embeddings.

Every position method runs through the same code; `position` acts in one of three places that are
marked below. Shapes: tokens (batch, length), x (batch, length, d_model).

To look inside, walk the model as `forward` does:

    x = model.embed(tokens)
    bias = model.bias_by_distance(length)                           # (head, distance) or None
    for block in model.blocks:
        q, k, v = block.attention.project(block.attention_norm(x), model.position)
        content = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5      # attention logits without bias
        x = block(x, model.position, None if bias is None else bias_for_blocks(bias, length))
"""

import math

import torch
from einops import rearrange
from torch import Tensor, nn
from torch.nn.functional import gelu, linear

from alibi_viz.model.attention import (
    AttentionBias,
    LinearBias,
    bias_for_blocks,
    causal_attention,
)
from alibi_viz.model.config import ModelConfig
from alibi_viz.positions import build_position
from alibi_viz.positions.base import EMBEDDING_STD
from alibi_viz.positions.module import Position

# Tokens from which skipping far keys pays for finding out which they are. On a CPU only without
# gradients: those of many short blocks cost more than one long one saves. On CUDA one kernel does
# both, so that slopes are always told as slopes there.
LONG = 2048


class Attention(nn.Module):
    """Causal multi-head self-attention."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.n_head = config.n_head
        self.query_key_value = nn.Linear(config.d_model, 3 * config.d_model, bias=False)
        self.output = nn.Linear(config.d_model, config.d_model, bias=False)

    def project(self, x: Tensor, position: Position) -> tuple[Tensor, Tensor, Tensor]:
        """Returns queries, keys (both after the position method's rotation) and values.

        Args:
            x: (batch, length, d_model), normalised.
            position: The model's position method.

        Returns:
            q, k, v, each (batch, head, length, d_head).
        """
        q, k, v = rearrange(
            self.query_key_value(x),
            "batch length (three head d_head) -> three batch head length d_head",
            three=3,
            head=self.n_head,
        )
        q, k = position.rotate(q, k)  # where RoPE acts
        return q, k, v

    def forward(self, x: Tensor, position: Position, bias: AttentionBias) -> Tensor:
        """Returns what attention adds to the residual stream, (batch, length, d_model)."""
        q, k, v = self.project(x, position)
        mixed = causal_attention(q, k, v, bias)  # where ALiBi and T5 bias act
        merged = rearrange(mixed, "batch head length d_head -> batch length (head d_head)")
        return self.output(merged)  # type: ignore[no-any-return]


class MLP(nn.Module):
    """Two layers with a GELU between, four times as wide as the model."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.hidden = nn.Linear(config.d_model, 4 * config.d_model, bias=False)
        self.output = nn.Linear(4 * config.d_model, config.d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Returns what the MLP adds to the residual stream, (batch, length, d_model)."""
        return self.output(gelu(self.hidden(x)))  # type: ignore[no-any-return]


class Block(nn.Module):
    """One layer: attention, then MLP, each on a normalised copy of the residual stream."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(config.d_model, bias=False)
        self.attention = Attention(config)
        self.mlp_norm = nn.LayerNorm(config.d_model, bias=False)
        self.mlp = MLP(config)

    def forward(self, x: Tensor, position: Position, bias: AttentionBias) -> Tensor:
        """Returns the residual stream after this layer, (batch, length, d_model)."""
        x = x + self.attention(self.attention_norm(x), position, bias)
        return x + self.mlp(self.mlp_norm(x))  # type: ignore[no-any-return]


class Transformer(nn.Module):
    """A decoder language model with a position method of choice."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.position = build_position(config.position, config)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.n_layer))
        self.final_norm = nn.LayerNorm(config.d_model, bias=False)

    def embed(self, tokens: Tensor) -> Tensor:
        """Returns the residual stream before the first layer, (batch, length, d_model).

        Args:
            tokens: (batch, length) token ids.
        """
        return self.position.embed(self.embedding(tokens))  # where sinusoidal and learned act

    def bias_by_distance(self, length: int) -> Tensor | None:
        """Returns the position method's bias, (head, distance) in nats, or None if it has none."""
        return self.position.bias_by_distance(length, self.embedding.weight.device)

    def unembed(self, x: Tensor) -> Tensor:
        """Returns logits (batch, length, vocab_size) from the last residual stream."""
        return linear(self.final_norm(x), self.embedding.weight)

    def forward(self, tokens: Tensor, last: int | None = None) -> Tensor:
        """Returns the logits of every next token, or of those at the end.

        Args:
            tokens: (batch, length) token ids.
            last: Positions wanted, counted from the end; all if left out.

        Returns:
            (batch, last, vocab_size); logits at a position predict the token after it.

        Raises:
            ValueError: No tokens, or learned positions and more tokens than they were trained on.
        """
        if tokens.ndim != 2 or not tokens.shape[1]:
            raise ValueError(
                f"tokens must be (batch, length) with at least one token, got {tuple(tokens.shape)}"
            )
        bias = self._attention_bias(tokens.shape[1])
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x, self.position, bias)
        return self.unembed(x if last is None else x[:, -last:])

    def _attention_bias(self, length: int) -> AttentionBias:
        """What every layer adds to its logits, in the form that is fastest at this length."""
        device = self.embedding.weight.device
        slopes = self.position.slopes(device)
        can_skip = device.type == "cuda" or (length >= LONG and not torch.is_grad_enabled())
        if slopes is not None and can_skip:
            return LinearBias(slopes)
        bias = self.bias_by_distance(length)
        return None if bias is None else bias_for_blocks(bias, length)


def initialise(model: Transformer, seed: int) -> None:
    """Fills the parameters from a seed; what methods share starts equal in all of them.

    GPT-2's choice: normal with standard deviation 0.02, and the projections into the residual
    stream scaled down by sqrt(2 n_layer). What the position method learns is drawn last.

    Args:
        model: Changed in place.
        seed: Of a generator on the CPU, so that every device starts from the same numbers.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim < 2 or name.startswith("position."):
                continue
            depth = 2 * model.config.n_layer if name.endswith("output.weight") else 1
            std = EMBEDDING_STD / math.sqrt(depth)
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * std)
        model.position.draw(generator)


def parameter_count(model: Transformer) -> int:
    """Returns how many numbers are trained; the embedding serves both ends and counts once."""
    return sum(parameter.numel() for parameter in model.parameters())
