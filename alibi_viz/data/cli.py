"""`python -m alibi_viz fetch`: a text of the Hugging Face hub into a file."""

import argparse
from pathlib import Path

from alibi_viz.files import write_bytes


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `fetch` to the command line."""
    parser = subparsers.add_parser(
        "fetch",
        help="fetch a text of the Hugging Face hub",
        description="Write the beginning of one split of a text data set into a file.",
    )
    parser.add_argument("name", help="owner/name, e.g. Salesforce/wikitext")
    parser.add_argument("--subset", default="", help="folder of the data set; any if left out")
    parser.add_argument("--split", default="test", help="validation, test, ... (test)")
    parser.add_argument("--characters", type=int, default=1_000_000, help="at most")
    parser.add_argument("--output", type=Path, required=True, help="the text file to write")
    parser.set_defaults(action=run_fetch)


def run_fetch(args: argparse.Namespace) -> int:
    """Fetches the text, unless the file is there already; returns the exit status."""
    if args.output.is_file():
        print(f"{args.output} is there already")
        return 0
    # Brings pandas and the hub's client, which no other command needs.
    from alibi_viz.data.hub import fetch_text

    text = fetch_text(args.name, subset=args.subset, split=args.split, characters=args.characters)
    write_bytes(args.output, text.encode())
    print(f"{args.output}: {len(text):,} characters")
    return 0
