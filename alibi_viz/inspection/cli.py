"""python -m alibi_viz probe PATH [--json]: is ALiBi really on, however texts come?

The first line is the answer. Exit status 0 when all agrees, 1 when something does not, 2 when the
model cannot be read.
"""

import argparse
import json
import sys
from pathlib import Path

from alibi_viz.inspection.errors import UnfitAsking, UnreadableModel
from alibi_viz.inspection.foreign.children import Children
from alibi_viz.inspection.foreign.model import ForeignModel
from alibi_viz.inspection.here import HereModel, Model
from alibi_viz.inspection.loading import directory_of, load_model, root_of
from alibi_viz.inspection.probe import LONG_LENGTH
from alibi_viz.inspection.report import as_text, text_line


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
        "--text",
        help="tell the mean loss on this text as well; for a model without a tokenizer a text of "
        'token numbers, such as "17 4 902"',
    )
    parser.add_argument(
        "--trust-code",
        metavar="PATH",
        help="run the model's own code; PATH has to be the directory once more",
    )
    parser.set_defaults(action=run_probe)


def run_probe(args: argparse.Namespace) -> int:
    """Prints the verdict on a model and returns the exit status."""
    said = [""]

    def say(done: float, words: str) -> None:
        if words not in ("", said[0]):
            said[0] = words
            print(f"{words} ...", file=sys.stderr)

    children = Children(1)
    try:
        folder = directory_of(args.path, allow_hub=args.hub)
        if args.trust_code is None:
            root = root_of(folder, allow_hub=args.hub)
            foreign = ForeignModel(children, folder, root, args.long_length)
            model: Model = foreign.open(say)
        else:
            if Path(args.trust_code).resolve() != folder.resolve():
                raise UnreadableModel(f"--trust-code names {args.trust_code}, not {folder}")
            # Whose code is trusted may do in this process what it likes.
            adapter = load_model(folder, length=args.long_length, trust_code=True)
            model = HereModel(adapter)
        # First what may not fit: the verdict takes long.
        seen = None if args.text is None else model.see(args.text, say)
        verdict = model.verdict(say, args.long_length)
    except UnfitAsking as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except UnreadableModel as error:
        print(json.dumps({"error": str(error)}) if args.json else f"cannot be read: {error}")
        return 2
    finally:
        children.stop()
    if args.json:
        told = {} if seen is None else {"text": {"length": seen.length, "nll": seen.mean_nll}}
        print(json.dumps(verdict.as_json() | told, indent=1))
    else:
        print(as_text(verdict) + ("" if seen is None else f"\n\n{text_line(seen)}"))
    return 0 if verdict.agrees else 1
