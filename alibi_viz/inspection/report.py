"""The verdict for a terminal."""

from alibi_viz.inspection.probe import ProbeVerdict
from alibi_viz.inspection.text.capture import Capture
from alibi_viz.words import count

# Numbers beyond these are too many for a terminal; --json has them all.
SHOWN_HEADS = 16


def as_text(verdict: ProbeVerdict) -> str:
    """Returns the verdict in lines: the answer, what was promised and read, what disagrees."""
    size = f"{count(verdict.n_layer, 'layer')}, {count(verdict.n_head, 'head')}"
    lines = [
        verdict.answer,
        f"{verdict.model} ({verdict.family}, {size}, {verdict.dtype})",
        "",
        f"Promised   {verdict.promised_words}",
        f"Found      {verdict.found_words}" + (f" Slopes: {verdict.rule}." if verdict.rule else ""),
    ]
    if verdict.promised_slopes is not None:
        lines.append(f"promised   {_numbers(verdict.promised_slopes)}")
    for reading in verdict.readings if {"alibi", "nonlinear"} & set(verdict.found) else ():
        lines.append(
            f"read       {_numbers(reading.slopes[0])}   (layer 1, {reading.length:,} tokens)"
        )
    lines.append(f"Tried      one text at once, {', '.join(verdict.tried)}")
    for title, findings in (("Disagrees", verdict.disagreements), ("Note", verdict.notes)):
        lines += ["", *(f"{title:<11}{finding.words}" for finding in findings)] if findings else []
    return "\n".join(lines)


def text_line(seen: Capture) -> str:
    """Returns what a model loses on a text, and what of it could not be shown, in a line."""
    loss = "" if seen.mean_nll is None else f", mean loss {seen.mean_nll:.4g} nats per token"
    return " ".join([f"Text       {count(seen.length, 'token')}{loss}.", *seen.missing])


def _numbers(slopes: tuple[float, ...]) -> str:
    shown = " ".join(f"{slope:.4g}" for slope in slopes[:SHOWN_HEADS])
    return shown + (" ..." if len(slopes) > SHOWN_HEADS else "")
