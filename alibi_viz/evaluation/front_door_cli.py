"""`python -m alibi_viz front-door`: records the picture of the front door."""

import argparse
from pathlib import Path

from alibi_viz.evaluation.front_door import recorded, shown_text
from alibi_viz.evaluation.front_door_file import FRONT_DOOR_FILE, save_ending
from alibi_viz.model.provenance import command_line


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `front-door` to the command line."""
    parser = subparsers.add_parser(
        "front-door",
        help="record the picture of the front door",
        description="Read the end of a text with four bundled models, at several lengths.",
    )
    parser.add_argument("--output", type=Path, default=FRONT_DOOR_FILE, help="the file to write")
    parser.set_defaults(action=run_front_door)


def run_front_door(args: argparse.Namespace) -> int:
    """Records the picture; returns the exit status."""
    ending = recorded(shown_text())
    save_ending(ending, command_line(), args.output)
    print(f"{args.output}: {len(ending.looks)} looks at text {ending.text!r}")
    return 0
