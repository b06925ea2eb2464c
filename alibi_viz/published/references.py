"""What to cite, from one file of CSL-JSON, and the same as BibTeX and as RIS.

Only what is sure stands in the file: a field that could not be confirmed is left out, not guessed.

Source: https://citeproc-js.readthedocs.io/en/latest/csl-json/markup.html
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from alibi_viz.files import read_json
from alibi_viz.paths import ASSETS

REFERENCES = ASSETS / "published" / "references.json"
# The entry of this app itself.
THIS_APP = "alibiviz2026"

Reference: TypeAlias = Mapping[str, Any]
Style = Literal["BibTeX", "CSL-JSON", "RIS"]
STYLES: tuple[Style, ...] = get_args(Style)
EXTENSIONS: dict[Style, str] = {"BibTeX": "bib", "CSL-JSON": "json", "RIS": "ris"}

# How the types of CSL are called in the two other styles.
_BIBTEX_TYPES = {"paper-conference": "inproceedings", "article-journal": "article"}
_RIS_TYPES = {
    "paper-conference": "CONF",
    "article-journal": "JOUR",
    "article": "UNPB",
    "webpage": "ELEC",
    "software": "COMP",
}
# BibTeX's own programs know no letters but ASCII's.
_TEX_LETTERS = {"Ł": r"{\L}"}


@cache
def references(path: Path = REFERENCES) -> dict[str, Reference]:
    """Returns every reference by its id, in the order of the file.

    Args:
        path: A file of CSL-JSON.

    Raises:
        ValueError: The file is not there or not JSON, or two entries have the same id.
    """
    entries: list[Reference] = read_json(path)
    by_id = {entry["id"]: entry for entry in entries}
    if len(by_id) != len(entries):
        raise ValueError(f"{path.name} has two entries with the same id")
    return by_id


def formatted(entries: Sequence[Reference], style: Style) -> str:
    """Returns references in a style, ready for a file.

    Args:
        entries: References as CSL-JSON.
        style: One of `STYLES`.

    Raises:
        ValueError: No such style.
    """
    if style == "BibTeX":
        return "\n".join(_bibtex(entry) for entry in entries)
    if style == "CSL-JSON":
        return json.dumps(list(entries), indent=1, ensure_ascii=False) + "\n"
    if style == "RIS":
        return "\n".join(_ris(entry) for entry in entries)
    raise ValueError(f"style must be one of {', '.join(STYLES)}, got {style!r}")


def arxiv_number(entry: Reference) -> str:
    """Returns the paper's number on arXiv, or "" if it has none."""
    number: str = entry.get("number", "")
    return number.removeprefix("arXiv:") if number.startswith("arXiv:") else ""


def year(entry: Reference) -> str:
    """Returns the year of publication, or "" where none is known."""
    return str(entry["issued"]["date-parts"][0][0]) if "issued" in entry else ""


def short_name(entry: Reference) -> str:
    """Returns authors and year as a text cites them: "Press et al. 2022".

    Args:
        entry: A reference with at least one author.
    """
    authors = entry["author"]
    first = authors[0].get("family") or authors[0]["literal"]
    if len(authors) == 2:
        first += f" and {authors[1].get('family')}"
    elif len(authors) > 2:
        first += " et al."
    return f"{first} {year(entry)}".strip()


def find_by_source(source: str) -> Reference | None:
    """Returns the reference of a figure's source ("arXiv:2108.12409v2 ..."), or None.

    Args:
        source: As in the column of that name in the files of published figures.
    """
    for entry in references().values():
        number = arxiv_number(entry)
        if number and number in source:
            return entry
        if entry.get("publisher") == "GitHub" and entry["URL"].split("github.com/")[1] in source:
            return entry
    return None


def _bibtex(entry: Reference) -> str:
    kind = _BIBTEX_TYPES.get(entry["type"], "misc")
    container = "journal" if kind == "article" else "booktitle"
    number = arxiv_number(entry)
    # Braces around the whole title keep its capitals.
    fields = {
        "title": "{" + entry["title"] + "}",
        "author": " and ".join(_bibtex_name(author) for author in entry["author"]),
        "year": year(entry),
        container: entry.get("container-title", ""),
        "volume": entry.get("volume", ""),
        "number": entry.get("issue", ""),
        "pages": entry.get("page", "").replace("-", "--"),
        "doi": entry.get("DOI", ""),
        "eprint": number,
        "archiveprefix": "arXiv" if number else "",
        "url": entry.get("URL", ""),
        "note": entry.get("note", "") or _version(entry),
    }
    lines = [f"  {name} = {{{_tex(value)}}}," for name, value in fields.items() if value]
    return f"@{kind}{{{entry['id']},\n" + "\n".join(lines) + "\n}\n"


def _bibtex_name(author: Mapping[str, str]) -> str:
    if "literal" in author:
        return "{" + author["literal"] + "}"
    return f"{author['family']}, {author['given']}"


def _tex(text: str) -> str:
    return "".join(_TEX_LETTERS.get(letter, letter) for letter in text)


def _ris(entry: Reference) -> str:
    first, _, last = entry.get("page", "").partition("-")
    tags = [
        ("TY", _RIS_TYPES[entry["type"]]),
        ("TI", entry["title"]),
        *(("AU", _ris_name(author)) for author in entry["author"]),
        ("PY", year(entry)),
        ("T2", entry.get("container-title", "")),
        ("VL", entry.get("volume", "")),
        ("IS", entry.get("issue", "")),
        ("SP", first),
        ("EP", last),
        ("DO", entry.get("DOI", "")),
        ("PB", entry.get("publisher", "")),
        ("M1", entry.get("number", "")),
        ("UR", entry.get("URL", "")),
        ("N1", entry.get("note", "") or _version(entry)),
        ("ID", entry["id"]),
    ]
    lines = [f"{tag}  - {value}" for tag, value in tags if value]
    return "\n".join([*lines, "ER  - "]) + "\n"


def _ris_name(author: Mapping[str, str]) -> str:
    return author.get("literal") or f"{author['family']}, {author['given']}"


def _version(entry: Reference) -> str:
    return f"version {entry['version']}" if "version" in entry else ""
