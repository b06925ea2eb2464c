"""Finds a Chromium for the browser tests; run with --install, makes sure that there is one.

One on the PATH comes first, then Playwright's own, then what the system's package manager brings.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

# The package manager's program, and the commands that bring a Chromium, in the order of trying.
PACKAGE_MANAGERS = {
    "apt-get": (("update",), ("install", "--yes", "--no-install-recommends", "chromium")),
    "dnf": (("install", "--assumeyes", "chromium"),),
    "zypper": (("--non-interactive", "install", "chromium"),),
    "pacman": (("-Sy", "--noconfirm", "chromium"),),
    "apk": (("add", "chromium"),),
    "brew": (("install", "--cask", "chromium"),),
}


def find() -> str | None:
    """Returns the path of a Chromium that starts, or None."""
    on_path = (shutil.which(name) for name in NAMES)
    for candidate in (*on_path, _playwrights_own()):
        if candidate and _starts(candidate):
            return candidate
    return None


def install() -> str | None:
    """Returns the path of a Chromium, installed where there was none, or None if all fails."""
    for attempt in (_by_playwright, _by_package_manager):
        if path := find():
            return path
        attempt()
    return find()


def _playwrights_own() -> str | None:
    """Returns where Playwright keeps its Chromium, if it has one."""
    # A process of its own: Playwright refuses to start twice in one thread.
    program = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as playwright: print(playwright.chromium.executable_path)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    path = done.stdout.strip()
    return path if done.returncode == 0 and Path(path).is_file() else None


def _starts(path: str) -> bool:
    """Returns whether it really runs: a stub that asks for a snap, or missing libraries, do not."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _by_playwright() -> None:
    _run([sys.executable, "-m", "playwright", "install", "chromium"])


def _by_package_manager() -> None:
    for name, commands in PACKAGE_MANAGERS.items():
        if program := shutil.which(name):
            for arguments in commands:
                _run([*_as_root(name), program, *arguments])
            return
    print("No package manager found of", ", ".join(PACKAGE_MANAGERS), file=sys.stderr)


def _as_root(manager: str) -> list[str]:
    """Returns what to put before a command that only root may run; brew wants no root."""
    if manager == "brew" or not hasattr(os, "geteuid") or os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    return [sudo] if sudo else []


def _run(command: list[str]) -> None:
    print("+", " ".join(command), flush=True)
    subprocess.run(command, check=False)


def main() -> int:
    """Prints the path of a Chromium; returns 1 where there is none."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--install", action="store_true", help="install one if there is none")
    path = install() if parser.parse_args().install else find()
    if path is None:
        print(
            "No Chromium. Put one on the PATH, or run: python -m playwright install chromium",
            file=sys.stderr,
        )
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
