import json
import re
import subprocess
import sys

import pytest

from alibi_viz.__main__ import main
from alibi_viz.charts.measured.perplexity import BOTH, PerplexityChart
from alibi_viz.lessons.course import lessons
from alibi_viz.onepage.controls import KNOBS, knob
from alibi_viz.onepage.lessons import VIEWS, done_states, lesson_data
from alibi_viz.onepage.markup import formula, short_inline
from alibi_viz.onepage.measured import measured_data
from alibi_viz.onepage.page import HERE, LIVE_FOLDER, SCRIPTS, one_page
from alibi_viz.ui.canvas import LIVE, SHARED, read_files
from alibi_viz.ui.decay import controls as decay
from alibi_viz.ui.explore.controls import COLOUR, SCALE
from alibi_viz.ui.extrapolation import shown as extrapolation
from alibi_viz.ui.lessons.controls import ORDER, POSITION
from alibi_viz.ui.link.heads import ALIBI
from alibi_viz.ui.methods.controls import RULE, STRETCH

OF_THE_APP = (
    *ALIBI,
    COLOUR,
    SCALE,
    decay.QUERY,
    decay.TRAIN_LENGTH,
    decay.DISTANCE_AXIS,
    decay.WEIGHT_AXIS,
    decay.HEAD,
    extrapolation.PROTOCOL,
    extrapolation.MEASURE,
    extrapolation.PAPER,
    ORDER,
    RULE,
    STRETCH,
)


@pytest.mark.parametrize("control", OF_THE_APP, ids=lambda control: control.key)
def test_a_control_is_the_apps(control):
    ours = knob(control.key)
    assert ours.label == control.label
    # Comparisons of both protocols, and differences, are the app's alone.
    only_there = {BOTH, extrapolation.DIFFERENCE}
    assert ours.options == tuple(each for each in control.options if each not in only_there)
    assert ours.default == control.default


def test_methods_are_called_as_in_the_app():
    assert knob("methods").names == tuple(extrapolation.LABELS)
    assert knob("methods").options == tuple(extrapolation.LABELS.values())
    assert knob("position").names == tuple(POSITION.options)


def test_every_default_is_an_option():
    for control in KNOBS:
        chosen = control.default if control.kind == "several" else (control.default,)
        assert set(chosen) <= set(control.options)


def test_the_page_is_small_and_names_nothing_that_a_browser_would_fetch():
    page = one_page()
    assert len(page.encode()) < 300_000
    assert "{{" not in re.sub(r"<script.*?</script>|<style>.*?</style>", "", page, flags=re.DOTALL)
    assert not re.search(
        r"(?:src|srcset|data)=[\"']?\w+:|@import|url\((?!#)|\bimport\(|fetch\(", page
    )
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert json.loads(data)["knobs"][0]["key"] == "heads"


def test_the_joined_scripts_declare_each_name_once():
    script = read_files(LIVE_FOLDER, (*SHARED, *LIVE)) + read_files(HERE, SCRIPTS)
    names = re.findall(r"^(?:function|class|const|let) (\w+)", script, re.MULTILINE)
    assert sorted(names) == sorted(set(names))


def test_a_file_or_a_folder_is_written(tmp_path, capsys):
    assert main(["onepage", str(tmp_path / "alibi.html")]) == 0
    assert main(["onepage", str(tmp_path / "site")]) == 0
    assert (tmp_path / "alibi.html").read_text(encoding="utf-8") == one_page()
    assert sorted(path.name for path in (tmp_path / "site").iterdir()) == [
        ".nojekyll",
        "index.html",
    ]
    assert "kB" in capsys.readouterr().out


def test_it_is_written_without_streamlit_and_without_torch():
    code = (
        "import sys; from alibi_viz.onepage.page import one_page; one_page();"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"streamlit", "torch", "transformers"} & set(run.stdout.split())


def test_what_a_lesson_asks_for_is_listed_and_what_it_prepares_is_not():
    without = []
    for lesson in lessons():
        done = done_states(lesson)
        if done is None:
            without.append(lesson.slug)
            continue
        shown = lesson_data()[lessons().index(lesson)]["state"]
        prepared = tuple(shown[name] for name in done["controls"])
        solved = tuple({**shown, **lesson.action.solution}[name] for name in done["controls"])
        assert solved in done["values"], lesson.slug
        assert prepared not in done["values"], lesson.slug
    assert without == [lesson.slug for lesson in lessons() if lesson.view.name not in VIEWS]
    # The page has no trained model, which this one looks into.
    assert "trained-heads" in without


def test_the_data_has_the_charts_numbers():
    chart = PerplexityChart(protocol="sliding_window", measure="ratio")
    (ours,) = [
        curves
        for curves in measured_data()["ours"]
        if (curves["trained"], curves["protocol"], curves["measure"])
        == (128, "sliding window", "ratio")
    ]
    assert [curve["method"] for curve in ours["curves"]] == [curve.method for curve in chart.curves]
    for found, known in zip(ours["curves"], chart.curves, strict=True):
        assert [point[0] for point in found["points"]] == known.lengths.tolist()
        means = [point[1] for point in found["points"]]
        assert means == pytest.approx(known.mean.tolist(), rel=1e-4)
    assert ours["curves"]


def test_formulas_are_shortened_without_losing_a_sign():
    assert formula("a < b").count("&lt;") == 1
    assert "−" in short_inline("$-m$")
    assert "xmlns" not in short_inline("$m$")
