"""What the softmax makes of a linear bias: an exponential decay, unless content speaks up.

With equal content everywhere the weight at distance d is exp(-m d) over the sum of all of them: a
geometric sequence that loses the same factor with every token. Content moves it: a key further away
by ln(2) / m tokens needs ln(2) nats more to keep its weight.
"""

from einops import reduce

from alibi_viz.maths.arrays import Array, exp, require_length
from alibi_viz.maths.bias import bias_by_distance


def attention_by_distance(
    slopes: Array, length: int, query: int | None = None, content: Array | None = None
) -> Array:
    """Returns the causal attention weights of one query, by distance.

    softmax over d = 0 .. query of  content(d) - slope * d

    >>> attention_by_distance([0.5], 4).round(4).tolist()
    [[0.4551, 0.276, 0.1674, 0.1015]]

    Args:
        slopes: (head,) slopes, in nats per token. A torch tensor gives a torch tensor.
        length: Tokens in the sequence, at least 1.
        query: Position of the query, 0 .. length - 1; the last one if left out.
        content: Content logits to add, (distance,) for all heads or (head, distance), in nats;
            distance 0 is the query's own key. Zero if left out.

    Returns:
        (head, distance) weights for distance 0 .. query; each head sums to 1.

    Raises:
        ValueError: A length below 1, a query outside the sequence, or content of another shape.
    """
    length = require_length("length", length)
    query = length - 1 if query is None else query
    if not 0 <= query < length:
        raise ValueError(f"query must be a position from 0 to {length - 1}, got {query}")
    logits = bias_by_distance(slopes, query + 1)
    if content is not None:
        allowed = ((query + 1,), tuple(logits.shape))
        if tuple(content.shape) not in allowed:
            raise ValueError(
                f"content must have shape {allowed[0]} or {allowed[1]}, got {tuple(content.shape)}"
            )
        logits = logits + content
    return softmax(logits)


def softmax(logits: Array) -> Array:
    """Returns the softmax over the last axis, for logits of any size.

    A row without a single finite logit has no weights to give: it stays NaN, for whoever draws to
    grey out.

    Args:
        logits: (..., key) attention logits, in nats; -inf where masked.

    Returns:
        (..., key) weights; each row sums to 1.
    """
    # The largest logit becomes 0, so that nothing overflows; the weights do not change.
    weights = exp(logits - reduce(logits, "... key -> ... 1", "max"))
    return weights / reduce(weights, "... key -> ... 1", "sum")
