"""python -m benchmarks: the budget table, each measured value beside what is allowed."""

import argparse
import os
from collections.abc import Callable, Iterator

from benchmarks import app, room
from benchmarks.app import Row
from tests.browser.server import running_app


def rows(clients: int) -> Iterator[Row]:
    """Measures one row after the other; none fails for being slow."""
    with app.browser() as browser:
        yield app.first_figure(browser, budget_s=2.5)
        with running_app() as address:
            # The first visit warms the server, as any visit of the day does.
            app.opened(browser, address).context.close()
            yield app.drag_frames(browser, address, 16, 1024, budget_ms=16)
            yield app.drag_frames(browser, address, 64, 16_384, budget_ms=16)
            yield app.settling(browser, address, "explore", "", budget_ms=400)
            yield app.settling(browser, address, "decay", "decay", budget_ms=400)
    with running_app() as address:
        app.many_visitors(address, 1, first_budget_s=1, rerun_budget_s=0.3)
        yield app.many_visitors(address, clients, first_budget_s=1, rerun_budget_s=0.3)
    yield room.measure(phones=300)


def main(show: Callable[[str], None] = print) -> None:
    """Prints the table, a row as soon as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=30, help="how many arrive at once")
    clients = parser.parse_args().clients
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    show(f"{os.cpu_count()} cores, load {load:.1f} before; times on a busy machine mean little\n")
    show("| what | measured | budget | |\n|---|---|---|---|")
    for row in rows(clients):
        show(f"| {row.what} | {row.measured} | {row.budget} | {'ok' if row.is_met else 'over'} |")


if __name__ == "__main__":
    main()
