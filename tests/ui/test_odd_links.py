"""Odd texts in every parameter of every page: no error, an allowed value, a note where due."""

import random
import re

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.paths import PROJECT
from alibi_viz.ui.frame.navigation import PAGES
from alibi_viz.ui.link import settle
from alibi_viz.ui.link.parameter import Control, Numbers, Several, Words
from alibi_viz.ui.link.parameters import LARGE, PRESENTED, page_parameters, shown_controls

ODD = (
    "", " ", "0", "-1", "+3", "1e400", "-inf", "nan", "0x10", "1_0", "٣", "²", "7.", ".7", "1,5",
    "7.3", "99.12", "-7.-3", "1.2.3", "1..2", "123456789012.2", "None", "true", "all", ",", ".",
    "a" * 5000, "`;\n\n![](x)", "<script>", "\u202e8", "\x00", "%00", "’", "ALIBI", "t5,x",
    "t5,rope", "~", "~g55", "~G55", "0" * 17, "[(](", "😀", "null", "-0.0", "00008", "8 ", "\t8",
)  # fmt: skip
PARAMETERS = [
    pytest.param(page.name, parameter, id=f"{page.name}-{parameter.key}")
    for page in PAGES
    for parameter in (*page_parameters(page.name).by_key().values(), shown_controls(page.name))
] + [pytest.param("", LARGE, id="large"), pytest.param("", PRESENTED, id="present")]


def texts_for(parameter, rng):
    """Odd texts, and allowed ones with a character changed, doubled, left out or put in front."""
    spelled = [parameter.spelled(parameter.default), [parameter.short(parameter.default)]]
    if isinstance(parameter, Control):
        spelled += [parameter.spelled(option) for option in rng.choices(parameter.options, k=6)]
    for texts in spelled:
        yield texts
        for text in texts:
            at = rng.randrange(len(text) + 1)
            odd = rng.choice(["x", ".", ",", "-", "9", " ", "é", text])
            for other in (text.upper(), text[:at] + odd + text[at:], text[:at] + text[at + 1 :]):
                yield [other]
                yield [rng.choice(ODD), other]
    for text in ODD:
        yield [text]
        yield [text, *rng.choice(spelled)]


def is_allowed(parameter, texts):
    """Whether a link may say that, worked out apart from what the app does with it."""
    *_, last = texts
    if isinstance(parameter, Several):
        known = {name.lower() for name in (*parameter.options, *parameter.aliases)}
        parts = [part for text in texts for part in names_in(text, known)]
        return set(parts) <= known and (bool(parts) or (parameter.may_be_empty and not any(texts)))
    if isinstance(parameter, Numbers):
        numbers = [int(part) for part in last.split(".") if re.fullmatch("-?[0-9]{1,9}", part)]
        falls = not parameter.is_falling or numbers == sorted(numbers, reverse=True)
        bounds = zip(numbers, parameter.highest, strict=False)
        within = all(parameter.lowest <= number <= highest for number, highest in bounds)
        return len(last.split(".")) == len(numbers) == len(parameter.labels) and within and falls
    if isinstance(parameter, Words):
        fits = re.fullmatch(parameter.pattern, last, re.DOTALL)
        return len(last) <= parameter.longest and fits is not None
    names = {str(option).lower() for option in (*parameter.options, *parameter.aliases)}
    return last.lower() in names or is_number_in(last, parameter.options)


def names_in(text, known):
    parts = [part.strip().lower() for part in re.split("[,.]", text) if part.strip()]
    return [text.lower()] if text.lower() in known else parts


def is_number_in(text, options):
    try:
        return float(text) in [option for option in options if not isinstance(option, str)]
    except ValueError:
        return False


def is_allowed_value(parameter, value):
    if isinstance(parameter, Control):
        return value in parameter.options
    return is_allowed(parameter, parameter.spelled(value))


class Link(dict):
    def get_all(self, name):
        return self.get(name, [])


@pytest.fixture
def visit(monkeypatch):
    """Opens a link in a session of its own, and returns what the session and the link become."""
    monkeypatch.setattr(settle.st, "rerun", lambda: None)
    monkeypatch.setattr(settle.st, "warning", lambda note: None)

    def open_link(parameter, texts, keep):
        session, link = {}, Link({parameter.key: list(texts)})
        monkeypatch.setattr(settle.st, "session_state", session)
        monkeypatch.setattr(settle.st, "query_params", link)
        return keep(parameter), session, link

    return open_link


@pytest.mark.parametrize(("page", "parameter"), PARAMETERS)
@pytest.mark.parametrize("keep", [settle.linked, settle.settle_links])
def test_an_odd_text_becomes_an_allowed_value_with_a_note_where_it_was_not(
    page, parameter, keep, visit
):
    rng = random.Random(f"{page} {parameter.key}")
    for texts in texts_for(parameter, rng):
        value, session, link = visit(parameter, texts, keep)
        if value is None:
            value = parameter.nearest(*link[parameter.key])
        assert is_allowed_value(parameter, value), texts
        assert value == parameter.nearest(*link.get(parameter.key, [])), texts
        assert (f"_note_{parameter.key}" in session) == (not is_allowed(parameter, texts)), texts


@pytest.mark.parametrize("page", [page.name for page in PAGES])
def test_a_page_opens_by_a_link_that_is_odd_throughout(page):
    rng = random.Random(page)
    # The first page stands at the app's own address, and links to the others.
    script = "app.py" if page == PAGES[0].name else f"pages/{page}.py"
    app = AppTest.from_file(PROJECT / script, default_timeout=120)
    for key in page_parameters(page).by_key():
        # An unknown lesson leads to the list, where there is less to go wrong.
        app.query_params[key] = "penalty" if key == "lesson" else rng.choice(ODD[2:])
    app.run()
    assert not app.exception
    assert app.warning
