"""Where position enters a model, found by asking it: not by reading its configuration.

A text of one token, repeated, has no content that differs from place to place. Whatever still
differs is position: in the embedding (learned or sinusoidal), in the queries and keys (RoPE), or in
the logits (ALiBi, T5: found by reading slopes back). Where nothing differs there is none.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from alibi_viz.inspection.adapters.contract import Adapter, Promise, Recording
from alibi_viz.inspection.adapters.records import LayerRecord
from alibi_viz.inspection.probe.finding import NAMES, Finding
from alibi_viz.inspection.probe.slope_fit import SlopeFit
from alibi_viz.inspection.probe.usual import Usual

REPEATED_LENGTH = 24
# Rotations move keys by about their own length; what rounding leaves is far below these shares.
ROTATED = {torch.float32: 0.02, torch.float16: 0.1, torch.bfloat16: 0.2}
# Slopes within a window below it are none, in nats per token.
LEVEL = 1e-4
# Tables with such a name are tried where none holds just what is added.
TABLE_NAMES = ("pos", "wpe")


@dataclass(frozen=True)
class FoundMethod:
    """How position enters, as found."""

    keys: tuple[str, ...]
    """Keys of `NAMES`: all that act, strongest evidence first; ("nope",) for none."""
    evidence: tuple[str, ...]
    """What shows each, in a sentence."""

    @property
    def words(self) -> str:
        """What shows them, one sentence after the other."""
        return " ".join(self.evidence)


def found_method(adapter: Adapter, usual: Usual) -> FoundMethod:
    """Returns how position enters the model.

    Args:
        adapter: A loaded model.
        usual: What its biases do with one text.

    Raises:
        UnreadableModel: The model cannot be recorded.
    """
    length = min(REPEATED_LENGTH, adapter.facts.limit or REPEATED_LENGTH)
    repeated = torch.full((length,), min(1, adapter.facts.vocab_size - 1))
    recording = adapter.record(repeated, path=usual.sheet.asked.path)
    found = {
        key: words
        for key, words in (
            _in_logits(usual),
            _in_embedding(adapter, recording, repeated),
            _in_keys(adapter, recording, usual),
        )
        if key
    }
    if not found:
        found = {"nope": "A repeated token looks the same at every place: nothing tells position."}
    return FoundMethod(tuple(found), tuple(found.values()))


def _in_logits(usual: Usual) -> tuple[str, str]:
    acting = {
        place: shape
        for place, shape in usual.shapes.items()
        if not usual.is_flat(place)
        and shape.kind not in ("unread", "not_finite")
        # A window over keys that are all alike is no bias.
        and not (shape.kind == "window" and abs(shape.slope) < LEVEL)
    }
    if not acting:
        return "", ""
    bent = [place for place, shape in acting.items() if shape.kind in ("bent", "flat", "offset")]
    # A trained table may look flat, or bent at one place; a promised line that bends is a fault.
    if bent and (usual.promise.method != "alibi" or len(bent) == len(acting)):
        layer, head = bent[0]
        return "nonlinear", (
            f"With zero queries ln p is no straight line in the distance, as in head {head + 1} of "
            f"layer {layer + 1}."
        )
    n_flat = len(usual.shapes) - len(acting)
    some = f"; {n_flat} of {len(usual.shapes)} heads have none" if n_flat else ""
    rising = all(shape.slope < 0 for shape in acting.values())
    return "alibi", f"With zero queries ln p {'rises' if rising else 'falls'} with distance{some}."


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


def _in_keys(adapter: Adapter, recording: Recording, usual: Usual) -> tuple[str, str]:
    """Returns RoPE if keys of the same token, or the weights on them, differ from place to place.

    Only layers that the same vectors enter can tell: where the embedding differs, keys do too.
    Where only weights are known, a bias makes them differ as well, and nothing can be told.
    """
    entered = recording.embedded
    if float((entered[1:] - entered[:1]).abs().max()) > 1e-3 * float(entered.abs().max()):
        return "", ""
    turned = [
        index for index, layer in enumerate(recording.layers)
        if (isinstance(layer, LayerRecord) or usual.is_flat((index, 0)))
        and layer.told_apart() > ROTATED[adapter.dtype]
    ]  # fmt: skip
    if not turned:
        return "", ""
    layer = recording.layers[turned[0]]
    if isinstance(layer, LayerRecord) and layer.change_of_length() > ROTATED[adapter.dtype]:
        return "sinusoidal", "Positions are added to what enters attention, after the embedding."
    count = len(recording.layers)
    where = "every layer" if len(turned) == count else f"{len(turned)} of {count} layers"
    return "rope", f"A repeated token is told apart by its place in the attention of {where}."


def _noise(adapter: Adapter) -> float:
    return 4 * float(torch.finfo(adapter.dtype).eps)


def promised_method(promise: Promise, found: FoundMethod) -> str:
    """Returns the method that the configuration names; it may not say whether it is learned."""
    absolute = "sinusoidal" if "sinusoidal" in found.keys else "learned"
    return absolute if promise.method == "absolute" else promise.method


def check_method(promise: Promise, found: FoundMethod, fit: SlopeFit | None) -> Iterator[Finding]:
    """Yields what differs between the method that is promised and those that are found.

    Args:
        promise: What the configuration says.
        found: How position enters.
        fit: The rule that explains the slopes, where there are some.
    """
    promised = promised_method(promise, found)
    acting = " and ".join(NAMES[key] for key in found.keys)
    numbers = {"promised": promised, "found": list(found.keys)}
    sentence = promise.words[:1].upper() + promise.words[1:]
    if promised == "unknown":
        if "alibi" in found.keys:
            yield Finding("method", True, f"ALiBi acts, although {promise.words}.", numbers)
        return
    logits = {"alibi", "nonlinear"} & set(found.keys)
    if promised not in found.keys and not (promised == "alibi" and logits):
        slopes = f" ({fit.words})" if fit is not None else ""
        words = f"{sentence}; what acts is {acting}{slopes}."
        # That ALiBi is off has been said already, with its layers and heads.
        yield Finding("method", promised != "alibi", words, numbers)
        return
    more = {
        key: words
        for key, words in zip(found.keys, found.evidence, strict=True)
        if key not in (promised, "nonlinear")
    }
    if more:
        names = " and ".join(NAMES[key] for key in more)
        words = f"Besides what is promised the model has {names}. {' '.join(more.values())}"
        yield Finding("extra", True, words, numbers, short=f"it has {names} besides")
