import pytest

from alibi_viz.ui.link import notes as link_notes


@pytest.fixture
def session(monkeypatch):
    monkeypatch.setattr(link_notes.st, "session_state", {})


def test_a_quote_is_short_and_cannot_end_its_backticks():
    assert link_notes.quoted("a`b\nc") == "ab c"
    assert link_notes.quoted("x" * 41) == "x" * 40


def test_a_quote_has_no_blank_line_that_would_let_markdown_through():
    assert link_notes.quoted("x\r\n \n\n![](a.png)\x0b\u2028\ty ") == "x ![](a.png) y"


def test_a_refusal_says_what_was_asked_what_is_shown_and_what_is_allowed():
    assert link_notes.refusal("heads", "99", shown="64", allowed="1 to 64") == (
        "The link asks for `heads=99`, which is not allowed. Shown instead: 64. Allowed: 1 to 64."
    )


@pytest.mark.usefixtures("session")
def test_a_note_stands_as_long_as_its_value():
    assert link_notes.kept("heads", 64) == ""
    link_notes.keep("heads", 64, "note")
    assert link_notes.kept("heads", 64) == "note"
    assert link_notes.kept("heads", 32) == ""
    link_notes.forget("heads")
    assert link_notes.kept("heads", 64) == ""
