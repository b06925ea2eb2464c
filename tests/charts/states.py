"""Every kind of chart in several states, for what has to hold of all of them."""

from alibi_viz.charts.answers import SketchesChart, VotesChart
from alibi_viz.charts.biases import AllHeadsChart, HeadMapChart, QueryRowChart, SlopeLadderChart
from alibi_viz.charts.decay import DecayChart, WindowsChart
from alibi_viz.charts.measured.differences import DifferenceChart
from alibi_viz.charts.measured.exponent import ExponentChart
from alibi_viz.charts.measured.here import MeasuredHereChart, MeasuredPoint
from alibi_viz.charts.measured.losses import LossesChart
from alibi_viz.charts.measured.perplexity import PerplexityChart, PositionChart
from alibi_viz.charts.measured.published import PublishedChart
from alibi_viz.charts.measured.stretched import StretchedChart
from alibi_viz.charts.measured.stretched_position import StretchedPositionChart
from alibi_viz.charts.methods.pipeline import STAGES, PipelineChart, WorkedExampleChart
from alibi_viz.charts.methods.precision import DistinctChart, MovedChart, RoundedWeightsChart
from alibi_viz.charts.methods.stretching import StretchingChart
from alibi_viz.charts.methods.variants import VARIANTS, VariantCurvesChart, VariantMatrixChart
from alibi_viz.charts.methods.views import EffectChart, LogitMapChart, NoveltyChart
from alibi_viz.charts.phases import PhasesChart
from alibi_viz.charts.retrieval.copying import CopyChart
from alibi_viz.charts.retrieval.middle import MiddleChart
from alibi_viz.charts.retrieval.needle import NeedleChart, NeedleKeysChart
from alibi_viz.charts.retrieval.own import OwnPoint, OwnRecall
from alibi_viz.charts.retrieval.recall import DepthChart, RecallChart
from alibi_viz.charts.retrieval.task_map import TaskMapChart
from alibi_viz.charts.trained.evidence import SlopeEvidenceChart, SlopeSpan
from alibi_viz.charts.trained.maps import AttentionMapChart, DifferenceMapChart, ModelHeadsChart
from alibi_viz.charts.trained.measures import DistancesChart, ModelWindowsChart, TextLossChart
from alibi_viz.charts.trained.run import HeadOfRun, Run
from alibi_viz.charts.training import TrainingChart
from alibi_viz.charts.words import WordsChart
from alibi_viz.inspection.text.what_if import Change

OWN = Run(sample="your own", text="def add(one, other):\n    return one + other\n")
ROPE = Run("rope-L128-s0", "one line")
HALVED = Run(change=Change(scale=0.5, off=frozenset({(None, 2), (1, 0)})))
PAIR = (HeadOfRun(name="first"), HeadOfRun(HALVED, 3, 1, "second"))

POINTS = (
    MeasuredPoint("rope-L64-s0", "rope", 0, 64, 64, 2.4, 1.3),
    MeasuredPoint("rope-L64-s0", "rope", 0, 64, 256, 3.4, 1.9),
    MeasuredPoint("own-4f1a-alibi", "alibi", 3, 128, 128, 2.3, 1.2),
)

ANSWERS = (
    ("1/8", "", True),
    ("1/4", "counts heads from 0", False),
    ("another number", "", False),
)

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
    SlopeEvidenceChart(),
    SlopeEvidenceChart("a model", None, (SlopeSpan(64, (0.0, 0.25), (0.0, 0.5)),)),
    SlopeEvidenceChart(
        "off in a long text",
        (0.25, 0.0625, 2**-6, 2**-8),
        (
            SlopeSpan(64, (0.25, 0.0625, -(2**-6), 2**-8), (0.25, 0.0625, -(2**-6), 2**-8)),
            SlopeSpan(1100, (0.0, 0.03125, 2**-6, 0.0), (0.25, 0.0625, 2**-6, 0.0)),
        ),
    ),
    AttentionMapChart(),
    AttentionMapChart(HeadOfRun(ROPE, 1, 5), "logit", 2),
    AttentionMapChart(HeadOfRun(OWN, 4, 8), "position"),
    DifferenceMapChart(),
    DifferenceMapChart(*PAIR, "content", "changed − unchanged"),
    ModelHeadsChart(),
    ModelHeadsChart(ROPE),
    DistancesChart(),
    DistancesChart((HeadOfRun(ROPE, 1, 5),)),
    DistancesChart(PAIR),
    ModelWindowsChart(),
    ModelWindowsChart(HeadOfRun(ROPE, 1, 5)),
    TextLossChart(),
    TextLossChart(Run(sample="512 tokens of code", change=Change(max_exponent=4.0))),
    TrainingChart("ALiBi, 4 layers", train=((2048, 6.5), (4096, 5.25)), validation=((4096, 5.5),)),
    TrainingChart("T5 bias", "t5", ((2048, 6.5),), tokens=100_000, vocabulary=512),
    PhasesChart(),
    PhasesChart("sinusoidal", 16_384),
    WordsChart(),
    WordsChart("alibi", "man first"),
    PipelineChart(),
    PipelineChart("nope", "embedding"),
    WorkedExampleChart(),
    *(WorkedExampleChart("t5", stage, 2) for stage in STAGES),
    EffectChart(),
    EffectChart("learned", 16, 8, "right"),
    LogitMapChart(),
    LogitMapChart("learned", 16, 1),
    NoveltyChart(),
    NoveltyChart("sinusoidal", 64, 2, "right"),
    *(VariantCurvesChart(variant, 16, 7, r1=4.0) for variant in VARIANTS),
    VariantMatrixChart(),
    VariantMatrixChart("one-sided", 8, 8),
    StretchingChart(),
    StretchingChart("slopes-ntk", 16, 64),
    DistinctChart(),
    DistinctChart(12, 256, 5),
    MovedChart(),
    MovedChart(12, 256, 5, "distance"),
    RoundedWeightsChart(),
    RoundedWeightsChart(12, 256, 5, "distance"),
    PerplexityChart(),
    PerplexityChart(("alibi", "t5"), protocol="sliding_window", measure="ratio", on_sample=True),
    PerplexityChart(("alibi", "t5"), both=True),
    DifferenceChart(),
    DifferenceChart(("alibi", "t5"), protocol="sliding_window", reference="t5"),
    ExponentChart(),
    ExponentChart("sliding_window", present=11.0, is_small=True),
    PositionChart(),
    PositionChart(("alibi", "rope")),
    PublishedChart(),
    PublishedChart("CC100 512", ("alibi", "sinusoidal"), measure="ratio"),
    StretchedChart(),
    StretchedPositionChart(),
    StretchedPositionChart(("slopes-ntk", "yarn-coded"), "both", 2048),
    StretchedChart(("slopes-ntk", "yarn-coded", "log-length"), "both"),
    LossesChart(),
    LossesChart(64),
    RecallChart(),
    RecallChart(("nope", "alibi-free4", "rope:pi+log-length")),
    RecallChart(
        ("alibi",),
        (
            OwnRecall(
                "RoPE", "rope", 4, (OwnPoint(128, 1.0, 1.0, 1.0), OwnPoint(256, 0.5, 0.4, 0.6))
            ),
        ),
    ),
    DepthChart(),
    DepthChart(("kerple",)),
    MiddleChart(),
    MiddleChart(("rope:pi", "rope"), 8192, 10),
    NeedleChart(),
    NeedleChart("rope", 256, 255, "yellow", 8),
    NeedleKeysChart(),
    NeedleKeysChart("alibi-free4", 8192, 8000, "blue", 1),
    CopyChart(),
    CopyChart(("t5", "alibi"), "random"),
    TaskMapChart(),
    TaskMapChart("stretched"),
    MeasuredHereChart(POINTS, tokens_scored=4096, text="library"),
    MeasuredHereChart(POINTS[:1], "sliding_window", 512, "text"),
    VotesChart(),
    VotesChart(answers=ANSWERS, rounds=((4, 20, 7), (22, 5, 4))),
    SketchesChart(),
    SketchesChart("alibi", lines=((0.5, 3.5), (-0.5, 0.0)), measured=(0.1, None)),
]
