import sys

import pytest

from alibi_viz.jobs.registry import Registry

# Stands for `python -m alibi_viz`: what it does depends on the seed that it is asked for. It
# writes its process id, then waits for a file named "go", as a long command would compute.
PROGRAM = """
import os, pathlib, signal, sys, time
arguments = dict(zip(sys.argv[2::2], sys.argv[3::2]))
run = pathlib.Path(arguments["--run"])
run.mkdir(parents=True, exist_ok=True)
(run / "starts").open("a").write("x")
(run / "pid").write_text(str(os.getpid()))
seed = int(arguments["--seed"])
if seed == 90:
    sys.exit("error: the corpus is too short")
if seed == 91:
    os.kill(os.getpid(), signal.SIGKILL)
if seed == 92:
    raise OSError(28, "No space left on device")
def save_and_end(*_):
    (run / "saved").touch()
    sys.exit(75)
signal.signal(signal.SIGTERM, signal.SIG_IGN if seed == 93 else save_and_end)
(run / "ready").touch()
while not (run.parent.parent / "go").exists():
    time.sleep(0.01)
"""


@pytest.fixture
def program(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    return [sys.executable, "-S", str(script)]


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
