import pytest

from alibi_viz.jobs.registry import Registry
from tests.jobs.scenario import stand_in


@pytest.fixture
def program(tmp_path):
    return stand_in(tmp_path)


@pytest.fixture
def new_registry(tmp_path, program):
    """Makes registries that share a folder, as server processes on one machine do."""
    made = []

    def make(**limits):
        made.append(Registry(tmp_path / "jobs", program=program, **limits))
        return made[-1]

    yield make
    (tmp_path / "jobs").mkdir(exist_ok=True)
    (tmp_path / "jobs" / "go").touch()
    for registry in made:
        registry.close()


@pytest.fixture
def registry(new_registry):
    return new_registry()
