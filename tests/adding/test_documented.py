"""What docs/adding.md says is done: taken away from a copy of the project, and added again."""

import re
import shutil
import subprocess
import sys

import pytest

from alibi_viz.paths import PROJECT

ADDING = PROJECT / "docs" / "adding.md"
TEXT = "Whoever reads this text reads it twice. " * 400
SIZES = "--heads 2 --layers 1 --width 16 --train-length 16 --batch-size 2 --tokens 64 --device cpu"


def diffs(section):
    """Path and hunks (before, after) of every file that a section of the page changes."""
    text = ADDING.read_text(encoding="utf-8").split(f"## {section}\n")[1].split("\n## ")[0]
    changes = {}
    for block in re.findall(r"```diff\n(.*?)```", text, re.DOTALL):
        head, *hunks = block.split("@@\n")
        path = re.search(r"^\+\+\+ b/(.*)$", head, re.MULTILINE)[1]
        changes[path] = [(side(hunk, " -"), side(hunk, " +")) for hunk in hunks]
    return changes


def side(hunk, signs):
    return "".join(line[1:] for line in hunk.splitlines(keepends=True) if line[0] in signs)


def replace(path, old, new):
    if old and not new:
        assert path.read_text(encoding="utf-8") == old
        path.unlink()
    elif new and not old:
        path.write_text(new, encoding="utf-8")
    else:
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{path} has not once: {old}"
        path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def project(tmp_path):
    """A copy of the project's program; what it only reads is the original's."""
    unwanted = shutil.ignore_patterns("__pycache__")
    for name in ("alibi_viz", "tests", "pages"):
        shutil.copytree(PROJECT / name, tmp_path / name, ignore=unwanted)
    (tmp_path / "assets").symlink_to(PROJECT / "assets")
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path


def python(project, *arguments):
    return subprocess.run(
        [sys.executable, "-W", "ignore", *arguments], cwd=project, capture_output=True, text=True
    )


def methods_page(project):
    """What the page of methods offers, in a project."""
    code = (
        "from streamlit.testing.v1 import AppTest\n"
        "app = AppTest.from_file('pages/methods.py', default_timeout=60)\n"
        "app.query_params['part'] = 'compare'\n"
        "app.run()\n"
        "assert not app.exception\n"
        "print(next(frame.value for frame in app.dataframe if 'method' in frame.value)"
        "['method'].tolist())"
    )
    run = python(project, "-c", code)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_a_method_is_three_files(project):
    changes = diffs("A position method")
    assert len(changes) == 3
    for path, hunks in changes.items():
        for before, after in hunks:
            replace(project / path, after, before)
    train = ["-m", "alibi_viz", "train", "--position", "kerple", *SIZES.split()]
    place = ["--run", "run", "--text", "text.txt"]
    refused = python(project, *train, *place)
    assert "invalid choice: 'kerple'" in refused.stderr
    assert "KERPLE" not in methods_page(project)

    for path, hunks in changes.items():
        for before, after in hunks:
            replace(project / path, before, after)
        assert (project / path).read_text() == (PROJECT / path).read_text()
    trained = python(project, *train, *place)
    assert trained.returncode == 0, trained.stderr
    assert (project / "run" / "checkpoint" / "model.safetensors").is_file()
    assert "'KERPLE'" in methods_page(project)
    tested = python(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null",
                    "--rootdir", ".", "tests/positions/test_kerple.py")  # fmt: skip
    assert tested.returncode == 0, tested.stdout


def pytest_run(project, *arguments):
    """What a run of tests in a project prints, having passed."""
    run = python(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null",
                 "--rootdir", ".", *arguments)  # fmt: skip
    assert run.returncode == 0, run.stdout
    return run.stdout


def apply(project, section):
    """Makes the changes of a section; returns the paths of the files."""
    changes = diffs(section)
    for path, hunks in changes.items():
        (project / path).parent.mkdir(exist_ok=True)
        for before, after in hunks:
            replace(project / path, before, after)
    return list(changes)


SHOWN = """
from streamlit.testing.v1 import AppTest
app = AppTest.from_file("pages/{page}.py", default_timeout=60)
for name, value in {query}.items():
    app.query_params[name] = value
app.run()
assert not app.exception, app.exception
print([element.value for kind in (app.header, app.markdown) for element in kind])
print([chart.proto.alt for chart in app.get("plotly_chart")])
"""


def shown(project, page, **query):
    """The words and the alt texts of a page, in a project."""
    run = python(project, "-c", SHOWN.format(page=page, query=query))
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_a_chart_is_two_files_a_page_four_a_lesson_two(project):
    assert apply(project, "A chart") == ["alibi_viz/charts/reach.py", "tests/charts/states.py"]
    # 1 / 2^-8 tokens, in the last of eight heads.
    code = "from alibi_viz.charts.reach import ReachChart; print(ReachChart(head=8).sentence())"
    assert "costs 1 nat at a distance of 256 tokens" in python(project, "-c", code).stdout
    assert " passed" in pytest_run(project, "tests/charts/test_charts.py", "-k", "Reach or kind")

    added = apply(project, "A page")
    assert {path.rpartition("/")[0] for path in added} == {
        "pages", "alibi_viz/ui/reach", "alibi_viz/ui/frame"
    }  # fmt: skip
    page = shown(project, "reach", heads="12", nats="2.0")
    assert "costs 2 nats at a distance of" in page
    # 2 / 2^(-8/12) tokens in the steepest of twelve heads.
    assert "from 3.2 tokens to 512 tokens" in page
    assert " passed" in pytest_run(project, "tests/ui/test_links.py")
    code = (
        "from alibi_viz.ui.link.parameters import complaints as c; print(c('reach', {'nats': 3}))"
    )
    assert "does not take nats=3" in python(project, "-c", code).stdout

    assert len(apply(project, "A lesson")) == 2
    assert "A nat's reach" in shown(project, "lessons", lesson="reach")
    assert " passed" in pytest_run(
        project, "tests/lessons/test_course.py", "-k", "reach and not by_hand"
    )
