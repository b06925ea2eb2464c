"""The same model and text with other slopes: what changes in attention and loss."""

from dataclasses import dataclass

import numpy as np

from alibi_viz.inspection.adapters.contract import Adapter, Slopes
from alibi_viz.inspection.adapters.slope_lines import SHORTEST_LINE
from alibi_viz.inspection.errors import UnfitAsking, UnreadableModel
from alibi_viz.inspection.text.capture import MAX_TOKENS, Capture, capture_tokens, tokens_for
from alibi_viz.maths.slopes import MAX_SLOPE_EXPONENT, SlopeRule, alibi_slopes


@dataclass(frozen=True)
class Change:
    """What to do with a model's slopes; as it stands, nothing."""

    max_exponent: float | None = None
    """New slopes of this exponent; the model's own if left out and no rule is given."""
    rule: SlopeRule | None = None
    """New slopes by this rule; interleaved if only an exponent is given."""
    scale: float = 1.0
    """What all slopes are multiplied with; 0 takes the bias off everywhere."""
    off: frozenset[tuple[int | None, int]] = frozenset()
    """(layer, head) whose bias is taken off; layer None stands for all layers."""


@dataclass(frozen=True)
class WhatIf:
    """A text seen by a model, and by the same model with other slopes."""

    unchanged: Capture
    changed: Capture
    slopes: Slopes
    """(layer, head) slopes that the changed run was given, in the published scale."""


def changed_slopes(acting: Slopes, factor: float, change: Change) -> Slopes:
    """Returns (layer, head) slopes after a change, in the published scale.

    Args:
        acting: (layer, head) slopes that act on the logits now.
        factor: What the model's family multiplies published slopes with.
        change: What to do.

    Raises:
        UnfitAsking: A negative or non-finite scale, or a head or layer that is not there.
    """
    n_layer, n_head = acting.shape
    if not (np.isfinite(change.scale) and change.scale >= 0):
        raise UnfitAsking(f"scale must be finite and at least 0, got {change.scale}")
    slopes = acting / factor
    if change.max_exponent is not None or change.rule is not None:
        exponent = MAX_SLOPE_EXPONENT if change.max_exponent is None else change.max_exponent
        new = alibi_slopes(n_head, exponent, change.rule or "interleaved")
        slopes = np.tile(new, (n_layer, 1))
    slopes = slopes * change.scale
    for layer, head in change.off:
        if not 0 <= head < n_head or not (layer is None or 0 <= layer < n_layer):
            raise UnfitAsking(
                f"no head {head} in layer {layer}: there are {n_layer} layers of {n_head} heads"
            )
        slopes[slice(None) if layer is None else layer, head] = 0
    return slopes


def what_if(
    adapter: Adapter, text: str | bytes, change: Change, *, limit: int = MAX_TOKENS,
    unchanged: Capture | None = None,
) -> WhatIf:  # fmt: skip
    """Returns a text seen by a model as it is, and with other slopes.

    Args:
        adapter: A loaded model with ALiBi.
        text: Text, or bytes.
        change: What to do with the slopes.
        limit: Most tokens to look at. May lie beyond the training length.
        unchanged: The capture of the same text without a change, if there is one already.

    Raises:
        UnreadableModel: The model has no slopes.
        UnfitAsking: An empty text, one too short to tell the slopes, or a change that does not fit
            the model.
    """
    tokenised = tokens_for(adapter, text, limit)
    before = unchanged or capture_tokens(adapter, tokenised)
    if before.is_too_short:
        raise UnfitAsking(
            f"the slopes of {before.model_name} are read from its biases, which takes at least "
            f"{SHORTEST_LINE} tokens, got {before.length}"
        )
    if before.slopes is None:
        raise UnreadableModel(f"{before.model_name} has no slopes to change")
    slopes = changed_slopes(before.slopes, before.promise.factor, change)
    return WhatIf(before, capture_tokens(adapter, tokenised, slopes=slopes), slopes)
