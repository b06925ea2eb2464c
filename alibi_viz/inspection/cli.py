"""python -m alibi_viz probe PATH [--json]: is ALiBi really on, however texts come?

The first line is the answer. Exit status 0 when all agrees, 1 when something does not, 2 when the
model cannot be read.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.loading import directory_of, open_files
from alibi_viz.inspection.loading.files import estimate_memory, examine
from alibi_viz.inspection.probe import LONG_LENGTH, probe
from alibi_viz.inspection.report import as_text


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
        help="tokens of the longest text, where the model takes as many (default: %(default)s)",
    )
    parser.add_argument(
        "--trust-code",
        metavar="PATH",
        help="run the model's own code; PATH has to be the directory once more",
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
        trusted = args.trust_code is not None
        if trusted and Path(args.trust_code).resolve() != files.directory.resolve():
            raise UnreadableModel(f"--trust-code names {args.trust_code}, not {files.directory}")
        adapter = open_files(files, length=args.long_length, trust_code=trusted)
        verdict = probe(adapter, long_length=args.long_length, progress=say)
    except UnreadableModel as error:
        print(json.dumps({"error": str(error)}) if args.json else f"cannot be read: {error}")
        return 2
    print(json.dumps(verdict.as_json(), indent=1) if args.json else as_text(verdict))
    return 0 if verdict.agrees else 1


def quieten_library() -> None:
    """Keeps the library's progress bars and advice out of the command's output."""
    from transformers.utils import logging

    library: Any = logging
    library.set_verbosity_error()
    library.disable_progress_bar()
