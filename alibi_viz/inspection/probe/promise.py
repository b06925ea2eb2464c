"""Does the model do what its configuration says?"""

from collections.abc import Iterator

import numpy as np

from alibi_viz.inspection.adapters.contract import Promise
from alibi_viz.inspection.probe.finding import Finding
from alibi_viz.inspection.probe.method import NAMES, FoundMethod
from alibi_viz.inspection.probe.read_back import ReadBack
from alibi_viz.inspection.probe.slope_fit import SlopeFit

# A slope that differs by less is the same one, rounded to 8 bits.
SAME_SLOPE = 0.005


def check_promise(
    promise: Promise, read: ReadBack, found: FoundMethod, fit: SlopeFit | None
) -> Iterator[Finding]:
    """Yields what differs between the configuration and the slopes and method that were found.

    Args:
        promise: What the configuration says.
        read: Slopes of the path that is used by itself.
        found: How position enters.
        fit: The rule that explains the slopes.
    """
    # Positions can be learned or computed.
    absolute = "sinusoidal" if "sinusoidal" in found.keys else "learned"
    promised = absolute if promise.method == "absolute" else promise.method
    if promised != "unknown" and promised not in found.keys:
        yield _other_method(promise, promised, read, found, fit)
    elif promised == "unknown" and "alibi" in found.keys:
        yield Finding("slopes", True, f"ALiBi acts, although {promise.words}.", {})
    unpromised = [NAMES[key] for key in found.keys if key != promised]
    if promised in found.keys and unpromised:
        yield Finding(
            "slopes", True, f"Besides what is promised there is {' and '.join(unpromised)}.",
            {"found": list(found.keys)},
        )  # fmt: skip
    if promise.slopes is not None and "alibi" in found.keys:
        yield from _other_slopes(promise, promise.slopes, read, fit)
    if "alibi" in found.keys and _differs_by_layer(read):
        yield Finding(
            "slopes", False, "Slopes differ between layers: they were trained, or set by hand.",
            {"spread": float(np.ptp(read.slopes, axis=0).max())},
        )  # fmt: skip


def _other_method(
    promise: Promise, promised: str, read: ReadBack, found: FoundMethod, fit: SlopeFit | None
) -> Finding:
    acting = " and ".join(NAMES[key] for key in found.keys)
    slopes = f" ({fit.words})" if fit is not None else ""
    words = f"{_sentence(promise.words)}; what acts is {acting}{slopes}."
    if promised == "alibi" and "nonlinear" not in found.keys:
        largest = float(np.abs(read.slopes).max())
        words += f" The largest slope read back is {largest:.2g}: ALiBi is off."
    numbers = {"promised": promised, "found": list(found.keys), "slopes": read.slopes[0].tolist()}
    return Finding("slopes", True, words, numbers)


def _other_slopes(
    promise: Promise, promised: np.ndarray, read: ReadBack, fit: SlopeFit | None
) -> Iterator[Finding]:
    error = np.abs(read.slopes - promised)
    wrong = error > SAME_SLOPE * promised + read.slope_precision
    if not wrong.any():
        return
    # Readable heads only may serve as the example: the largest error in nats per token.
    layer, head = np.unravel_index(np.argmax(error * wrong), error.shape)
    acts, said = float(read.slopes[layer, head]), float(promised[head])
    explained = f" What acts is {fit.words}." if fit is not None and fit.is_good else ""
    yield Finding(
        "slopes",
        True,
        f"{_sentence(promise.words)}, but {int(wrong.sum())} of {wrong.size} heads have another "
        f"slope: head {head + 1} of layer {layer + 1} has {acts:.4g} where {said:.4g} is promised "
        f"({acts / said:.3g} times).{explained}",
        {
            "wrong_heads": int(wrong.sum()),
            "layer": int(layer) + 1,
            "head": int(head) + 1,
            "slope": acts,
            "promised": said,
        },
    )


def _differs_by_layer(read: ReadBack) -> bool:
    spread = np.ptp(read.slopes, axis=0)
    allowed = SAME_SLOPE * np.abs(read.slopes).max(0) + 2 * read.slope_precision.max(0)
    return bool((spread > allowed).any())


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]
