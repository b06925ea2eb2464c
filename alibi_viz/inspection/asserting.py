"""For the tests of a model: ALiBi is on, as configured."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alibi_viz.inspection.probe import ProbeVerdict


def assert_alibi(
    source: str | Path,
    *,
    allowed: tuple[str, ...] = (),
    long_length: int | None = None,
    trust_code: bool = False,
) -> "ProbeVerdict":
    """Fails unless ALiBi is on in a model as configured, however texts come.

    Args:
        source: Directory with config.json and safetensors.
        allowed: Kinds of findings (`alibi_viz.inspection.probe.finding.KINDS`) that are known and
            let pass.
        long_length: Tokens of the longest text; as the probe takes it if left out.
        trust_code: Whether code that the directory brings may run, as any program may.

    Returns:
        The verdict, for more assertions.

    Raises:
        AssertionError: ALiBi is off, or on in another way; the message is the whole report.
        UnreadableModel: The model cannot be read.
    """
    # torch and transformers are imported when a model is probed, not with the package.
    from alibi_viz.inspection.probe import LONG_LENGTH, probe_folder
    from alibi_viz.inspection.report import as_text

    length = LONG_LENGTH if long_length is None else long_length
    verdict = probe_folder(source, long_length=length, trust_code=trust_code)
    wrong = [finding for finding in verdict.disagreements if finding.kind not in allowed]
    if verdict.state not in ("on", "other") or wrong:
        raise AssertionError(as_text(verdict))
    return verdict
