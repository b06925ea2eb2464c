"""docs/transformers.md: every program runs, and finds in the installed version what it says."""

import contextlib
import io
import re

import pytest
import transformers

from alibi_viz.paths import PROJECT

PAGE = (PROJECT / "docs" / "transformers.md").read_text(encoding="utf-8")
SECTIONS = {
    section.split("\n", 1)[0]: re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    for section in PAGE.split("\n## ")[1:]
}


def test_the_page_is_about_the_installed_version():
    assert f"transformers {transformers.__version__.rsplit('.', 1)[0]}" in PAGE.split("\n", 1)[0]
    assert all(len(programs) == 1 for programs in SECTIONS.values())
    assert len(SECTIONS) >= 6


@pytest.mark.parametrize("title", SECTIONS)
def test_each_disagreement_is_there(title):
    said, mended = io.StringIO(), ""
    with contextlib.redirect_stdout(said):
        try:
            exec(SECTIONS[title][0], {})
        except AssertionError as error:
            mended = str(error)
    assert not mended, f"transformers {transformers.__version__}: {title} is {mended}"
    assert "right: " in said.getvalue()
