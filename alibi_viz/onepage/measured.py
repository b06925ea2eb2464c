"""What was measured, as the page draws it: means and ranges over seeds, and what to see in them."""

from typing import Any

from alibi_viz.charts.measured.curves import MEASURES, measure_title
from alibi_viz.charts.measured.perplexity import PROTOCOL_NAMES, PerplexityChart, PositionChart
from alibi_viz.charts.measured.published import PublishedChart
from alibi_viz.charts.measured.read import own_records
from alibi_viz.figures.measured.extrapolation import MethodCurve
from alibi_viz.figures.theme import method_style
from alibi_viz.onepage.controls import knob
from alibi_viz.onepage.markup import short_inline
from alibi_viz.positions import METHODS


def methods_data() -> dict[str, Any]:
    """Returns what each method is called, and how it looks everywhere."""
    return {
        key: {
            "label": method.label,
            "light": method_style(key).light,
            "dark": method_style(key).dark,
            "symbol": method_style(key).symbol,
            "dash": method_style(key).dash,
            "width": method_style(key).width,
        }
        for key, method in METHODS.items()
    }


def measured_data() -> dict[str, Any]:
    """Returns our curves and the paper's, for every choice that the page offers."""
    lengths = sorted({record.train_length for record in own_records()})
    ours = [
        PerplexityChart(train_length=length, protocol=protocol, measure=measure)
        for length in lengths
        for protocol in PROTOCOL_NAMES
        for measure in MEASURES
    ]
    # The ratio of a single number follows in the browser.
    papers = [
        PublishedChart(choice, protocol=protocol)
        for choice in knob("paper").options
        for protocol in PROTOCOL_NAMES
    ]
    return {
        "lengths": lengths,
        "ours": [
            curves_data(chart)
            # The same whatever is measured.
            | (
                {"says": [*map(short_inline, chart.findings())]}
                if chart.measure == MEASURES[0]
                else {}
            )
            for chart in ours
            if chart.curves
        ],
        "papers": [
            curves_data(chart) | {"choice": chart.choice} for chart in papers if chart.papers
        ],
        "positions": [
            {
                "trained": chart.train_length,
                "axis": "perplexity per token",
                "curves": [_curve(curve) for curve in chart.curves],
                "says": [short_inline(chart.sentence())],
            }
            for chart in map(_by_position, lengths)
            if chart.curves
        ],
    }


def _by_position(train_length: int) -> PositionChart:
    return PositionChart(train_length=train_length)


def curves_data(chart: PerplexityChart | PublishedChart) -> dict[str, Any]:
    """Returns a chart's curves, its axis, and where its numbers come from."""
    is_ours = isinstance(chart, PerplexityChart)
    windows = PROTOCOL_NAMES[chart.protocol]
    return {
        "trained": chart.train_length,
        "protocol": windows,
        "measure": chart.measure,
        "axis": measure_title(chart.measure, published=not is_ours),
        "caption": f"Models trained for this app: {chart.words}."
        if isinstance(chart, PerplexityChart)
        else chart.caption(),
        "curves": [_curve(curve) for curve in chart.curves],
    }


def _curve(curve: MethodCurve) -> dict[str, Any]:
    """Returns the points of a curve: length and mean, and of several seeds range and number."""
    columns = (curve.lengths, curve.mean, curve.low, curve.high, curve.n_seed)
    points = [
        [int(length), *map(_digits, (mean, low, high) if seeds > 1 else (mean,))]
        + ([int(seeds)] if seeds > 1 else [])
        for length, mean, low, high, seeds in zip(*columns, strict=True)
    ]
    return {"method": curve.method, "points": points, "ends": curve.ends}


def _digits(value: float) -> float:
    """Returns a value with the digits that it is worth."""
    return float(f"{value:.5g}")
