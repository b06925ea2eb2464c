import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.charts.retrieval.task_map import TaskMapChart
from alibi_viz.claims import CLAIMS
from alibi_viz.claims.claim import TOPICS, VERDICTS
from alibi_viz.paths import PROJECT
from alibi_viz.published.references import STYLES
from alibi_viz.ui.claims.answers import recommendations
from alibi_viz.ui.frame.navigation import PAGES, address
from alibi_viz.ui.link.parameters import page_parameters

PAGE_NAMES = {page.name for page in PAGES}


def page(**query):
    app = AppTest.from_file(PROJECT / "app.py", default_timeout=30).run()
    for name, value in query.items():
        app.query_params[name] = value
    return app.switch_page(str(PROJECT / "pages" / "claims.py")).run()


def choice(app, key):
    return next(group for group in app.button_group if group.key == key)


def shown_claims(app):
    return [line.label for line in app.expander if "-badge[" in line.label]


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


def test_a_claim_is_one_line_and_unfolds_where_it_is_asked_for(whole_page):
    lines = [line for line in whole_page.expander if "-badge[" in line.label]
    assert not any(line.proto.expanded for line in lines)
    assert all("\n" not in line.label for line in lines)
    for claim in CLAIMS:
        assert f"({address('claims', {'search': claim.key})})" in " ".join(
            text.value for text in whole_page.markdown
        )
    app = page(search="near-nineteen")
    (line,) = [line for line in app.expander if "-badge[" in line.label]
    assert line.proto.expanded


def test_who_wins_where_is_a_map_with_its_evidence():
    app = page(section="where each wins")
    assert not app.exception
    texts = " ".join(text.value for text in app.markdown)
    for (task, length), first in TaskMapChart("methods").leaders.items():
        assert f"**{task}**" in texts
        assert f"{length:,}" in texts
        assert first[0].label in texts
    assert "KERPLE 21.4, ALiBi 22.5, T5 bias 31.4, RoPE 269" in texts
    assert "(https://arxiv.org/abs/2205.09921)" in texts


def test_every_recommendation_has_evidence_that_exists():
    app = page(section="which one to use")
    assert not app.exception
    given = recommendations(TaskMapChart("methods"), TaskMapChart("stretched"))
    texts = " ".join(text.value for text in app.markdown)
    keys = {claim.key for claim in CLAIMS}
    for one in given:
        assert one.situation in texts
        assert one.evidence
        for link in one.evidence:
            target = link.rpartition("](")[2].rstrip(")")
            assert target.startswith("https://") or target.partition("?")[0] in PAGE_NAMES
            if "search=" in target:
                assert target.partition("search=")[2] in keys


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
