"""The command line: onepage."""

import argparse
from pathlib import Path

from alibi_viz.files import write_bytes
from alibi_viz.onepage.page import one_page


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `onepage` to the command line."""
    parser = subparsers.add_parser(
        "onepage",
        help="write ALiBi on one page: a file that needs no server",
        description="Write the live view, decay, lessons, claims and recorded curves as one HTML "
        "file that opens from a disk. A folder becomes a static site: its index.html.",
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="OUT.html, or a folder")
    parser.set_defaults(action=_write)


def _write(args: argparse.Namespace) -> int:
    is_file = args.out.suffix in (".html", ".htm")
    path = args.out if is_file else args.out / "index.html"
    content = one_page().encode()
    write_bytes(path, content)
    if not is_file:
        # GitHub Pages would take files whose names begin with an underscore away.
        write_bytes(args.out / ".nojekyll", b"")
    print(f"{path}: {len(content) / 1000:.0f} kB")
    return 0
