"""Every kind of chart in several states, for what has to hold of all of them."""

from alibi_viz.charts.biases import AllHeadsChart, HeadMapChart, QueryRowChart, SlopeLadderChart
from alibi_viz.charts.decay import DecayChart, WindowsChart

STATES = [
    AllHeadsChart(),
    AllHeadsChart(heads=12, length=9, rule="interleaved", colour="weight", scale="per head"),
    HeadMapChart(),
    HeadMapChart(heads=1, length=16384, head=1, colour="bias", cell=(0, 0)),
    QueryRowChart(),
    QueryRowChart(heads=12, exponent=4.5, length=17, rule="interleaved", query=11, key=5),
    SlopeLadderChart(),
    SlopeLadderChart(heads=12, rule="interleaved", head=9),
    DecayChart(),
    DecayChart(heads=12, rule="interleaved", query=255, content=2.0, log_distance=False),
    DecayChart(heads=1, length=2, head=1, query=0, log_weight=False),
    WindowsChart(),
    WindowsChart(heads=64, length=4096, query=4095, content=0.5, head=64),
]
