"""No link of the app says what its page does not understand."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest

from alibi_viz.claims import CLAIMS
from alibi_viz.lessons.course import find_lesson, lessons
from alibi_viz.paths import PROJECT
from alibi_viz.ui.frame.navigation import PAGES
from alibi_viz.ui.lessons.to_pages import page_promise, page_state
from alibi_viz.ui.link.parameters import complaints, page_parameters

# What a view says of the place that is chosen within its figure.
CHOSEN = {"trained": {"pair": (9, 2)}, "biases": {"cell": (5, 0)}}
STATES = [
    (lesson, {**lesson.view.state, **more, **CHOSEN.get(lesson.view.name, {})})
    for lesson in lessons()
    for more in ({}, lesson.action.solution)
]


@pytest.mark.parametrize(("lesson", "state"), STATES, ids=lambda part: getattr(part, "slug", ""))
def test_a_lessons_link_says_only_what_its_page_understands(lesson, state):
    assert complaints(lesson.view.page, page_state(lesson.view.name, state)) == []


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.key)
def test_a_claims_link_says_only_what_its_page_understands(claim):
    assert complaints(claim.view.page, claim.view.state) == []


def test_the_readmes_links_say_only_what_their_pages_understand():
    # The pages' own files link by `address`, whose states the pages' tests open.
    found = re.findall(r"`/?([a-z_]+\?[^`\s]+)`", (PROJECT / "README.md").read_text("utf-8"))
    for link in found:
        parts = urlsplit(link)
        assert complaints(parts.path, dict(parse_qsl(parts.query))) == [], link


def test_another_name_or_value_is_complained_about():
    [name] = complaints("methods", {"position": "alibi"})
    assert name.startswith("the page methods has no parameter 'position'; it has part, method,")
    assert complaints("methods", {"window": 8192}) == ["the page methods does not take window=8192"]
    assert complaints("explore", {"heads": 65, "head": "65", "cell": "4"}) == [
        "the page explore does not take heads=65",
        "the page explore does not take head=65",
        "the page explore does not take cell=4",
    ]
    assert complaints("extrapolation", {"methods": "alibi,rotary"}) != []
    assert complaints("extrapolation", {"methods": "alibi,T5 bias", "L": 128}) == []


def test_a_link_to_the_clipped_phases_says_how_far_it_goes():
    lesson = find_lesson("adding")
    promise = page_promise(lesson, {**lesson.view.state, "trained": 8192})
    assert promise.startswith("What is new to Sinusoidal past 256 tokens")


@pytest.mark.parametrize("page", [page.name for page in PAGES])
def test_names_are_unique_and_defaults_allowed(page):
    known = page_parameters(page)
    for part in known.part.options if known.part else [None]:
        parameters = known.of(part)
        assert len({parameter.key for parameter in parameters}) == len(parameters)
        assert known.part is None or parameters[0] == known.part
    for parameter in known.by_key().values():
        spelled = parameter.spelled(parameter.default)
        assert parameter.nearest(*spelled) == parameter.default
        assert parameter.nearest(parameter.short(parameter.default)) == parameter.default
        assert parameter.means(parameter.default, *spelled)
