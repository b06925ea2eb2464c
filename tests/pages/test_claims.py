import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.claims import CLAIMS
from alibi_viz.claims.claim import TOPICS, VERDICTS
from alibi_viz.paths import PROJECT
from alibi_viz.published.references import STYLES
from alibi_viz.ui.frame.navigation import PAGES, address
from alibi_viz.ui.link.parameters import page_parameters


def page(**query):
    app = AppTest.from_file(PROJECT / "app.py", default_timeout=30).run()
    for name, value in query.items():
        app.query_params[name] = value
    return app.switch_page(str(PROJECT / "pages" / "claims.py")).run()


def choice(app, key):
    return next(group for group in app.button_group if group.key == key)


def shown_claims(app):
    return [text.value for text in app.markdown if "-badge[" in text.value]


@pytest.fixture(scope="module")
def whole_page():
    return page()


def test_every_claim_stands_on_the_page_with_its_verdict(whole_page):
    assert not whole_page.exception
    assert [title.value for title in whole_page.title] == ["Claims & sources"]
    assert len(shown_claims(whole_page)) == len(CLAIMS)
    tally = next(text.value for text in whole_page.markdown if "claims**" in text.value)
    for verdict in VERDICTS:
        assert f"{sum(claim.verdict == verdict for claim in CLAIMS)} {verdict}" in tally


def test_claims_link_to_sources_and_to_views(whole_page):
    texts = " ".join(text.value for text in whole_page.markdown)
    assert "(https://arxiv.org/abs/2108.12409)" in texts
    assert f"({address('explore', {'heads': 12, 'rule': 'interleaved'})})" in texts


@pytest.mark.parametrize("verdict", VERDICTS)
def test_each_verdict_filters(verdict):
    app = page(verdict=verdict)
    assert not app.exception
    expected = sum(claim.verdict == verdict for claim in CLAIMS)
    assert len(shown_claims(app)) == expected
    assert all(f" {verdict}]" in text for text in shown_claims(app))


@pytest.mark.parametrize("topic", [TOPICS[0], TOPICS[-1]])
def test_each_topic_filters(topic):
    app = page(topic=topic)
    assert not app.exception
    assert len(shown_claims(app)) == sum(claim.topic == topic for claim in CLAIMS)


def test_search_looks_for_all_words_in_any_order(whole_page):
    app = page()
    app.text_input(key="search").set_value("bloom ABLATIONS").run()
    assert not app.exception
    [found] = shown_claims(app)
    assert "reproduce ALiBi independently" in found
    app.text_input(key="search").set_value("no such words $x$ \\frac *").run()
    assert not app.exception
    assert shown_claims(app) == []
    assert "No claim has all of these words" in app.info[0].value


def test_a_verdict_that_does_not_exist_is_named_and_all_are_shown():
    app = page(verdict="perhaps")
    assert not app.exception
    assert len(shown_claims(app)) == len(CLAIMS)
    assert "verdict=perhaps" in app.warning[0].value


@pytest.mark.parametrize("style", STYLES)
def test_references_are_there_to_copy_in_every_style(style):
    app = page(section="references", style=style)
    assert not app.exception
    assert "press2022alibi" in app.code[0].value
    assert len(app.dataframe[0].value) >= 15


def test_the_app_says_how_to_cite_it():
    app = page(section="cite")
    assert not app.exception
    assert "alibiviz2026" in app.code[0].value
    assert app.code[1].value.startswith("cff-version:")


VIEWS = sorted({(claim.view.page, tuple(claim.view.state.items())) for claim in CLAIMS})


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_every_view_that_a_claim_links_to_opens_in_its_state(view):
    name, state = view
    if name not in {entry.name for entry in PAGES}:
        pytest.skip(f"no page {name} yet: the claim shows no link")
    # The page's own file: the state of the link must be the first thing that the session sees.
    app = AppTest.from_file(PROJECT / "pages" / f"{name}.py", default_timeout=60)
    for key, value in state:
        app.query_params[key] = str(value)
    app.run()
    assert not app.exception
    assert not app.warning
    for key, value in state:
        meant = page_parameters(name).by_key()[key].nearest(str(value))
        # A choice of several holds a list.
        assert app.session_state[key] in (meant, list(meant) if isinstance(meant, tuple) else meant)
