"""What happens to a bias far from the first token: rounding, and limits."""

from collections.abc import Iterator

import numpy as np
import torch

from alibi_viz.inspection.adapters.base import Adapter
from alibi_viz.inspection.checks.finding import RUN_ERRORS, Finding, first_line
from alibi_viz.inspection.method import FoundMethod
from alibi_viz.inspection.read_back import (
    FEW_DISTANCES,
    ReadBack,
    probe_ids,
    read_back_slopes,
)

# Nats of ln p that rounding of the biases may take without being called a disagreement.
TOLERATED_DEVIATION = 0.05
# Configured limits above this are not tried: a run would take too long.
LARGEST_LIMIT = 8192


def check_rounding(adapter: Adapter, found: FoundMethod, length: int) -> Iterator[Finding]:
    """Yields where biases are rounded so far that neighbouring keys become one, or jump.

    Only the first layer is run: biases are the same in all.

    Args:
        adapter: A loaded model.
        found: How position enters; only ALiBi is checked.
        length: Tokens of the text; fewer if the configuration names a lower limit.
    """
    if "alibi" not in found.keys:
        return
    length = min(length, adapter.facts.limit or length)
    for path in adapter.paths:
        if path.returns_weights:
            continue
        try:
            read = read_back_slopes(
                adapter, path, length=length, n_layer=1, distances=FEW_DISTANCES
            )
        except RUN_ERRORS as error:
            words = f"At {length:,} tokens the model fails by {path.label}: {first_line(error)}."
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


def check_limit(adapter: Adapter, found: FoundMethod) -> Iterator[Finding]:
    """Yields what happens one token past the limit that the configuration names."""
    limit = adapter.facts.limit
    if limit is None or limit > LARGEST_LIMIT:
        return
    ids = probe_ids(limit + 1, adapter.facts.vocab_size)
    try:
        adapter.read_weights(ids, adapter.default_path, torch.tensor([limit]), n_layer=1)
    except RUN_ERRORS as error:
        words = f"One token past the configured limit of {limit:,} it fails: {first_line(error)}."
        if "alibi" in found.keys:
            words += " ALiBi itself has no such limit: a larger one in config.json lifts it."
        yield Finding("length", False, words, {"limit": limit, "error": first_line(error)})
    else:
        words = (
            f"The configuration names a limit of {limit:,} tokens; longer texts run all the same."
        )
        yield Finding("length", False, words, {"limit": limit})
