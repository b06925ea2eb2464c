"""What a position method costs: parameters, and arithmetic on top of the model's own.

An operation is one addition or one multiplication. Sines, angles and biases that do not depend on
the text are computed once and kept, so that only their use is counted.
"""

from dataclasses import dataclass

from alibi_viz.model.config import ModelConfig
from alibi_viz.positions import find_method


@dataclass(frozen=True)
class Cost:
    """What one method adds to a model that reads one window."""

    parameters: int
    """Trained numbers."""
    operations: int
    """Additions and multiplications for one window, all layers."""
    share: float
    """The same over the operations of the whole model without it."""


def position_cost(config: ModelConfig, length: int) -> Cost:
    """Returns what a model's position method costs for one window.

    embedding:  one addition for each channel of each token, once
    query_key:  four multiplications and two additions for each pair of channels, for queries and
                keys, in every layer
    logit:      one addition for each head and each pair of a query and a key up to it, every layer

    Args:
        config: Sizes and method.
        length: Tokens in the window, at least 1.
    """
    place = find_method(config.position).acts_on
    operations = {
        "embedding": length * config.d_model,
        "query_key": config.n_layer * 2 * length * (config.d_model // 2) * 6,
        "logit": config.n_layer * config.n_head * _causal_pairs(length),
        "nowhere": 0,
    }[place]
    learned = find_method(config.position)(config).learned
    return Cost(
        parameters=sum(values.size for values in learned.values()),
        operations=operations,
        share=operations / model_operations(config, length),
    )


def model_operations(config: ModelConfig, length: int) -> int:
    """Returns the operations of the matrix products of one forward pass, without position.

    Per layer and token 12 * d_model**2 multiply-adds (queries, keys, values, output, and an MLP of
    four times the width), per causal pair of tokens 2 * d_model (logit and mixing), and the
    vocabulary's logits at the end.

    Args:
        config: Sizes.
        length: Tokens in the window, at least 1.
    """
    per_layer = 12 * config.d_model**2 * length + 2 * config.d_model * _causal_pairs(length)
    multiply_adds = config.n_layer * per_layer + length * config.d_model * config.vocab_size
    return 2 * multiply_adds


def _causal_pairs(length: int) -> int:
    return length * (length + 1) // 2
