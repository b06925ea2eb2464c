"""Whether a model does what its configuration says, and the same on every path: the verdict."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from alibi_viz.errors import first_lines
from alibi_viz.inspection.adapters.contract import Adapter, Promise, Slopes
from alibi_viz.inspection.errors import RUN_ERRORS, UnreadableModel
from alibi_viz.inspection.probe.finding import Finding
from alibi_viz.inspection.probe.long_texts import check_limit, check_rounding
from alibi_viz.inspection.probe.method import NAMES, FoundMethod, found_method
from alibi_viz.inspection.probe.outputs import check_outputs
from alibi_viz.inspection.probe.paths import check_paths, read_other_ways
from alibi_viz.inspection.probe.promise import check_promise
from alibi_viz.inspection.probe.read_back import PADDING, READ_DISTANCES, ReadBack, read_back_slopes
from alibi_viz.inspection.probe.settings import check_files
from alibi_viz.inspection.probe.slope_fit import SlopeFit, fit_slopes

# Long enough for biases in bfloat16, which counts to 256, to lose whole tokens.
LONG_LENGTH = 1024
# Times that a probe tells what it does.
STEPS = 4


@dataclass(frozen=True)
class ProbeVerdict:
    """What a model's position method is, and what disagrees."""

    model_name: str
    family: str
    dtype: str
    promise: Promise
    found: FoundMethod
    slopes: Slopes
    """(layer, head) as they act on the path that is used by itself, in nats per token."""
    fit: SlopeFit | None
    """The rule that explains the slopes; None where there are none."""
    read_backs: tuple[ReadBack, ...]
    """All that was read, the path that is used by itself first."""
    findings: tuple[Finding, ...]

    @property
    def agrees(self) -> bool:
        """Whether nothing disagrees."""
        return not self.disagreements

    @property
    def disagreements(self) -> tuple[Finding, ...]:
        """What disagrees."""
        return tuple(finding for finding in self.findings if finding.disagrees)

    @property
    def notes(self) -> tuple[Finding, ...]:
        """What is worth knowing and disagrees with nothing."""
        return tuple(finding for finding in self.findings if not finding.disagrees)

    @property
    def headline(self) -> str:
        """Position method, slopes and number of disagreements in a sentence."""
        name = " and ".join(NAMES[key] for key in self.found.keys)
        slopes = "" if self.fit is None else f", slopes: {self._slope_words(self.fit)}"
        count = len(self.disagreements)
        end = {0: "nothing disagrees", 1: "1 disagreement"}.get(count, f"{count} disagreements")
        return f"{name}{slopes}; {end}."

    def _slope_words(self, fit: SlopeFit) -> str:
        return fit.words if fit.is_good else "by no rule that is known"


def probe(
    adapter: Adapter,
    *,
    long_length: int = LONG_LENGTH,
    progress: Callable[[str], None] | None = None,
) -> ProbeVerdict:
    """Returns the verdict on a model.

    Args:
        adapter: A loaded model.
        long_length: Tokens of the long text that roundings are looked for in.
        progress: Called with a few words before each of the `STEPS`.

    Raises:
        UnreadableModel: The model cannot be read.
    """
    say = progress or (lambda _: None)
    say("reading slopes")
    default = _read_default(adapter)
    found = found_method(adapter, default)
    fit, promise = _fit(adapter.promise(), default, found), adapter.promise()
    findings = list(check_promise(promise, default, found, fit))
    say("reading them in the other ways to compute attention")
    others, failures = read_other_ways(adapter, default)
    findings += [*failures, *check_paths(default, others)]
    say("comparing predictions")
    findings += check_outputs(adapter, found)
    say("reading a long text")
    findings += [
        *check_rounding(adapter, found, long_length),
        *check_limit(adapter, found, long_length),
    ]
    findings += check_files(adapter)
    return ProbeVerdict(
        adapter.facts.name,
        adapter.facts.family,
        str(adapter.dtype).removeprefix("torch."),
        promise,
        found,
        default.slopes,
        fit,
        (default, *others),
        tuple(findings),
    )


def _read_default(adapter: Adapter) -> ReadBack:
    # Padding must fit too.
    length = min(READ_DISTANCES, (adapter.facts.limit or 2 * READ_DISTANCES) - PADDING)
    try:
        return read_back_slopes(adapter, length=length)
    except RUN_ERRORS as error:
        raise UnreadableModel(
            f"{adapter.facts.name} cannot be read: {first_lines(error)}"
        ) from error


def _fit(promise: Promise, read: ReadBack, found: FoundMethod) -> SlopeFit | None:
    slopes = np.median(read.slopes, axis=0)
    if "alibi" not in found.keys or not (slopes > 0).all():
        return None
    return fit_slopes(slopes, promise.factor, float(read.slope_precision.max()))
