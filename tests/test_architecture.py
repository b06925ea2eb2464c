"""The one direction of imports, and what keeps the first page light."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from streamlit.config import get_option

from alibi_viz.figures import theme

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "alibi_viz"

# Where files lie, how they are written, what is allowed, how failures are told: below all layers
# but the mathematics.
BASE = {"paths", "files", "policy", "errors", "words", "processes", "rates"}
# What each layer may import of the others. A layer that is not here may not exist.
ALLOWED = {
    "maths": set(),
    "positions": {"maths"},
    "model": {"maths", "positions"},
    "data": set(),
    "training": {"maths", "positions", "model", "data", "evaluation"},
    "evaluation": {"maths", "positions", "model", "data"},
    "retrieval": {"maths", "positions", "model", "data", "evaluation", "training"},
    # Foreign models are asked in a child process.
    "inspection": {"maths", "positions", "model", "data", "child"},
    "published": set(),
    # Records of what was measured and the list of methods; reading them imports no torch.
    "claims": {"maths", "positions", "evaluation", "published", "retrieval"},
    # What runs in a child process is named in text: the server imports none of it.
    "child": set(),
    # Of finding again the plan and the records, which bring in no torch.
    "jobs": {"maths", "positions", "evaluation", "retrieval"},
    "figures": {"maths", "positions"},
    # Values from which figure, table and words follow, for pages and notebooks alike.
    # Of finding again only what brings in no torch, until one needle is looked for.
    "charts": {
        "maths",
        "positions",
        "model",
        "evaluation",
        "published",
        "figures",
        "inspection",
        "retrieval",
    },
    "lessons": {"maths", "positions", "published"},
    # A file without a server. Of ui it takes the canvas scripts, which need no Streamlit: its own
    # test sees to that.
    "onepage": {"maths", "positions", "evaluation", "published", "figures", "charts", "lessons"}
    | {"claims", "ui", "retrieval"},
    # Classes that answer together; reading what was measured, for the lines that they draw.
    "rooms": {"positions", "lessons", "evaluation", "claims", "charts"},
    # What stands between the network and the app.
    "server": {"rooms"},
}
THIRD_PARTY = {
    "maths": {"numpy", "einops"},
    "figures": {"numpy", "plotly", "pandas"},
    "charts": {"numpy", "pandas", "einops", "plotly"},
    "published": {"numpy", "pandas"},
    "claims": {"numpy"},
    "jobs": {"filelock", "numpy"},
    "rooms": set(),
    "server": {"starlette", "anyio"},
}


def modules():
    return sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)


def layer_of(path):
    inside = path.relative_to(PACKAGE)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def imported(path):
    """Full dotted names of what a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module
            if node.module == "alibi_viz":
                yield from (f"alibi_viz.{alias.name}" for alias in node.names)


def in_a_fresh_interpreter(code):
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_direction(path):
    layer = layer_of(path)
    if layer in {"__init__", "__main__", "ui"}:
        allowed = {module.stem for module in PACKAGE.iterdir()}
    else:
        assert layer in ALLOWED or layer in BASE, f"{layer} is not a layer of the design"
        allowed = ALLOWED.get(layer, set()) | {layer} | (BASE if layer != "maths" else set())
    for name in imported(path):
        top, _, rest = name.partition(".")
        if top == "alibi_viz" and rest:
            assert rest.split(".")[0] in allowed, f"{layer} imports {name}"
        if top == "streamlit":
            assert layer == "ui", f"{layer} imports streamlit"
        if layer in THIRD_PARTY and top != "alibi_viz" and top not in sys.stdlib_module_names:
            assert top in THIRD_PARTY[layer], f"{layer} imports {name}"


@pytest.mark.parametrize("path", sorted((ROOT / "pages").glob("*.py")), ids=lambda path: path.name)
def test_pages_compute_nothing(path):
    assert {name.split(".")[0] for name in imported(path)} <= {
        "alibi_viz",
        "streamlit",
    } | sys.stdlib_module_names
    layers = {name.split(".")[1] for name in imported(path) if name.startswith("alibi_viz.")}
    assert layers <= {"ui", "figures", "charts"}


def test_maths_brings_in_neither_torch_nor_plotly_nor_streamlit():
    loaded = in_a_fresh_interpreter(
        "import sys, pkgutil, importlib, alibi_viz.maths as maths\n"
        "for module in pkgutil.iter_modules(maths.__path__):\n"
        "    importlib.import_module(f'alibi_viz.maths.{module.name}')\n"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    assert "numpy" in loaded
    assert not {"torch", "plotly", "streamlit", "pandas"} & set(loaded)


@pytest.mark.parametrize("page", ["home", "explore", "decay", "extrapolation", "retrieval"])
def test_a_page_that_a_class_opens_first_runs_without_torch(page):
    loaded = in_a_fresh_interpreter(
        "import sys\n"
        "from streamlit.testing.v1 import AppTest\n"
        "app = AppTest.from_file('app.py', default_timeout=30).run()\n"
        f"app = app.switch_page('pages/{page}.py').run()\n"
        "assert not app.exception, app.exception\n"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    assert "streamlit" in loaded
    assert not {"torch", "transformers"} & set(loaded)


def test_every_module_has_a_docstring_and_stays_short():
    for path in modules():
        text = path.read_text()
        assert ast.get_docstring(ast.parse(text)), f"{path} has no docstring"
        assert text.count("\n") <= 350, f"{path} is longer than 350 lines"


def test_streamlit_does_not_collect_garbage_after_every_run():
    assert get_option("runner.postScriptGC") is False


def test_the_apps_theme_is_the_theme_of_the_figures():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
    for name, surface in (("light", theme.LIGHT), ("dark", theme.DARK)):
        assert config[name]["backgroundColor"] == surface.background
        assert config[name]["secondaryBackgroundColor"] == surface.panel
        assert config[name]["textColor"] == surface.text
        assert config[name]["primaryColor"] == surface.accent
        assert config[name]["borderColor"] == surface.grid


def test_every_direct_requirement_is_pinned_exactly():
    for name in ("requirements-core.txt", "requirements.txt", "requirements-dev.txt"):
        for line in (ROOT / name).read_text().splitlines():
            if line and not line.startswith(("#", "-r ")):
                assert line.count("==") == 1, line
                assert "*" not in line, line


def test_no_file_names_a_package_registry():
    tracked = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    ).stdout.splitlines()
    # Written apart, so that this file does not name them either.
    hosts = [
        "pypi" + ".org",
        "python" + "hosted.org",
        "npm" + "js.org",
        "download." + "pytorch.org",
    ]
    for name in tracked:
        path = ROOT / name
        if path.suffix in {".png", ".safetensors", ".npz"} or not path.is_file():
            continue
        text = path.read_text(errors="replace")
        assert not [host for host in hosts if host in text], name


# A command's, a page's or a program's part in what asks every one of them.
ASKED_BY_NAME = {"add_parser", "main", "parameters"}


def test_no_two_public_classes_or_functions_share_a_name():
    homes = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            is_named = isinstance(node, (ast.FunctionDef, ast.ClassDef))
            if is_named and not node.name.startswith("_") and node.name not in ASKED_BY_NAME:
                homes.setdefault(node.name, []).append(path.relative_to(PACKAGE).as_posix())
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_no_folder_of_the_package_has_too_many_files_side_by_side():
    folders = [PACKAGE, *(path for path in PACKAGE.rglob("*") if path.is_dir())]
    sizes = {folder.name: len(list(folder.glob("*.py"))) for folder in folders}
    assert {name: size for name, size in sizes.items() if size > 16} == {}
