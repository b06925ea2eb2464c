"""The command line: serve."""

import argparse
import runpy
import sys

from alibi_viz.server.fleet import Fleet, serve_command
from alibi_viz.server.proxy import find_proxy


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `serve` to the command line."""
    parser = subparsers.add_parser(
        "serve",
        help="serve the app to browsers",
        description="Serve the app; with several workers, behind nginx or Caddy.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 lets other machines in")
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument("--workers", type=int, default=1, help="app processes")
    parser.add_argument("--proxy", choices=("nginx", "caddy"), default="", help="default: either")
    parser.set_defaults(action=_serve)


def _serve(args: argparse.Namespace) -> int:
    if args.workers < 1:
        raise ValueError(f"workers must be at least 1, got {args.workers}")
    if args.workers > 1:
        proxy = find_proxy(args.proxy)
        fleet = Fleet(lambda port: serve_command("127.0.0.1", port), args.workers)
        return fleet.run(proxy, args.host, args.port)
    # In this process, so that a signal to it is one to the server.
    _, _, module, *sys.argv[1:] = serve_command(args.host, args.port)
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    return 0
