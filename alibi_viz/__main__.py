"""The command line: alibi-viz, or python -m alibi_viz; it serves the app unless told else.

Each layer that has commands has a `cli`.
"""

import argparse
import sys
from importlib import import_module
from pathlib import Path

from alibi_viz import policy

# One line a layer; each module has `add_parser(subparsers)` that sets `action` on its parsers. They
# are imported until the command is found, so those that need no torch come first.
COMMANDS = (
    "alibi_viz.server.cli",
    "alibi_viz.data.cli",
    "alibi_viz.training.cli",
    "alibi_viz.training.experiment",
    "alibi_viz.training.gpucheck",
    "alibi_viz.evaluation.cli",
    "alibi_viz.evaluation.front_door_cli",
    "alibi_viz.retrieval.recall_cli",
    "alibi_viz.retrieval.copying_cli",
    "alibi_viz.retrieval.stretch_cli",
    "alibi_viz.onepage.cli",
    "alibi_viz.charts.measured.tables",
    "alibi_viz.inspection.cli",
)


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns its exit status; errors that a user can mend are one line."""
    given = (sys.argv[1:] if arguments is None else arguments) or ["serve"]
    prog = "alibi-viz" if Path(sys.argv[0]).stem == "alibi-viz" else "python -m alibi_viz"
    parser = argparse.ArgumentParser(prog=prog, description=__doc__)
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="command")
    try:
        for module in COMMANDS:
            import_module(module).add_parser(subparsers)
            if given[0] in subparsers.choices:
                break
        args = parser.parse_args(given)
        status: int = args.action(args)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if not policy.is_of_models(error):
            raise
        print(f"error: {policy.NO_MODELS}", file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
