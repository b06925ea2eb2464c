"""python -m benchmarks.probe: of planted faults and healthy models, what the probe says.

    python -m benchmarks.probe              # all of it, as the tables of docs/probe.md
    python -m benchmarks.probe --open       # the faults that the detector was developed on
    python -m benchmarks.probe --held-out   # the faults that were left alone
    python -m benchmarks.probe --attacks    # the faults thought of afterwards
    python -m benchmarks.probe --healthy    # the models without a fault
    python -m benchmarks.probe --only caps  # one kind, with what was said

Parts that are asked for together are all made.

A fault is found when the probe says something that it does not say of the same model without the
fault; it is explained when a finding has the right kind, layers, heads and numbers.
"""

import argparse
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from alibi_viz.inspection.foreign.tasks import quieten_library
from alibi_viz.inspection.loading import load_model
from alibi_viz.inspection.probe import ProbeVerdict, probe
from benchmarks.probe.attacks import attacks
from benchmarks.probe.faults import all_faults
from benchmarks.probe.healthy import Healthy, all_healthy
from benchmarks.probe.held_out import held_out_faults
from benchmarks.probe.models import Recipe
from benchmarks.probe.plants import Expected, Planted

# What a number may be off by and still be the right one.
SAME_NUMBER = 0.01


class Shelf:
    """Folders of models, each made once, and what the probe says of them as they are."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kept: dict[str, Path] = {}
        self.usual: dict[Path, set[str]] = {}

    def path(self, recipe: Recipe) -> Path:
        """Returns the folder of a recipe's model."""
        key = repr(recipe)
        if key not in self.kept:
            self.kept[key] = self.folder / str(len(self.kept))
            self.kept[key].mkdir()
            recipe.save(self.kept[key])
        return self.kept[key]

    def usual_findings(self, recipe: Recipe) -> set[str]:
        """Returns what is said of a model without a fault, each finding told by its place."""
        plain = Recipe(recipe.config, recipe.sizes, recipe.dtype, recipe.std)
        path = self.path(plain)
        if path not in self.usual:
            self.usual[path] = {identity(finding) for finding in judge(path).findings}
        return self.usual[path]


def judge(path: Path) -> ProbeVerdict:
    return probe(load_model(path))


def identity(finding: Any) -> str:
    """Returns a finding without its measured numbers."""
    return repr((finding.kind, finding.disagrees, finding.where))


def explains(finding: Any, wanted: Expected) -> bool:
    """Returns whether a finding says what a fault is."""
    where = finding.where
    if finding.kind not in wanted.kinds.split():
        return False
    if finding.disagrees == wanted.as_note or wanted.said not in finding.words:
        return False
    if wanted.layers is not None and where.layers != wanted.layers:
        return False
    if wanted.heads is not None and where.heads != wanted.heads:
        return False
    return all(
        abs(float(finding.numbers.get(name, 0.0)) - value) <= SAME_NUMBER * abs(value)
        for name, value in wanted.numbers
    )


def look(fault: Planted, shelf: Shelf) -> tuple[bool, bool, str]:
    """Returns whether a fault is found, and explained, and what was said of it."""
    own_recipe = fault.plant.__name__ == "nothing"
    usual = set() if own_recipe else shelf.usual_findings(fault.recipe)
    path = shelf.path(fault.recipe)
    with fault.plant():
        verdict = judge(path)
    new = [finding for finding in verdict.findings if identity(finding) not in usual]
    found = any(finding.disagrees or fault.expected.as_note for finding in new)
    explained = any(explains(finding, fault.expected) for finding in new)
    said = [f"    {f.kind}: {f.words} {f.numbers}" for f in new]
    return found, explained, "\n".join([f"    {verdict.answer}", *said])


def fault_rows(faults: list[Planted], shelf: Shelf, is_told: bool) -> Iterator[tuple[str, Any]]:
    """Yields each fault's kind and what became of it."""
    for fault in faults:
        with told_if_it_breaks(fault.name) as broken:
            found, explained, said = look(fault, shelf)
            if is_told or not explained:
                family = fault.recipe.config.removesuffix("Config")
                state = "explained" if explained else "found" if found else "SILENT"
                print(f"{state}: {fault.kind}, {family}: {fault.name}\n{said}", flush=True)
            yield fault.kind, (found, explained)
        if broken:
            yield fault.kind, (False, False)


@contextmanager
def told_if_it_breaks(name: str) -> Iterator[list[str]]:
    """Prints what breaks in the block and goes on: a benchmark tells of tracebacks too."""
    broken: list[str] = []
    try:
        yield broken
    except (RuntimeError, ValueError, LookupError, TypeError, AttributeError) as error:
        broken.append(name)
        print(f"BROKEN: {name}: {type(error).__name__}: {error}", flush=True)


def print_faults(title: str, rows: list[tuple[str, tuple[bool, bool]]]) -> None:
    print(f"\n| {title} | tried | found | explained rightly | silent |\n|---|--:|--:|--:|--:|")
    kinds = dict.fromkeys(kind for kind, _ in rows)
    for kind in [*kinds, "**all**"]:
        results = [result for of, result in rows if kind in (of, "**all**")]
        found = sum(found for found, _ in results)
        explained = sum(explained for _, explained in results)
        silent = len(results) - found
        print(f"| {kind} | {len(results)} | {found} | {explained} | {silent} |", flush=True)


def false_alarms(model: Healthy, shelf: Shelf) -> list[str]:
    """Returns what is said of a healthy model that is not so."""
    verdict = judge(shelf.path(model.recipe))
    wrong = [
        f"{finding.kind}: {finding.words}"
        for finding in verdict.disagreements
        if finding.kind not in model.library
    ]
    if verdict.found != (model.method,):
        wrong.append(f"found {verdict.found}: {verdict.found_words}")
    return wrong


def print_healthy(models: list[Healthy], shelf: Shelf) -> None:
    alarmed = 0
    for model in models:
        with told_if_it_breaks(model.name) as broken:
            wrong = false_alarms(model, shelf)
            if wrong:
                print("\n    ".join([f"FALSE ALARM: {model.name}", *wrong]), flush=True)
            alarmed += bool(wrong)
        alarmed += bool(broken)
    print("\n| healthy models | false alarms |\n|--:|--:|")
    print(f"| {len(models)} | {alarmed} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--open", action="store_true", help="the faults developed on")
    parser.add_argument("--held-out", action="store_true", help="the faults held out")
    parser.add_argument("--attacks", action="store_true", help="the faults of the attack")
    parser.add_argument("--healthy", action="store_true", help="the models without a fault")
    parser.add_argument("--only", metavar="KIND", help="one kind of faults")
    args = parser.parse_args()
    is_whole = not (args.open or args.held_out or args.attacks or args.healthy)
    warnings.simplefilter("ignore")
    quieten_library()
    torch.set_num_threads(1)
    start = time.process_time()
    groups = {}
    if args.open or is_whole:
        groups["developed on"] = all_faults()
    if args.held_out or is_whole:
        groups["held out"] = held_out_faults()
    if args.attacks or is_whole:
        groups["attacked with"] = attacks()
    with tempfile.TemporaryDirectory() as name:
        shelf = Shelf(Path(name))
        if args.healthy or (is_whole and args.only is None):
            print_healthy(all_healthy(), shelf)
        for title, faults in groups.items():
            chosen = [fault for fault in faults if args.only in (None, fault.kind)]
            if chosen:
                print_faults(title, list(fault_rows(chosen, shelf, args.only is not None)))
    print(f"\n{time.process_time() - start:.0f} s of CPU")


if __name__ == "__main__":
    main()
