"""A worked example: six tokens, two heads, and every number between the tokens and the output.

One layer of the model itself, small enough to read. Its weights are random, from one seed, and the
same for every method, so that only position differs. The word "the" stands there twice: whatever
tells its two places apart is position.
"""

import math
from dataclasses import dataclass

import torch
from einops import einsum
from torch import Tensor

from alibi_viz.maths.arrays import Floats
from alibi_viz.maths.decay import softmax
from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT
from alibi_viz.model.attention import toeplitz_bias
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Attention, Transformer, initialise
from alibi_viz.positions import find_method
from alibi_viz.positions.base import EMBEDDING_STD

WORDS = ("the", "dog", "saw", "the", "cat", "run")
SEED = 3
# With two heads, the paper's exponent 8 gives slopes 1/16 and 1/256, which six tokens hardly show;
# 2 gives 1/2 and 1/4, the first two heads of eight.
MAX_EXPONENT = 2.0


@dataclass(frozen=True)
class WorkedExample:
    """Every stage of attention over `WORDS`, with a method and without any position."""

    token_embedding: Floats
    """(token, d_model), before any position."""
    embedding: Floats
    """(token, d_model), what enters the layer."""
    q: Floats
    """(head, token, d_head) queries, after any rotation."""
    k: Floats
    """(head, token, d_head) keys, after any rotation."""
    v: Floats
    """(head, token, d_head) values."""
    plain_logits: Floats
    """(head, query, key) q . k / sqrt(d_head) of the same model without position, in nats."""
    logits: Floats
    """(head, query, key) with the method, before the mask, in nats."""
    weights: Floats
    """(head, query, key) after mask and softmax."""
    plain_weights: Floats
    """(head, query, key) the same without position."""
    output: Floats
    """(head, token, d_head) weights times values."""

    @property
    def words(self) -> tuple[str, ...]:
        """(token,) the tokens."""
        return WORDS

    @property
    def added(self) -> Floats:
        """(head, query, key) what the method changes in the logits, in nats."""
        return self.logits - self.plain_logits


@torch.no_grad()
def worked_example(method: str) -> WorkedExample:
    """Returns all stages of one attention layer over six tokens, in float64.

    Args:
        method: Key of the position method.

    Raises:
        ValueError: No method has that key.
    """
    model, plain = _model(method), _model("nope")
    tokens = torch.tensor([[WORDS.index(word) for word in WORDS]])
    bias = model.bias_by_distance(len(WORDS))
    q, k, v = _project(model, tokens)
    plain_q, plain_k, _ = _project(plain, tokens)
    logits, plain_logits = _logits(q, k), _logits(plain_q, plain_k)
    if bias is not None:
        # Future keys are masked later; until then they get the bias of their distance.
        position = torch.arange(len(WORDS))
        logits = logits + bias.double()[:, abs(position[:, None] - position)]
    weights = _weights(logits)
    return WorkedExample(
        token_embedding=_numbers(plain.embed(tokens)[0]),
        embedding=_numbers(model.embed(tokens)[0]),
        q=_numbers(q),
        k=_numbers(k),
        v=_numbers(v),
        plain_logits=_numbers(plain_logits),
        logits=_numbers(logits),
        weights=_numbers(weights),
        plain_weights=_numbers(_weights(plain_logits)),
        output=_numbers(einsum(weights, v, "head query key, head key d -> head query d")),
    )


def _model(method: str) -> Transformer:
    has_exponent = "max_exponent" in find_method(method).settings
    config = ModelConfig(
        position=method,
        n_layer=1,
        n_head=2,
        d_model=8,
        vocab_size=len(WORDS),
        train_length=len(WORDS),
        max_exponent=MAX_EXPONENT if has_exponent else MAX_SLOPE_EXPONENT,
    )
    model = Transformer(config)
    initialise(model, SEED)
    # A freshly initialised layer hardly attends to anything: its logits are thousandths of a nat.
    # Larger weights give logits of the size that trained models have.
    _attention(model).query_key_value.weight.mul_(1 / (EMBEDDING_STD * math.sqrt(config.d_model)))
    if model.position.method.acts_on == "logit":
        for parameter in model.position.parameters():
            # The same of a table of biases; what has one number a head starts at its usual size.
            parameter.mul_(1 / EMBEDDING_STD if parameter.ndim > 1 else 1)
    return model.double()


def _attention(model: Transformer) -> Attention:
    attention: Attention = model.blocks[0].attention  # type: ignore[assignment]
    return attention


def _project(model: Transformer, tokens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Returns queries, keys and values of the first layer, (head, token, d_head) each."""
    normalised = model.blocks[0].attention_norm(model.embed(tokens))  # type: ignore[operator]
    q, k, v = _attention(model).project(normalised, model.position)
    return q[0], k[0], v[0]


def _logits(q: Tensor, k: Tensor) -> Tensor:
    return einsum(q, k, "head query d, head key d -> head query key") / math.sqrt(q.shape[-1])


def _weights(logits: Tensor) -> Tensor:
    """Returns the softmax over the past: the mask is a bias of 0 here and -inf in the future."""
    length = logits.shape[-1]
    mask = toeplitz_bias(torch.zeros(1, length, dtype=logits.dtype), length, length)
    weights: Tensor = softmax(logits + mask)
    return weights


def _numbers(values: Tensor) -> Floats:
    return values.double().numpy()
