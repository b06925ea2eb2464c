"""The small figure of what an exponent means for a trained model, beside those of slopes."""

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.evaluation import comparisons
from alibi_viz.evaluation.records import Record
from alibi_viz.paths import PROJECT
from tests.made_up_records import made_up, made_up_stretch
from tests.pages.measured import write_results

AXIS = "exponent: the flattest slope is 2 to minus this"


def measured(variant, perplexity):
    name = f"alibi-{variant}-L128-s0" if variant else "alibi-L128-s0"
    about = {"variant": variant, "checkpoint": f"assets/checkpoints/{name}"}
    return [made_up("alibi", length, perplexity, **about) for length in (128, 512, 2048)]


def shown(app, page):
    assert not app.run().exception
    return [chart.proto for chart in app.get("plotly_chart") if AXIS in chart.proto.spec]


@pytest.mark.parametrize("page", ["explore", "decay"])
def test_the_present_exponent_is_marked_once_two_are_measured(page, tmp_path, monkeypatch):
    monkeypatch.setattr(comparisons, "named_stretch", made_up_stretch)
    app = AppTest.from_file(PROJECT / "app.py", default_timeout=120)
    app.query_params["exponent"] = "16"
    app.run()
    app.switch_page(f"pages/{page}.py")
    monkeypatch.setattr(Record, "file", write_results(tmp_path / "one.json", measured("", 13.0)))
    assert shown(app, page) == []
    both = [*measured("", 13.0), *measured("e16", 12.0)]
    monkeypatch.setattr(Record, "file", write_results(tmp_path / "two.json", both))
    # Closed at first: a page of canvases brings plotly's script for nobody who has not asked.
    assert shown(app, page) == []
    app.session_state["trained_exponent_open"] = True
    (chart,) = shown(app, page)
    assert "now 16" in chart.spec
    assert "lowest with windows of 128 tokens at exponent 16" in chart.alt
    said = " ".join(text.value for text in app.markdown)
    assert "exponent 16 is ahead of exponent 8: −7.7 % perplexity" in said.replace("-7", "−7")
