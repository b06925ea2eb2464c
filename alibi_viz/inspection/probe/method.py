"""Where position enters a model, found by asking it: not by reading its configuration.

A text of one token, repeated, has no content that differs from place to place. Whatever still
differs is position: in the embedding (learned or sinusoidal), in the queries and keys (RoPE), or in
the logits (ALiBi, T5: found by reading slopes back). Where nothing differs there is none.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from alibi_viz.inspection.adapters.contract import Adapter, Recording
from alibi_viz.inspection.probe.read_back import ReadBack

REPEATED_LENGTH = 24
# Tables with such a name are tried where none holds just what is added.
TABLE_NAMES = ("pos", "wpe")
NAMES = {
    "alibi": "ALiBi",
    "nonlinear": "a bias by distance that is no straight line",
    "rope": "RoPE",
    "learned": "learned position embeddings",
    "sinusoidal": "fixed position embeddings, sinusoidal or alike",
    "nope": "no position at all (NoPE)",
}


@dataclass(frozen=True)
class FoundMethod:
    """How position enters, as found."""

    keys: tuple[str, ...]
    """Keys of `NAMES`: all that act, strongest evidence first; ("nope",) for none."""
    words: str
    """The finding in a sentence."""


def found_method(adapter: Adapter, read: ReadBack) -> FoundMethod:
    """Returns how position enters the model.

    Args:
        adapter: A loaded model.
        read: Its slopes, read back on the path that it is used by.

    Raises:
        UnreadableModel: The model cannot be recorded.
    """
    repeated = torch.full((REPEATED_LENGTH,), min(1, adapter.facts.vocab_size - 1))
    recording = adapter.record(repeated, path=read.path)
    found = {
        key: words
        for key, words in (
            _in_logits(read),
            _in_embedding(adapter, recording, repeated),
            _in_keys(recording),
        )
        if key
    }
    if not found:
        found = {"nope": "A repeated token looks the same at every place: nothing tells position."}
    return FoundMethod(tuple(found), " ".join(found.values()))


def _in_logits(read: ReadBack) -> tuple[str, str]:
    if not read.is_linear.all():
        layer, head = (int(axis[0]) for axis in (~read.is_linear).nonzero())
        return "nonlinear", (
            f"With zero queries ln p is no straight line in the distance: head {head + 1} of layer "
            f"{layer + 1} departs from one by {read.deviation[layer, head]:.2g} nats."
        )
    if read.is_flat.all():
        return "", ""
    n_flat = int(read.is_flat.sum())
    some = f"; {n_flat} of {read.slopes.size} heads have none" if n_flat else ""
    return "alibi", f"With zero queries ln p falls linearly with distance{some}."


def _in_embedding(adapter: Adapter, recording: Recording, repeated: Tensor) -> tuple[str, str]:
    """Returns learned or sinusoidal if the same token enters the first layer differently."""
    entered = recording.embedded
    steps = entered[1:] - entered[:1]
    if not _differ(entered, _noise(adapter)):
        return "", ""
    for name, table in adapter.model.named_parameters():
        held = table.detach().float()
        is_named = any(part in name.lower() for part in TABLE_NAMES)
        if _holds_steps(held, steps, _noise(adapter)) or (
            is_named and _makes_steps(adapter, table, repeated)
        ):
            return _of_table(name, held)
    return "sinusoidal", "Positions are added to the embedding, from no table among the weights."


def _differ(entered: Tensor, noise: float) -> bool:
    return float((entered[1:] - entered[:1]).abs().max()) > noise * float(entered.abs().max())


def _of_table(name: str, table: Tensor) -> tuple[str, str]:
    where = f"Positions are added to the embedding from the table {name}"
    # Of sines and cosines the product of two rows depends on their distance only.
    rows = table[4 : 4 + REPEATED_LENGTH].cpu()
    products = rows @ rows.T
    spread = max(float(np.ptp(np.diagonal(products.numpy(), step))) for step in range(4))
    if len(products) > 4 and spread < 1e-2 * float(products.abs().max()):
        return "sinusoidal", f"{where}, whose rows are sines and cosines."
    return "learned", f"{where}."


def _holds_steps(table: Tensor, steps: Tensor, noise: float) -> bool:
    """Returns whether consecutive rows of a table differ as the embedding's do.

    Some tables start with rows of another use (OPT: two), so a few starts are tried.
    """
    if table.ndim != 2 or table.shape[1] != steps.shape[1]:
        return False
    for start in range(4):
        rows = table[start : start + len(steps) + 1]
        if len(rows) <= len(steps):
            return False
        error = (rows[1:] - rows[:1] - steps).abs().max()
        if float(error) <= 8 * noise * float(steps.abs().max() + rows.abs().max()):
            return True
    return False


def _makes_steps(adapter: Adapter, table: torch.nn.Parameter, repeated: Tensor) -> bool:
    """Returns whether places look alike once a table is empty: a norm may follow its sum."""
    if table.ndim != 2 or len(table) < len(repeated):
        return False
    with adapter.lock, torch.no_grad():
        before = table.clone()
        table.zero_()
        try:
            return not _differ(adapter.record(repeated).embedded, _noise(adapter))
        finally:
            table.copy_(before)


def _in_keys(recording: Recording) -> tuple[str, str]:
    """Returns RoPE if keys of the same token, or the weights on them, differ from place to place.

    Only layers that the same vectors enter can tell: where the embedding differs, keys do too.
    """
    entered = recording.embedded
    if float((entered[1:] - entered[:1]).abs().max()) > 1e-3 * float(entered.abs().max()):
        return "", ""
    turned = [index for index, layer in enumerate(recording.layers) if layer.tells_places()]
    if not turned:
        return "", ""
    count = len(recording.layers)
    where = "every layer" if len(turned) == count else f"{len(turned)} of {count} layers"
    return "rope", f"A repeated token is told apart by its place in the attention of {where}."


def _noise(adapter: Adapter) -> float:
    return 4 * float(torch.finfo(adapter.dtype).eps)
