"""Lists the packages that the app needs, with their licences, as the installed ones state them.

python .ci/licences.py > docs/licences.md
"""

import re
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAD = """\
# Licences

ALiBi Viz itself is under the MIT licence (`LICENSE`). The packages that it needs, as
`requirements.lock` pins them, are under those below; `.ci/licences.py` writes this list from what
the packages say of themselves. Texts and models under `assets/` have their provenance beside them.

| package | licence |
|---|---|
"""


def licence(name: str) -> str:
    """Returns what a package says of its licence, in a few words."""
    try:
        about = metadata(name)
    except PackageNotFoundError:
        return "not installed on the system where this list was made"
    if expression := about.get("License-Expression"):
        return expression
    classified = [
        line.split(" :: ")[-1]
        for line in about.get_all("Classifier", [])
        if line.startswith("License :: OSI Approved")
    ]
    stated = (about.get("License") or "").strip().splitlines()
    return ", ".join(dict.fromkeys(classified)) or (stated[0][:60] if stated else "not stated")


def locked() -> list[str]:
    """Returns the names in the lock file, and torch, which is pinned by its version alone."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return sorted({*re.findall(r"^([a-z0-9][\w.-]*)==", text, re.MULTILINE), "torch"})


if __name__ == "__main__":
    sys.stdout.write(HEAD + "".join(f"| {name} | {licence(name)} |\n" for name in locked()))
