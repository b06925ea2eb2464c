"""Adding a position method: everywhere by itself, or refused by name."""

import ast
import json
import subprocess
import sys

import pytest

from alibi_viz.paths import PROJECT
from alibi_viz.positions import METHODS

LISTS = [*PROJECT.glob("alibi_viz/**/*.py"), *PROJECT.glob("pages/*.py"), PROJECT / "app.py"]


@pytest.fixture(scope="module")
def places():
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.adding.made_up"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(run.stdout.splitlines()[-1])


def test_a_method_added_to_the_registry_is_in_every_place(places):
    faults = {place: fault for place, fault in places.items() if fault}
    assert not faults, "\n".join(f"{place}:\n{fault}" for place, fault in faults.items())
    assert len(places) == 13


def of_methods(node):
    """The keys of methods that a literal collection has, as it stands in the program."""
    if isinstance(node, ast.Dict):
        parts = node.keys
    elif isinstance(node, ast.Tuple | ast.List | ast.Set):
        parts = node.elts
    else:
        return set()
    return {part.value for part in parts if isinstance(part, ast.Constant)} & set(METHODS)


@pytest.mark.parametrize("path", LISTS, ids=lambda path: str(path.relative_to(PROJECT)))
def test_there_is_no_second_list_of_methods(path):
    if path.name == "finding.py" and path.parent.name == "probe":
        pytest.skip("what a probe can tell apart: held to the registry below")
    found = [of_methods(node) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    assert max(map(len, found), default=0) <= 4


def test_a_probe_knows_what_every_method_looks_like():
    from alibi_viz.inspection.probe.finding import NAMES

    assert {method.probed_as for method in METHODS.values()} == set(NAMES)
