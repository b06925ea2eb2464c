"""What has to hold of every chart."""

import importlib
import inspect
import io
import json
import pkgutil
from pathlib import Path

import pandas as pd
import pytest

import alibi_viz.charts
from alibi_viz.charts.base import Chart, Look
from alibi_viz.charts.methods.pipeline import PipelineChart, WorkedExampleChart
from alibi_viz.paths import RESULTS
from tests.charts.states import STATES
from tests.same_figure import axis_titles, drawn_by, expect_same

# A diagram, and matrices whose rows and columns have their own names.
WITHOUT_AXES = (PipelineChart, WorkedExampleChart)


def kinds():
    """Every class of charts in the package."""
    for module in pkgutil.walk_packages(alibi_viz.charts.__path__, "alibi_viz.charts."):
        found = importlib.import_module(module.name)
        for kind in vars(found).values():
            if inspect.isclass(kind) and issubclass(kind, Chart) and not inspect.isabstract(kind):
                yield kind


def name_of(chart):
    alike = [one for one in STATES if type(one) is type(chart)]
    return f"{type(chart).__name__}-{alike.index(chart)}"


all_states = pytest.mark.parametrize("chart", STATES, ids=name_of)


def test_every_kind_of_chart_is_tried_in_two_states_at_least():
    tried = [type(chart) for chart in STATES]
    assert {kind for kind in kinds() if tried.count(kind) < 2} == set()


def test_no_two_kinds_share_a_name():
    names = [kind.name for kind in set(kinds()) if isinstance(kind.name, str)]
    assert len(names) == len(set(names))


@all_states
def test_the_repr_is_the_program(chart):
    scope = {}
    exec("\n".join(chart.program().splitlines()[: chart.program().splitlines().index("")]), scope)
    assert eval(repr(chart), scope) == chart


@all_states
def test_the_program_draws_the_figure(chart, monkeypatch):
    assert chart.program().rstrip().endswith(".show()")
    expect_same(drawn_by(chart.program(), monkeypatch), chart.figure())


@all_states
def test_a_chart_names_the_files_that_it_reads(chart, monkeypatch):
    """Else pages would go on showing what was drawn before they changed."""
    asked, stat = set(), Path.stat

    def heard(path, **how):
        if path.suffix == ".json" and path.is_relative_to(RESULTS):
            asked.add(str(path))
        return stat(path, **how)

    monkeypatch.setattr(Path, "stat", heard)
    chart.figure(), chart.alt()
    source = chart.drawn_from()
    assert source is None or all(file in str(source) for file in asked)
    hash((chart, source))


@all_states
def test_words_table_and_state_are_there(chart):
    assert len(chart.title) > 10
    assert len(chart.alt()) > 10
    assert len(chart.sentence()) > 10
    assert chart.state()
    assert all(isinstance(text, str) for text in chart.state().values())
    assert json.loads(json.dumps(chart.state())) == chart.state()
    table = chart.table()
    assert isinstance(table, pd.DataFrame)
    assert len(table)


@all_states
def test_nobody_changes_another_visitors_table(chart):
    before, changed = chart.csv(), chart.table()
    changed.loc[:, changed.columns[0]] = changed.iloc[-1, 0]
    assert chart.csv() == before


@all_states
def test_axes_have_names_and_both_themes_and_print_draw_the_same(chart):
    light, dark = chart.figure(), chart.figure(Look(dark=True))
    assert axis_titles(light) or isinstance(chart, WITHOUT_AXES)
    expect_same(light, dark)
    printed = chart.print_figure()
    assert chart.title.split()[0] in printed.layout.title.text
    assert axis_titles(printed) == axis_titles(light)


@all_states
def test_large_type_is_larger(chart):
    usual, large = chart.figure(), chart.figure(Look(type_scale=1.4))
    size = usual.layout.template.layout.font.size
    assert large.layout.template.layout.font.size == pytest.approx(1.4 * size)


@all_states
def test_the_files_have_the_state_and_the_numbers(chart):
    read = pd.read_csv(io.BytesIO(chart.csv()))
    assert list(read.columns) == list(chart.table().columns)
    assert len(read) == len(chart.table())
    assert next(iter(chart.state().values())).encode() in chart.html()
