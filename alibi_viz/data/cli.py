"""`python -m alibi_viz fetch` and `prepare`: a text of the hub, and what a named text needs."""

import argparse
from pathlib import Path

from alibi_viz.data.corpus import NAMED_TEXTS, load_corpus
from alibi_viz.data.overlap import SPAN
from alibi_viz.data.prepared import (
    VALIDATION_NAME,
    make_validation,
    save_validation,
    tokenizer_file,
)
from alibi_viz.data.tokenizer import train_tokenizer
from alibi_viz.files import write_bytes
from alibi_viz.paths import relative_to_project


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `fetch` and `prepare` to the command line."""
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

    preparer = subparsers.add_parser(
        "prepare",
        help="make a named text's tokenizer and validation tokens",
        description="Train the tokenizer of a named text, unless it is there, and write the "
        "validation tokens that results are measured on.",
    )
    preparer.add_argument("text", choices=NAMED_TEXTS)
    preparer.set_defaults(action=run_prepare)


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


def run_prepare(args: argparse.Namespace) -> int:
    """Writes what every machine must have alike for one text; returns the exit status."""
    path = tokenizer_file(args.text)
    if not path.is_file():
        tokenizer = train_tokenizer(load_corpus(args.text).train)
        write_bytes(path, tokenizer.to_str(pretty=True).encode())
    validation = make_validation(args.text)
    save_validation(validation, path.with_name(VALIDATION_NAME))
    print(
        f"{relative_to_project(path.parent)}: {len(validation.tokens):,} tokens of "
        f"{len(validation.names)} documents to validate on, {validation.seen.mean():.1%} of them "
        f"in spans of {SPAN} that training has seen"
    )
    return 0
