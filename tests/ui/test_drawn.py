import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
import plotly.io
import pytest

from alibi_viz.charts.base import Chart, Look, kept_by_value
from alibi_viz.charts.biases import SlopeLadderChart
from alibi_viz.charts.measured.perplexity import PerplexityChart
from alibi_viz.charts.trained.measures import DistancesChart
from alibi_viz.evaluation.records import CostRecord
from alibi_viz.ui.extrapolation.costs import paper_table
from alibi_viz.ui.show.drawn import drawn, ready_table

DRAWN = Counter()


@dataclass(frozen=True)
class CountedChart(Chart):
    """A point, and how often it was drawn."""

    height: float = 1.0
    reads = (CostRecord,)
    name = "counted"
    title = "A point"

    def draw(self, dark):
        DRAWN[self.height] += 1
        return go.Figure(go.Scatter(x=[0.0], y=[self.height]))

    def alt(self):
        return f"A point at {self.height}."

    @kept_by_value
    def sentence(self):
        DRAWN["said"] += 1
        return "it is high."

    def state(self):
        return {}


@pytest.fixture(autouse=True)
def records(tmp_path, monkeypatch):
    DRAWN.clear()
    path = tmp_path / "cost.json"
    path.write_text("{}")
    monkeypatch.setattr(CostRecord, "file", path)
    return path


def sent(drawing):
    """The specification as browsers get it."""
    return json.loads(plotly.io.to_json(drawing.figure, validate=False))


@pytest.mark.parametrize("look", [Look(), Look(dark=True), Look(type_scale=1.4)], ids=str)
@pytest.mark.parametrize(
    "chart", [SlopeLadderChart(heads=3, head=2), PerplexityChart(("alibi", "t5"))], ids=repr
)
def test_browsers_get_the_figure_itself(chart, look):
    assert sent(drawn(chart, look)) == json.loads(chart.figure(look).to_json())
    assert drawn(chart, look).alt == chart.alt()
    assert sent(drawn(chart, look, 612))["layout"]["height"] == 612


def test_equal_charts_are_drawn_once_and_others_are_not_mixed_up(records):
    assert [drawn(CountedChart(), Look()).alt for _ in range(3)] == ["A point at 1.0."] * 3
    assert sent(drawn(CountedChart(2.0), Look()))["data"][0]["y"] == [2.0]
    drawn(CountedChart(), Look(dark=True)).figure.to_dict()
    assert DRAWN == {1.0: 2, 2.0: 1}


def test_a_chart_is_drawn_again_when_its_records_change(records):
    for _ in range(2):
        drawn(CountedChart(), Look()).figure.to_dict()
        CountedChart().sentence()
    records.write_text('{"schema": 1}')
    assert CountedChart().drawn_from()[0][0] == str(records)
    drawn(CountedChart(), Look()).figure.to_dict()
    CountedChart().sentence()
    assert DRAWN == {1.0: 2, "said": 2}


def test_a_crowd_that_asks_at_once_waits_for_one_drawing():
    with ThreadPoolExecutor(8) as crowd:
        told = list(crowd.map(lambda _: drawn(CountedChart(3.0), Look()).alt, range(40)))
    assert told == ["A point at 3.0."] * 40
    assert DRAWN == {3.0: 1}


def test_nobody_changes_another_visitors_figure():
    first = drawn(CountedChart(), Look()).figure.to_dict()
    first["data"][0]["y"][0] = first["layout"]["title"] = "spoiled"
    assert sent(drawn(CountedChart(), Look()))["data"][0]["y"] == [1.0]
    assert "title" not in sent(drawn(CountedChart(), Look()))["layout"]


def test_what_a_model_has_done_is_not_kept():
    assert drawn(DistancesChart(), Look()) is not drawn(DistancesChart(), Look())


def test_a_ready_table_has_the_numbers_and_cannot_be_changed():
    table = ready_table(paper_table)
    assert table is ready_table(paper_table)
    pd.testing.assert_frame_equal(table.to_pandas(), paper_table())
