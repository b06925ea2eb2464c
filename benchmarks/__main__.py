"""python -m benchmarks: the budget table, each measured value beside what is allowed.

    python -m benchmarks                     # all rows, about seven minutes on two idle cores
    python -m benchmarks --only bytes cpu    # some of them

Bytes and ratios hold on any machine; seconds mean something on an idle one only. Ratios are timed
in turn in one run, and what the clients of a crowd take themselves is told apart.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator

from benchmarks import app, beside, crowd, room
from benchmarks.app import Row
from tests.browser.server import running_server

PAGES_MB = {"": 1.4, "decay": 2.8, "methods": 2.8, "extrapolation": 3.2}
FIRST_RUN_PAGES = ("explore", "decay", "methods", "extrapolation", "retrieval")


def transferred() -> Iterator[Row]:
    """What pages transfer into a cold browser, and the first drawing on a poor network."""
    with app.browser() as browser, running_server() as (address, _):
        for name, budget in PAGES_MB.items():
            yield app.cold_bytes(browser, address, name, budget)
        yield app.on_a_slow_network(browser, address, budget_s=3.2)


def first() -> Iterator[Row]:
    """The first drawing of a fresh server."""
    with app.browser() as browser:
        yield app.first_figure(browser, first_budget_s=2.0, budget_s=1.5)


def steps() -> Iterator[Row]:
    """Sliders: frames while dragging, what a step costs, and how long it takes to settle."""
    with app.browser() as browser, running_server() as (address, process):
        # The first visit warms the server, as any visit of the day does.
        app.opened(browser, f"{address}/explore").context.close()
        yield app.drag_frames(browser, address, 16, 1024, budget_ms=16)
        yield app.drag_frames(browser, address, 64, 16_384, budget_ms=16)
        yield app.slider_steps(browser, address, process, budget_kb=12)
        yield app.settling(browser, address, "explore", budget_ms=400)
        yield app.settling(browser, address, "decay", budget_ms=150)


def cpu() -> Iterator[Row]:
    """The server's processor time for the first run of pages."""
    with running_server() as (address, process):
        for page in FIRST_RUN_PAGES:
            yield crowd.first_run(address, process, page, budget_ms=25)


def at_once() -> Iterator[Row]:
    """A hundred visitors of one process."""
    with running_server() as (address, _):
        yield crowd.at_once(address, 100, "explore", first_budget_s=0.6, step_budget_s=0.9)
        yield crowd.at_once(address, 100, "decay", first_budget_s=0.6, step_budget_s=0.9)


def fleet() -> Iterator[Row]:
    """Two processes behind a proxy: a crowd, and a class on its phones."""
    yield crowd.at_two_processes(300, budget_s=2)
    yield room.measure(phones=300)


def memory() -> Iterator[Row]:
    """The server's memory after many visits."""
    yield crowd.memory(budget_mb=400)


def attention() -> Iterator[Row]:
    """ALiBi attention beside the fused form with one more channel."""
    yield beside.idle()
    yield beside.busy()
    yield beside.exact()


ROWS: dict[str, Callable[[], Iterator[Row]]] = {
    "bytes": transferred,
    "first": first,
    "steps": steps,
    "cpu": cpu,
    "crowd": at_once,
    "fleet": fleet,
    "memory": memory,
    "attention": attention,
}


def main(show: Callable[[str], None] = print) -> None:
    """Prints the table, a row as soon as it is measured; none fails for being slow."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=ROWS, default=list(ROWS), help="some rows")
    chosen = parser.parse_args().only
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    show(f"{os.cpu_count()} cores, load {load:.1f} before; times on a busy machine mean little\n")
    show("| what | measured | budget | |\n|---|---|---|---|")
    for name in chosen:
        started = time.perf_counter()
        try:
            for row in ROWS[name]():
                met = "ok" if row.is_met else "over"
                show(f"| {row.what} | {row.measured} | {row.budget} | {met} |")
        except RuntimeError as error:
            # Where there is no proxy, the other rows can be measured all the same.
            show(f"| {name} | not measured: {' '.join(str(error).split())[-160:]} | | |")
        show(f"<!-- {name}: {time.perf_counter() - started:.0f} s -->")


if __name__ == "__main__":
    main()
