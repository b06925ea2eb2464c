import pytest

from alibi_viz.ui import link_notes
from alibi_viz.ui.control import Control, choice
from alibi_viz.ui.controls import settle_links
from alibi_viz.ui.methods.controls import method_choice

WIDTH = Control("width", "width", (2, 3, 5, 7.5), 3)
COLOUR = choice("colour", "colour", ("red", "green"))


@pytest.mark.parametrize(
    ("text", "value"),
    [("5", 5), ("4.2", 5), ("-inf", 2), ("1e9", 7.5), ("nan", 3), ("wide", 3), ("", 3)],
)
def test_a_link_gets_the_nearest_allowed_number(text, value):
    assert WIDTH.nearest(text) == value


def test_a_choice_stands_at_its_first_name_unless_it_says_otherwise():
    assert COLOUR.default == "red"
    assert choice("colour", "colour", ("red", "green"), "green").default == "green"
    assert [COLOUR.nearest(text) for text in ("green", "blue")] == ["green", "red"]


def test_a_method_is_linked_by_label_or_key_if_it_can_be_chosen():
    control = method_choice("method", "method", "nope", methods=("nope", "rope"))
    assert control.options == ("NoPE", "RoPE")
    assert [control.nearest(text) for text in ("rope", "RoPE", "alibi")] == ["RoPE", "RoPE", "NoPE"]


def test_a_note_names_the_options_where_a_control_says_nothing_of_them(monkeypatch):
    class Link(dict):
        def get_all(self, name):
            return [self[name]] if name in self else []

    streamlit = link_notes.st
    monkeypatch.setattr(streamlit, "session_state", {"_under_app": True})
    monkeypatch.setattr(streamlit, "query_params", Link(width="9"))
    monkeypatch.setattr(streamlit, "rerun", lambda: None)
    settle_links(WIDTH)
    assert link_notes.kept("width", 7.5) == (
        "The link asks for `width=9`, which is not allowed. Shown instead: 7.5. "
        "Allowed: 2, 3, 5, 7.5."
    )
