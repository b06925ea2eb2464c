import json
import re
import tomllib

import pytest
import yaml

from alibi_viz.paths import PROJECT
from alibi_viz.published.cited import cited_numbers
from alibi_viz.published.references import (
    STYLES,
    THIS_APP,
    arxiv_number,
    find_by_source,
    formatted,
    references,
    short_name,
)

PAPER = {
    "id": "key2020",
    "type": "article-journal",
    "title": "On BERT",
    "author": [{"family": "Łoś", "given": "A. B."}, {"family": "Noe", "given": "C."}],
    "issued": {"date-parts": [[2020]]},
    "container-title": "A Journal",
    "volume": "7",
    "page": "11-13",
    "number": "arXiv:2001.00001",
    "URL": "https://arxiv.org/abs/2001.00001",
}


def test_bibtex_of_a_journal_paper():
    assert formatted([PAPER], "BibTeX") == (
        "@article{key2020,\n"
        "  title = {{On BERT}},\n"
        "  author = {{\\L}oś, A. B. and Noe, C.},\n"
        "  year = {2020},\n"
        "  journal = {A Journal},\n"
        "  volume = {7},\n"
        "  pages = {11--13},\n"
        "  eprint = {2001.00001},\n"
        "  archiveprefix = {arXiv},\n"
        "  url = {https://arxiv.org/abs/2001.00001},\n"
        "}\n"
    )


def test_ris_of_a_journal_paper():
    assert formatted([PAPER], "RIS").splitlines() == [
        "TY  - JOUR",
        "TI  - On BERT",
        "AU  - Łoś, A. B.",
        "AU  - Noe, C.",
        "PY  - 2020",
        "T2  - A Journal",
        "VL  - 7",
        "SP  - 11",
        "EP  - 13",
        "M1  - arXiv:2001.00001",
        "UR  - https://arxiv.org/abs/2001.00001",
        "ID  - key2020",
        "ER  - ",
    ]


def test_csl_json_gives_back_what_the_file_holds():
    entries = list(references().values())
    assert json.loads(formatted(entries, "CSL-JSON")) == entries


@pytest.mark.parametrize("style", STYLES)
def test_every_reference_is_in_every_style(style):
    text = formatted(list(references().values()), style)
    for entry in references().values():
        assert entry["id"] in text
        assert entry["title"] in text


def test_bibtex_has_balanced_braces_and_no_letter_that_bibtex_cannot_sort():
    text = formatted(list(references().values()), "BibTeX")
    assert text.count("{") == text.count("}")
    assert text.isascii()


def test_no_such_style():
    with pytest.raises(ValueError, match="BibTeX, CSL-JSON, RIS, got 'APA'"):
        formatted([], "APA")


def test_every_paper_of_the_field_is_there_by_its_number():
    numbers = {arxiv_number(entry) for entry in references().values()}
    # ALiBi, sinusoidal, RoPE, T5, NoPE, Haviv, KERPLE, Sandwich, xPos, PI, YaRN, BLOOM,
    # Lost in the Middle, PI for ALiBi; MPT has no number.
    wanted = (
        "2108.12409 1706.03762 2104.09864 1910.10683 2305.19466 2203.16634 2205.09921 2212.10356 "
        "2212.10554 2306.15595 2309.00071 2211.05100 2307.03172 2310.13017"
    )
    assert set(wanted.split()) <= numbers
    assert any("MPT-7B" in entry["title"] for entry in references().values())


def test_a_paper_is_named_by_authors_and_year():
    assert short_name(PAPER) == "Łoś and Noe 2020"
    assert short_name(references()["press2022alibi"]) == "Press et al. 2022"
    assert short_name(references()["bigscience2022bloom"]) == "BigScience Workshop 2022"


def test_every_source_of_a_cited_number_has_a_reference():
    for figure in cited_numbers().values():
        entry = find_by_source(figure.source)
        assert entry is not None, figure.source
        number = re.search(r"\d{4}\.\d{5}", figure.source)
        if number:
            assert arxiv_number(entry) == number.group()
    assert find_by_source("arXiv:0000.00000") is None


def test_an_author_of_alibi_is_an_author_of_both_so_called_independent_papers():
    for paper in ("haviv2022nopos", "lescao2022million"):
        assert {"family": "Press", "given": "Ofir"} in references()[paper]["author"]


def test_the_citation_file_says_what_the_references_and_the_project_say():
    citation = yaml.safe_load((PROJECT / "CITATION.cff").read_text())
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    app = references()[THIS_APP]
    assert citation["version"] == project["version"] == app["version"]
    assert citation["title"] == app["title"]
    assert citation["authors"] == [{"name": author["literal"]} for author in app["author"]]
    assert {"cff-version", "message", "license"} <= set(citation)
