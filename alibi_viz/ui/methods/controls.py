"""The controls of the page "Where position enters"."""

from collections.abc import Iterable
from typing import Any

from alibi_viz.charts.methods.pipeline import STAGES
from alibi_viz.charts.methods.variants import VARIANTS
from alibi_viz.maths.precision import BIAS_FORMS
from alibi_viz.positions import METHODS
from alibi_viz.positions.stretch import RULES
from alibi_viz.ui.link.parameter import Control, choice
from alibi_viz.ui.link.parameters import PageParameters

PARTS = ("pipeline", "compare", "variants", "stretching", "precision")


def key_of(label: str) -> str:
    """Returns the key of the method with that label.

    Raises:
        ValueError: No method has that label.
    """
    for method in METHODS.values():
        if method.label == label:
            return method.key
    raise ValueError(f"no position method has the label {label!r}")


def method_choice(
    key: str,
    label: str,
    default: str,
    *,
    methods: Iterable[str] = METHODS,
    help: str | None = None,
) -> Control[str]:
    """Returns a choice of one position method, shown by its label and linked by that or its key.

    Args:
        key: Name in the URL.
        label: What stands above it.
        default: Key of the default method.
        methods: Keys of the methods to choose from; all of them if left out.
        help: What a visitor reads behind the question mark.
    """
    labels = {method: METHODS[method].label for method in methods}
    options = tuple(labels.values())
    return Control(key, label, options, labels[default], kind="choice", help=help, aliases=labels)


PART = choice("part", "show", PARTS)
METHOD = method_choice("method", "method", "alibi")
OTHER = method_choice("beside", "beside it", "rope")
STAGE = choice("stage", "numbers of", STAGES, STAGES[2])
EXAMPLE_HEAD = choice("example_head", "head", ("1", "2"), allowed="1 or 2")
WINDOW = Control(
    "window",
    "training length, tokens",
    (16, 32, 64, 128, 256),
    128,
    "16, 32, 64, 128 or 256",
)
TIMES = Control("times", "input over training length", (1, 2, 4, 8), 4, "1, 2, 4 or 8")

VARIANT = choice("variant", "variant", VARIANTS)
SPAN = Control(
    "span",
    "tokens on each side",
    tuple(2**power for power in range(3, 12)),
    64,
    "powers of two from 8 to 2048",
)
VARIANT_HEAD = Control(
    "variant_head", "head of 8", tuple(range(1, 9)), 3, "whole numbers from 1 to 8"
)
STRETCH = Control(
    "stretch",
    "input over training length",
    (1, 2, 4, 8, 16),
    4,
    "1, 2, 4, 8 or 16",
)
RULE_KEYS = {rule.label: rule.key for rule in RULES.values()}
RULE = Control(
    "stretched_by",
    "stretched by",
    tuple(RULE_KEYS),
    RULES["yarn-coded"].label,
    kind="list",
    aliases={rule.key: rule.label for rule in RULES.values()},
)
R1 = Control("r1", "r₁, strength", (0.25, 0.5, 1.0, 2.0, 4.0, 8.0), 2.0, "0.25 to 8, doubling")
R2 = Control("r2", "r₂, onset per token", (0.01, 0.1, 1.0, 10.0), 1.0, "0.01, 0.1, 1 or 10")

PRECISION_HEADS = Control("type_heads", "heads", (8, 12, 16, 32, 64), 32, "8, 12, 16, 32 or 64")
PRECISION_LENGTH = Control(
    "type_length",
    "length, tokens",
    tuple(2**power for power in range(7, 15)),
    2048,
    "powers of two from 128 to 16384",
)
PRECISION_HEAD = Control(
    "type_head", "head", tuple(range(1, 65)), 1, "whole numbers from 1 to 64", kind="number"
)
FORM = choice(
    "form",
    "form of the bias",
    BIAS_FORMS,
    "key",
    help="distance: −m (i − j), as in the paper. key: +m j, as in the authors' code. In exact "
    "arithmetic both have the same softmax.",
)

# KERPLE's two numbers and the interpolation's ratio belong to one variant each.
BY_PART: dict[str, tuple[Control[Any], ...]] = {
    "pipeline": (METHOD, STAGE, EXAMPLE_HEAD),
    "compare": (METHOD, OTHER, WINDOW, TIMES),
    "variants": (VARIANT, SPAN, VARIANT_HEAD, STRETCH, R1, R2),
    "stretching": (RULE, WINDOW, STRETCH),
    "precision": (PRECISION_HEADS, PRECISION_LENGTH, PRECISION_HEAD, FORM),
}
"""The controls of each part of the page, in their order."""


def parameters() -> PageParameters:
    """Returns everything that a link can say to the page."""
    return PageParameters((), PART, BY_PART)
