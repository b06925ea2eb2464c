import pytest

from alibi_viz.ui.frame import wishes
from alibi_viz.ui.link import settle
from alibi_viz.ui.link.heads import HEADS
from alibi_viz.ui.link.parameter import Control, Several, choice, quoted
from alibi_viz.ui.link.settle import bound_control, settle_links, show_notes
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
        texts = self.get(name, [])
        return [texts] if isinstance(texts, str) else texts


@pytest.fixture
def visit(monkeypatch):
    """Opens a page by a link, in one session throughout."""
    session = {}
    monkeypatch.setattr(settle.st, "session_state", session)
    monkeypatch.setattr(settle.st, "rerun", lambda: None)

    def open_page(page, **parameters):
        session["_page"] = page
        link = Link(parameters)
        monkeypatch.setattr(settle.st, "query_params", link)
        return session, link

    return open_page


@pytest.fixture
def notes(monkeypatch):
    """What is said of a bad link."""
    said = []
    monkeypatch.setattr(settle.st, "warning", said.append)
    return said


@pytest.mark.parametrize(("asked", "value"), [({"width": "5"}, 5), ({}, 3)])
def test_a_hidden_control_keeps_the_links_value_through_a_visit_elsewhere(asked, value, visit):
    session, _ = visit("decay", **asked)
    session["_show_decay"] = ("colour",)
    assert bound_control(WIDTH, None) == value
    visit("start")
    # What the control, visible there, is left at.
    session["_kept_width"] = ("start", 7.5)
    session["width"] = 7.5
    _, link = visit("decay")
    assert bound_control(WIDTH, None) == value
    assert link == {name: [text] for name, text in asked.items()}


def test_a_hidden_value_is_dropped_with_the_wish_to_hide(visit):
    session, _ = visit("decay", heads="5")
    session["_show_decay"] = ("colour",)
    assert bound_control(HEADS, None) == 5
    wishes._show_all()
    visit("decay")
    session["_show_decay"] = ("colour",)
    assert bound_control(HEADS, None) == HEADS.default


def test_a_note_names_what_is_asked_shown_and_allowed_as_long_as_that_is_shown(visit, notes):
    session, link = visit("explore", width="9", colour="pink")
    settle_links(WIDTH, COLOUR)
    assert link == {"width": ["7.5"], "colour": ["red"]}
    session |= {"width": 7.5, "colour": "red"}
    show_notes(WIDTH, COLOUR)
    assert notes == [
        "The link asks for `width=9`, which is not allowed. Shown instead: 7.5. "
        "Allowed: 2, 3, 5, 7.5.  \n"
        "The link asks for `colour=pink`, which is not allowed. Shown instead: red. "
        "Allowed: red, green."
    ]
    session["width"] = 5
    show_notes(WIDTH)
    assert len(notes) == 1


def test_several_names_are_read_in_every_spelling(visit):
    methods = Several("methods", "methods", ("T5 bias", "RoPE"), aliases={"t5": "T5 bias"})
    spellings = (["T5 bias", "RoPE"], ["rope,t5"], ["T5", "ROPE"], ["rope.t5 bias"])
    assert {methods.nearest(*texts) for texts in spellings} == {methods.options}
    assert all(methods.means(methods.options, *texts) for texts in spellings)
    assert methods.nearest("t5,x") == ("T5 bias",)
    assert not methods.means(("T5 bias",), "t5,x")
    assert methods.short(("T5 bias", "RoPE")) == "t5,RoPE"


def test_a_quote_is_short_and_cannot_end_its_backticks():
    assert quoted("a`b\nc") == "ab c"
    assert quoted("x" * 41) == "x" * 40


def test_a_quote_has_no_blank_line_that_would_let_markdown_through():
    assert quoted("x\r\n \n\n![](a.png)\x0b\u2028\ty ") == "x ![](a.png) y"
