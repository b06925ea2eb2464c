import pytest

from alibi_viz.ui.link import settle as links
from alibi_viz.ui.link.heads import cell_of, linked_cell


class Link(dict):
    def get_all(self, name):
        texts = self.get(name, [])
        return [texts] if isinstance(texts, str) else texts


@pytest.fixture
def link(monkeypatch):
    """The parameters of a visitor's link."""
    parameters = Link()
    monkeypatch.setattr(links.st, "session_state", {})
    monkeypatch.setattr(links.st, "query_params", parameters)
    monkeypatch.setattr(links.st, "warning", lambda note: None)
    return parameters


@pytest.mark.parametrize("asked", ["--1.2", "-.2", "1-.2", ".2", "123456789012.2", "٣.٢", "²5.2"])
def test_what_is_no_whole_number_gives_the_default(asked, link):
    link["cell"] = asked
    assert linked_cell(cell_of("cell", 11, at=(0.8, 0.5))) == (8, 5)
    assert "cell" not in link


@pytest.mark.parametrize(
    ("asked", "shown"), [("7.3", (7, 3)), ("-7.3", (0, 0)), ("99.12", (10, 10))]
)
def test_whole_numbers_are_moved_into_the_map(asked, shown, link):
    link["cell"] = asked
    assert linked_cell(cell_of("cell", 11, at=(0.8, 0.5))) == shown
