import pytest

from alibi_viz.ui.frame import presentation
from alibi_viz.ui.link import notes as link_notes
from alibi_viz.ui.link.control import Control, choice
from alibi_viz.ui.link.controls import bound_control, settle_links
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


class Link(dict):
    def get_all(self, name):
        return [self[name]] if name in self else []


@pytest.fixture
def visit(monkeypatch):
    """Opens a page by a link, in one session throughout."""
    session = {"_under_app": True}
    monkeypatch.setattr(link_notes.st, "session_state", session)
    monkeypatch.setattr(link_notes.st, "rerun", lambda: None)

    def open_page(page, **parameters):
        session["_page"] = page
        link = Link(parameters)
        monkeypatch.setattr(link_notes.st, "query_params", link)
        return session, link

    return open_page


@pytest.mark.parametrize(("asked", "value"), [({"width": "5"}, 5), ({}, 3)])
def test_a_hidden_control_keeps_the_links_value_through_a_visit_elsewhere(asked, value, visit):
    session, _ = visit("decay", **asked)
    session["_show"] = ("decay", frozenset({"colour"}))
    assert bound_control(WIDTH, None) == value
    visit("start")
    # What the control, visible there, is left at.
    session["_kept_width"] = ("start", 7.5)
    session["width"] = 7.5
    _, link = visit("decay")
    assert bound_control(WIDTH, None) == value
    assert link == asked


def test_a_hidden_value_is_dropped_with_the_wish_to_hide(visit):
    session, _ = visit("decay", width="5")
    session["_show"] = ("decay", frozenset({"colour"}))
    bound_control(WIDTH, None)
    presentation._show_all()
    assert presentation.hidden_values() == {}


def test_a_note_names_the_options_where_a_control_says_nothing_of_them(visit):
    visit("explore", width="9")
    settle_links(WIDTH)
    assert link_notes.kept("width", 7.5) == (
        "The link asks for `width=9`, which is not allowed. Shown instead: 7.5. "
        "Allowed: 2, 3, 5, 7.5."
    )
