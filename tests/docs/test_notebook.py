"""What the documents say can be run is run."""

import re

import plotly.graph_objects as go
import pytest

from alibi_viz.paths import PROJECT

NOTEBOOK = PROJECT / "docs" / "notebook.md"


def blocks(path):
    return re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The names that the notebook defines, the figures it shows, and the folder it writes to."""
    shown, names, folder = [], {"__name__": "__main__"}, tmp_path_factory.mktemp("notebook")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(go.Figure, "show", lambda figure: shown.append(figure))
        for block in blocks(NOTEBOOK):
            exec(compile(block, str(NOTEBOOK), "exec"), names)
    return names, shown, folder


def test_every_block_of_the_notebook_runs_and_shows_its_figures(ran):
    names, shown, _ = ran
    asked = sum(block.count(".show()") for block in blocks(NOTEBOOK))
    assert len(shown) == asked >= 9
    assert all(len(figure.data) for figure in shown)
    assert names["slopes"].tolist() == [2.0**-h for h in range(1, 9)]
    assert names["ours"]
    assert names["theirs"]


def test_the_notebook_keeps_a_figure_that_works_without_a_network_and_its_numbers(ran):
    _, _, folder = ran
    page = (folder / "decay.html").read_text(encoding="utf-8")
    assert "Attention weight by distance" in page
    assert 'src="http' not in page
    assert (folder / "decay.csv").read_text(encoding="utf-8").count("\n") > 1000
