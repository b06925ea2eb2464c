"""python -m alibi_viz probe PATH [--json]: is ALiBi really on, and the same on every path?

Exit status 0 when all agrees, 1 when something does not, 2 when the model cannot be read.
"""

import argparse
import json
import sys
from typing import Any

from alibi_viz.inspection.adapters.contract import Slopes
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.loading import directory_of, open_files
from alibi_viz.inspection.loading.files import estimate_memory, examine
from alibi_viz.inspection.probe import LONG_LENGTH, ProbeVerdict, probe

# Numbers beyond these are too many for a terminal; --json has them all.
SHOWN_HEADS = 16


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command `probe` to the command line's subparsers."""
    parser = subparsers.add_parser(
        "probe",
        help="read a model's slopes back and tell whether it does what its configuration says",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", help="directory with config.json and safetensors")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    parser.add_argument(
        "--hub", action="store_true", help="PATH may name a model of the Hugging Face hub"
    )
    parser.add_argument(
        "--long-length",
        type=int,
        default=LONG_LENGTH,
        metavar="TOKENS",
        help="tokens of the text that roundings are looked for in (default: %(default)s)",
    )
    parser.set_defaults(action=run_probe)


def run_probe(args: argparse.Namespace) -> int:
    """Prints the verdict on a model and returns the exit status."""

    def say(words: str) -> None:
        print(f"{words} ...", file=sys.stderr)

    quieten_library()
    try:
        files = examine(directory_of(args.path, allow_hub=args.hub))
        say(f"loading: {estimate_memory(files, args.long_length).sentence}")
        adapter = open_files(files, length=args.long_length)
        verdict = probe(adapter, long_length=args.long_length, progress=say)
    except UnreadableModel as error:
        print(json.dumps({"error": str(error)}) if args.json else f"cannot be read: {error}")
        return 2
    print(json.dumps(as_json(verdict), indent=1) if args.json else as_text(verdict))
    return 0 if verdict.agrees else 1


def quieten_library() -> None:
    """Keeps the library's progress bars and advice out of the command's output."""
    from transformers.utils import logging

    library: Any = logging
    library.set_verbosity_error()
    library.disable_progress_bar()


def as_text(verdict: ProbeVerdict) -> str:
    """Returns the verdict for a terminal."""
    n_layer, n_head = verdict.slopes.shape
    lines = [
        f"{verdict.model_name} ({verdict.family}, {n_layer} layers, {n_head} heads, "
        f"{verdict.dtype})",
        verdict.headline,
        "",
        f"Promised   {verdict.promise.words}",
        f"Found      {verdict.found.words}",
        f"Slopes     {_numbers(verdict.slopes[0])}   (layer 1)",
    ]
    if verdict.promise.slopes is not None:
        lines.append(f"promised   {_numbers(verdict.promise.slopes)}")
    lines.append(f"Read by    {_ways(verdict)}")
    for title, findings in (("Disagrees", verdict.disagreements), ("Note", verdict.notes)):
        lines += ["", *(f"{title:<11}{finding.words}" for finding in findings)] if findings else []
    return "\n".join(lines)


def _ways(verdict: ProbeVerdict) -> str:
    """Returns paths and situations read, each named once."""
    paths = dict.fromkeys(read.path.label for read in verdict.read_backs)
    situations = dict.fromkeys(read.situation for read in verdict.read_backs)
    return f"{', '.join(paths)}; {', '.join(situations)}"


def _numbers(slopes: Slopes) -> str:
    shown = " ".join(f"{slope:.4g}" for slope in slopes[:SHOWN_HEADS])
    return shown + (" ..." if len(slopes) > SHOWN_HEADS else "")


def as_json(verdict: ProbeVerdict) -> dict[str, Any]:
    """Returns the verdict as JSON can hold it."""
    fit, promise = verdict.fit, verdict.promise
    return {
        "model": verdict.model_name,
        "family": verdict.family,
        "dtype": verdict.dtype,
        "agrees": verdict.agrees,
        "headline": verdict.headline,
        "methods": list(verdict.found.keys),
        "evidence": verdict.found.words,
        "promise": {
            "method": promise.method,
            "words": promise.words,
            "factor": promise.factor,
            "slopes": None if promise.slopes is None else promise.slopes.tolist(),
        },
        "fit": None
        if fit is None
        else {
            "rule": fit.rule,
            "max_exponent": fit.max_exponent,
            "factor": fit.factor,
            "worst_error": fit.worst_error,
        },
        "read": [
            {
                "path": read.path.label,
                "situation": read.situation,
                "length": read.length,
                "slopes": read.slopes.tolist(),
                "deviation": read.deviation.tolist(),
                "is_linear": read.is_linear.tolist(),
            }
            for read in verdict.read_backs
        ],
        "findings": [
            {
                "subject": finding.subject,
                "disagrees": finding.disagrees,
                "words": finding.words,
                "numbers": finding.numbers,
            }
            for finding in verdict.findings
        ],
    }
