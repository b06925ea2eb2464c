"""What is installed: by make from the lock file, by pip as a wheel, with and without models."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from alibi_viz import __main__ as program
from alibi_viz import paths, policy
from tests.browser.server import free_port, is_served

ROOT = Path(__file__).parents[1]


def pins(name):
    return [
        line
        for line in (ROOT / name).read_text().splitlines()
        if line and not line.startswith(("#", "-r "))
    ]


def locked():
    """Names and versions in the lock file, and each one's lines."""
    text = (ROOT / "requirements.lock").read_text()
    return {
        match[1]: (match[2], match[0])
        for match in re.finditer(r"^([a-z0-9][\w.-]*)==([^\s;]+)(?:.*\\\n)(?: +.*\n?)*", text, re.M)
    }


def test_the_lock_holds_every_pin_but_torch_to_its_version():
    lock = locked()
    for pin in pins("requirements-core.txt") + pins("requirements.txt"):
        name, version = pin.lower().replace("_", "-").split("==")
        if name != "torch":
            assert lock[name][0] == version, pin
    assert "torch" not in lock


def test_everything_in_the_lock_has_hashes():
    assert len(locked()) > 60
    for name, (_, lines) in locked().items():
        assert "--hash=sha256:" in lines, name


def test_licences_are_listed_for_all_that_is_locked():
    listed = re.findall(r"^\| ([\w.-]+) \|", (ROOT / "docs" / "licences.md").read_text(), re.M)
    assert set(listed) - {"package"} == {*locked(), "torch"}


def test_a_checkout_keeps_what_it_makes_beside_the_package(monkeypatch):
    monkeypatch.delenv("ALIBI_VIZ_DATA", raising=False)
    assert paths.data_folder() == ROOT


@pytest.mark.parametrize(
    ("system", "variable", "folder"),
    [
        ("linux", None, ".local/share/alibi-viz"),
        ("linux", "XDG_DATA_HOME", "alibi-viz"),
        ("darwin", None, "Library/Application Support/alibi-viz"),
        ("win32", "LOCALAPPDATA", "alibi-viz"),
    ],
)
def test_an_installed_app_keeps_it_where_the_system_wants_it(
    monkeypatch, tmp_path, system, variable, folder
):
    monkeypatch.setattr(paths, "IS_INSTALLED", True)
    monkeypatch.setattr(paths.sys, "platform", system)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("ALIBI_VIZ_DATA", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    if variable:
        monkeypatch.setenv(variable, str(tmp_path))
    assert paths.data_folder() == tmp_path / folder
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path / "mine"))
    assert paths.data_folder() == tmp_path / "mine"


def test_a_command_that_needs_models_says_so_where_there_are_none(monkeypatch, capsys):
    def missing(module):
        if "training" in module:
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
        return importer(module)

    importer = program.import_module
    monkeypatch.setattr(program, "import_module", missing)
    assert program.main(["train"]) == 1
    assert policy.NO_MODELS in capsys.readouterr().err


def test_a_module_that_is_missing_for_another_reason_is_not_explained_away(monkeypatch):
    def missing(module):
        raise ModuleNotFoundError("No module named 'alibi_viz.typo'", name="alibi_viz.typo")

    monkeypatch.setattr(program, "import_module", missing)
    with pytest.raises(ModuleNotFoundError, match="typo"):
        program.main(["train"])


def test_the_app_is_served_unless_something_else_is_asked_for(monkeypatch, capsys):
    monkeypatch.setattr("alibi_viz.server.cli.runpy.run_module", lambda *_, **__: None)
    monkeypatch.setattr(sys, "argv", ["alibi-viz"])
    assert program.main([]) == 0
    assert sys.argv[1:3] == ["run", str(ROOT / "app.py")]
    assert program.main(["serve", "--workers", "0"]) == 1
    assert "workers must be at least 1" in capsys.readouterr().err


def test_what_only_one_system_has_is_imported_on_no_other():
    """Stands for Windows: its name, and neither fcntl nor resource, killpg nor nice."""
    code = (
        "import sys, os, filelock, asyncio, anyio.to_thread, starlette.applications, sqlite3\n"
        "import multiprocessing, subprocess, tempfile, numpy, pandas, importlib, pkgutil\n"
        "import alibi_viz.charts.measured.curves, markdown_it, latex2mathml.converter\n"
        "sys.platform = 'win32'\n"
        "for name in ('fcntl', 'resource', 'termios'): sys.modules[name] = None\n"
        "for name in ('killpg', 'nice', 'fork'): delattr(os, name)\n"
        "for layer in ('files', 'processes', 'paths', 'jobs', 'rooms', 'server'):\n"
        "    module = importlib.import_module(f'alibi_viz.{layer}')\n"
        "    for part in pkgutil.iter_modules(getattr(module, '__path__', [])):\n"
        "        importlib.import_module(f'alibi_viz.{layer}.{part.name}')\n"
        "alibi_viz.processes.be_nice(3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of a clean folder: what git would bring, and nothing that was made here."""
    folder = tmp_path_factory.mktemp("clean")
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    for name in listed:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", folder / "made", "."], cwd=folder, check=True)
    (made,) = (folder / "made").glob("*.whl")
    return made


@pytest.mark.slow
def test_the_wheel_takes_along_what_lies_beside_the_package(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (about,) = (name for name in names if name.endswith("METADATA"))
        metadata = archive.read(about).decode()
    for wanted in ("app.py", "pages/explore.py", "assets/icon.png", ".streamlit/config.toml"):
        assert f"alibi_viz/bundled/{wanted}" in names
    for page in (ROOT / "pages").glob("*.py"):
        assert f"alibi_viz/bundled/pages/{page.name}" in names
    assert not [name for name in names if "tests/" in name or name.startswith("benchmarks")]
    for pin in pins("requirements-core.txt"):
        assert f"Requires-Dist: {pin}\n" in metadata
    for pin in pins("requirements.txt"):
        spelled = re.escape(pin.replace("_", "-"))
        assert re.search(rf"Requires-Dist: {spelled}; extra == ['\"]models", metadata), pin


@pytest.mark.slow
def test_an_installed_app_is_served_from_any_folder(wheel, tmp_path):
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", site]
    subprocess.run([*install, wheel], check=True)
    script = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["alibi-viz"]
    assert script == "alibi_viz.__main__:main"
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "alibi_viz", "serve", "--port", str(port)],
        cwd=elsewhere,
        env={**os.environ, "PYTHONPATH": str(site), "XDG_DATA_HOME": str(tmp_path / "data")},
    )
    try:
        assert is_served(f"http://127.0.0.1:{port}")
    finally:
        server.terminate()
        server.wait(30)
    assert (tmp_path / "data" / "alibi-viz" / "var" / "rooms.sqlite3").is_file()
    assert list(elsewhere.iterdir()) == []
