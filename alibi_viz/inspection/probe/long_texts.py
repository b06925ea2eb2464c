"""What happens to a bias far from the first token: rounding, and limits."""

from collections.abc import Iterator

import numpy as np
import torch

from alibi_viz.errors import first_lines
from alibi_viz.inspection.adapters.contract import Adapter
from alibi_viz.inspection.errors import RUN_ERRORS
from alibi_viz.inspection.probe.finding import Finding
from alibi_viz.inspection.probe.method import FoundMethod
from alibi_viz.inspection.probe.read_back import (
    FEW_DISTANCES,
    ReadBack,
    read_back_slopes,
)

# Nats of ln p that rounding of the biases may take without being called a disagreement.
TOLERATED_DEVIATION = 0.05
# Configured limits at which the logits of a layer take more bytes are not tried.
LARGEST_LAYER = 2_000_000_000


def check_rounding(adapter: Adapter, found: FoundMethod, length: int) -> Iterator[Finding]:
    """Yields where biases are rounded so far that neighbouring keys become one, or jump.

    Only the first layer is run: biases are the same in all.

    Args:
        adapter: A loaded model.
        found: How position enters; only ALiBi is checked.
        length: Tokens of the text; fewer if the model fails past a lower limit.
    """
    if "alibi" not in found.keys:
        return
    limit = adapter.facts.limit
    if limit is not None and length > limit and adapter.why_no_longer() is not None:
        length = limit
    for path in adapter.paths:
        if path.returns_weights:
            continue
        try:
            read = read_back_slopes(
                adapter, path, length=length, n_layer=1, distances=FEW_DISTANCES
            )
        except RUN_ERRORS as error:
            words = f"At {length:,} tokens the model fails by {path.label}: {first_lines(error)}."
            yield Finding("rounding", True, words, {"length": length, "path": path.label})
            continue
        off = read.deviation > TOLERATED_DEVIATION + read.precision
        if off.any():
            yield _rounding_finding(adapter, read, int(off.sum()))


def _rounding_finding(adapter: Adapter, read: ReadBack, n_off: int) -> Finding:
    layer, head = np.unravel_index(np.argmax(read.deviation), read.deviation.shape)
    deviation, points = float(read.deviation[layer, head]), int(read.points[layer, head])
    distinct = int(read.distinct[layer, head])
    dtype = str(adapter.dtype).removeprefix("torch.")
    by_itself = adapter.dtype == torch.float32
    why = "the model is in float32, so it is the library that rounds" if by_itself else dtype
    return Finding(
        "rounding",
        True,
        f"At {read.length:,} tokens, by {read.path.label}, biases are rounded: {n_off} of "
        f"{read.deviation.size} heads leave the straight line. Head {head + 1} is off by up to "
        f"{deviation:.2g} nats, a weight wrong by a factor of {np.exp(deviation):.2g}; its "
        f"{points} nearest keys have {distinct} different weights ({why}).",
        {
            "length": read.length,
            "heads": n_off,
            "head": int(head) + 1,
            "deviation": deviation,
            "keys": points,
            "distinct": distinct,
            "dtype": dtype,
        },
    )


def check_limit(adapter: Adapter, found: FoundMethod, checked: int) -> Iterator[Finding]:
    """Yields what happens past the limit that the configuration names.

    Args:
        adapter: A loaded model.
        found: How position enters.
        checked: Tokens at which biases were looked at already.
    """
    limit, setting = adapter.facts.limit, adapter.facts.limit_name
    if limit is None:
        return
    length = limit + FEW_DISTANCES
    if 3 * 4 * adapter.facts.n_head * length**2 > LARGEST_LAYER:
        words = (
            f"The limit {setting}: {limit:,} was not tried: a longer text takes too much memory."
        )
        yield Finding("length", False, words, {"limit": limit, "setting": setting})
        return
    reason = adapter.why_no_longer()
    numbers = {"limit": limit, "setting": setting, "error": reason}
    if reason is not None:
        words = f"One token past {setting}: {limit:,} the model fails: {reason}."
        if "alibi" in found.keys:
            words += " ALiBi itself has no such limit: a larger one in config.json lifts it."
        elif "learned" in found.keys:
            words += " Learned positions end there."
        yield Finding("length", False, words, numbers)
        return
    words = f"The configuration names a limit, {setting}: {limit:,}; longer texts run all the same."
    yield Finding("length", False, words, numbers)
    if length > checked:
        yield from check_rounding(adapter, found, length)
