import json
import math

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.charts.measured import read
from alibi_viz.charts.measured.curves import MEASURES
from alibi_viz.evaluation import comparisons
from alibi_viz.evaluation.records import CostRecord, Record
from alibi_viz.evaluation.store import add_records
from alibi_viz.paths import PROJECT
from alibi_viz.positions import METHODS
from alibi_viz.retrieval.records import StretchedRecord
from alibi_viz.training.trials import Trial
from alibi_viz.ui.extrapolation import shown as extrapolation
from tests.made_up_records import by_context, made_up, made_up_stretch
from tests.pages.measured import (
    NONOVERLAPPING,
    records,
    write_checkpoint,
    write_results,
    write_stretched,
)
from tests.ui.test_cost_tables import ROWS as COSTS


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Opens the page over made-up results; none at all unless some are given."""

    # Only of the text as it is now are the files known; here it is made up.
    monkeypatch.setattr(comparisons, "named_stretch", made_up_stretch)

    def open_page(made=None, shown=(), **query):
        path = tmp_path / "extrapolation.json"
        if isinstance(made, str):
            path.write_text(made)
        elif made is not None:
            write_results(path, made)
        monkeypatch.setattr(Record, "file", path)
        monkeypatch.setattr(read, "CHECKPOINTS", tmp_path / "checkpoints")
        for kind in (Trial, CostRecord, StretchedRecord):
            monkeypatch.setattr(kind, "file", tmp_path / f"{kind.__name__}.json")
        app = AppTest.from_file(PROJECT / "app.py", default_timeout=120)
        app.query_params.update(query)
        app.run().switch_page("pages/extrapolation.py")
        if shown:
            # AppTest runs the page without app.py, which takes this from the link.
            app.session_state["_page"] = "extrapolation"
            app.session_state["_show_extrapolation"] = shown
        return app.run()

    return open_page


def charts(app):
    return {
        json.loads(chart.proto.spec)["layout"]["yaxis"]["title"]["text"]: chart
        for chart in app.get("plotly_chart")
    }


def names(chart):
    return {t["name"] for t in json.loads(chart.proto.spec)["data"] if "name" in t}


def said(app):
    return " ".join(text.value for text in app.markdown)


def captions(app):
    return " ".join(caption.value for caption in app.caption)


def choose(app, key, value):
    next(c for c in app.button_group if c.key == key).set_value(value).run()
    assert not app.exception


def test_ours_and_the_papers_stand_side_by_side_and_are_told_apart(page):
    app = page(records())
    assert not app.exception
    assert [title.value for title in app.title] == ["Train short, test long"]
    assert "**Measured here**" in said(app)
    assert "**Reported in the paper**" in said(app)
    ours, papers = app.get("plotly_chart")
    assert names(ours) == {METHODS[key].label for key in NONOVERLAPPING}
    assert "No nonoverlapping record yet for KERPLE." in said(app)
    assert names(papers) == {"ALiBi", "Sinusoidal", "RoPE", "T5 bias"}
    assert "13.4 at 128" in ours.proto.alt or "14.2 at 64" in ours.proto.alt
    captions = " ".join(caption.value for caption in app.caption)
    assert "arXiv:2108.12409v2: Table 2 (p16)" in captions
    assert "2 seeds" in captions


def test_without_records_the_page_says_so_and_still_shows_the_paper(page):
    app = page()
    assert not app.exception
    (papers,) = app.get("plotly_chart")
    assert "ALiBi" in names(papers)
    assert any("Nothing measured yet" in caption.value for caption in app.caption)


def test_methods_without_a_record_are_named(page):
    app = page([r for r in records() if r["method"] in ("alibi", "rope")])
    missing = "No nonoverlapping record yet for Sinusoidal, Learned, T5 bias, KERPLE and NoPE."
    assert missing in said(app)


def test_a_damaged_file_is_named_and_the_page_goes_on(page):
    app = page('{"schema": 7, "records": []}')
    assert not app.exception
    assert "extrapolation.json has schema 7" in app.error[0].value
    assert len(app.get("plotly_chart")) == 1


def test_what_to_see_is_computed_from_the_records(page):
    page_shown = page(records(seeds=1))
    text = said(page_shown)
    assert "lowest first: T5 bias 12.60, ALiBi 13.30" in text
    assert "ahead of ALiBi: T5 bias (−5.3 %); behind ALiBi: RoPE (+2.3 %)" in text
    assert "is said only where the 95 % interval lies on one side of 0" in captions(page_shown)
    # The two protocols are set beside each other on one text only.
    assert "early-token curse" not in text
    same = {length: value + 1 / length for length, value in NONOVERLAPPING["alibi"].items()}
    made = [
        made_up("alibi", length, value, tokens_scored=8192, targets="sample", sample=8192)
        for length, value in same.items()
    ]
    assert "early-token curse" in said(page([*records(seeds=1), *made]))


def test_every_protocol_measure_and_paper_can_be_chosen(page):
    app = page(records())
    for measure in (*MEASURES, extrapolation.DIFFERENCE):
        choose(app, "measure", measure)
        assert len(app.get("plotly_chart")) == 2
    assert "perplexity / perplexity of ALiBi" in charts(app)
    choose(app, "measure", "ratio")
    assert "perplexity / perplexity at the training length" in charts(app)
    choose(app, "protocol", "sliding window")
    assert names(app.get("plotly_chart")[0]) == {"ALiBi"}
    assert "No sliding window record yet for Sinusoidal" in said(app)
    for paper in extrapolation.PAPER.options:
        choose(app, "paper", paper)
    # Figure 6 has no sliding window: one chart, and a caption that says so.
    assert len(app.get("plotly_chart")) == 1
    assert any("no sliding window numbers for CC100 1024" in c.value for c in app.caption)
    choose(app, "protocol", "nonoverlapping")
    assert "Figure 6" in " ".join(caption.value for caption in app.caption)


def test_differences_to_a_chosen_method_have_intervals_and_words(page):
    app = page(records(), measure="difference", against="t5")
    assert not app.exception
    ours = charts(app)["perplexity / perplexity of T5 bias"]
    assert "behind T5 bias: ALiBi (+5.6 %)" in ours.proto.alt
    table = next(frame.value for frame in app.dataframe if "word" in frame.value)
    assert set(table["word"]) <= {"ahead", "behind", "level", "undecided"}
    assert "is said only where the 95 % interval lies on one side of 0" in captions(app)
    app = page([made_up("alibi", 128, 13.0, targets="gone")], measure="difference")
    assert "Nothing was measured on the same blocks" in app.info[0].value


def test_a_second_text_can_be_chosen_once_it_has_records_and_never_mixes_with_the_first(page):
    assert "text" not in {group.key for group in page(records()).button_group}
    prose = [
        made_up(
            method,
            length,
            30.0,
            text="prose",
            checkpoint=f"assets/checkpoints/prose-{method}-L128-s0",
            corpus="state-of-the-union 1 sha256:" + "ab" * 32,
        )
        for method in ("alibi", "t5")
        for length in (128, 512)
    ]
    app = page([*records(), *prose], text="prose")
    assert not app.exception
    assert names(app.get("plotly_chart")[0]) == {"ALiBi", "T5 bias"}
    assert "state-of-the-union" in captions(app)
    assert "level with ALiBi: T5 bias (0.0 %)" in said(app).replace("+0.0", "0.0")
    choose(app, "text", "code")
    assert names(app.get("plotly_chart")[0]) == {METHODS[key].label for key in NONOVERLAPPING}


def test_both_protocols_can_stand_in_one_chart(page):
    about = {"tokens_scored": 8192, "targets": "sample", "sample": 8192}
    same = [made_up("alibi", n, value, **about) for n, value in NONOVERLAPPING["alibi"].items()]
    app = page([*records(seeds=1), *same], protocol="both, on the same tokens")
    assert not app.exception
    assert names(app.get("plotly_chart")[0]) == {"ALiBi", "ALiBi, sliding"}


def test_exponents_are_shown_once_two_are_measured(page):
    def with_exponent(name):
        return [
            made_up(
                "alibi",
                length,
                12.0,
                variant=name,
                checkpoint=f"assets/checkpoints/alibi-{name}-L128-s0",
            )
            for length in (128, 512, 2048)
        ]

    titles = "exponent: the flattest slope is 2 to minus this"
    assert not any(titles in chart.proto.spec for chart in page(records()).get("plotly_chart"))
    app = page([*records(), *with_exponent("e16")])
    assert any(titles in chart.proto.spec for chart in app.get("plotly_chart"))
    assert "ahead of exponent 8: exponent 16" in said(app)


def test_papers_have_no_bits_per_byte_and_say_perplexity(page):
    app = page(records(), measure="bits per byte")
    ours, papers = (
        json.loads(chart.proto.spec)["layout"]["yaxis"]["title"]["text"]
        for chart in app.get("plotly_chart")
    )
    assert (ours, papers) == ("bits per byte", "perplexity per token")
    ours, papers = (chart.proto.alt for chart in app.get("plotly_chart"))
    assert ours.startswith("Bits per byte against")
    assert papers.startswith("Perplexity per token against")
    assert "The paper gives no bits per byte; its perplexity is shown." in [
        caption.value for caption in app.caption
    ]


def test_methods_can_be_chosen_down_to_none(page):
    app = page(records())
    choose(app, "methods", ["ALiBi", "RoPE"])
    assert [names(chart) for chart in app.get("plotly_chart")] == [{"ALiBi", "RoPE"}] * 2
    choose(app, "methods", [])
    assert not app.get("plotly_chart")
    assert [info.value for info in app.info][:1] == ["Choose at least one method."]
    assert not any("and these methods" in caption.value for caption in app.caption)


def test_a_link_may_name_methods_by_key_or_label_and_unknown_ones_are_said(page):
    app = page(records(), methods=["rope", "ALiBi", "xpos"])
    assert app.session_state["methods"] == ["ALiBi", "RoPE"]
    assert "xpos`" in app.warning[0].value


def test_hidden_methods_keep_what_the_link_says(page):
    app = page(records(), shown=("protocol",), methods=["t5"])
    assert not app.exception
    shown = {group.key for group in app.button_group}
    assert "protocol" in shown
    assert not shown & {"methods", "measure", "L", "paper"}
    assert [names(chart) for chart in app.get("plotly_chart")] == [{"T5 bias"}] * 2
    # A visit to another page takes them out of the link.
    app.session_state["_page"] = "claims"
    app.switch_page("pages/claims.py").run()
    app.query_params.clear()
    app.session_state["_page"] = "extrapolation"
    app.switch_page("pages/extrapolation.py").run()
    assert [names(chart) for chart in app.get("plotly_chart")] == [{"T5 bias"}] * 2
    assert app.query_params["methods"] == "T5 bias"


def test_other_training_lengths_can_be_chosen_where_they_have_records(page):
    extra = [
        made_up("alibi", length, value, train_length=256)
        for length, value in ((256, 12.0), (512, 11.5))
    ]
    app = page([*records(), *extra], L="256")
    assert not app.exception
    assert names(app.get("plotly_chart")[0]) == {"ALiBi"}
    assert "trained on windows of 256 tokens" in " ".join(c.value for c in app.caption)


def test_tables_hold_the_numbers_and_their_origin(page):
    app = page(records(seeds=1))
    for folded in ("published", "extrapolation_records"):
        app.session_state[f"{folded}_open"] = True
    paper, summary, every = (table.value for table in app.run().dataframe)
    assert set(paper["table"]) == {"Table 2 (p16)"}
    assert paper["perplexity"].max() == 406.01
    alibi = summary[summary["method"] == "ALiBi"].iloc[0]
    assert alibi["best at, tokens"] == 4096
    assert alibi["at longest / at training length"] == pytest.approx(12.2 / 13.3)
    learned = summary[summary["method"] == "Learned"].iloc[0]
    assert math.isnan(learned["at longest / at training length"])
    assert len(every) == len(records(seeds=1))


def test_models_and_their_losses_are_shown_where_they_are_committed(page, tmp_path):
    for method in METHODS:
        write_checkpoint(tmp_path / "checkpoints", method)
    app = page(records())
    losses = app.get("plotly_chart")[-1]
    assert names(losses) == {method.label for method in METHODS.values()}
    assert "validation loss fell by at most" in said(app)
    assert "0.92M parameters" in " ".join(caption.value for caption in app.caption)


def test_loss_by_position_follows_the_methods_and_the_training_length(page, tmp_path):
    bands = by_context(512, lambda last: 4.0 if last == 1 else 2.5 if last <= 128 else 2.4)
    made = [made_up(method, 512, 11.0, bands=bands) for method in ("alibi", "rope")]
    app = page(made)
    assert not app.exception
    chart = app.get("plotly_chart")[-1]
    assert names(chart) == {"ALiBi", "RoPE"}
    assert "ALiBi from 54.6 at 1 to 11 at 431 tokens" in chart.proto.alt
    assert "one token of context ALiBi's perplexity is 55" in said(app)
    choose(app, "methods", ["ALiBi"])
    assert names(app.get("plotly_chart")[-1]) == {"ALiBi"}


def test_what_each_method_costs_stands_beside_the_papers_table(page, tmp_path):
    add_records(COSTS, tmp_path / "CostRecord.json")
    app = page(records())
    assert not app.exception
    assert "What it costs" in [heading.value for heading in app.header]
    ours, papers = (
        table.value
        for table in app.dataframe
        if "training memory, GB" in table.value or "training, MB" in table.value
    )
    assert ours["method"].tolist() == ["ALiBi", "Sinusoidal", "T5 bias"]
    assert papers["method"].tolist() == ["ALiBi", "Sinusoidal", "RoPE", "T5 bias"]
    assert "In windows of 512 tokens ALiBi is evaluated at 3.0× the speed" in said(app)
    assert "a machine" in " ".join(caption.value for caption in app.caption)


def test_the_page_says_what_it_does_not_show(page):
    assert "What this does not show" in said(page())


def test_a_damaged_file_of_costs_is_named_and_the_page_goes_on(page, tmp_path):
    (tmp_path / "CostRecord.json").write_text('{"schema": 9, "records": []}')
    app = page(records())
    assert not app.exception
    (error,) = app.error
    assert "CostRecord.json has schema 9, this version reads 2" in error.value
    assert "What it costs" not in [heading.value for heading in app.header]


def test_stretched_models_stand_behind_a_switch_and_tell_how_they_were_stretched(page, tmp_path):
    write_stretched(tmp_path / "StretchedRecord.json")
    app = page(records())
    assert names(app.get("plotly_chart")[0]) == {METHODS[key].label for key in NONOVERLAPPING}
    choose(app, "stretched", "at once")
    chart = app.get("plotly_chart")[0]
    assert names(chart) == {"ALiBi", "RoPE", "▽ slopes / s", "☆ YaRN, coded"}
    # Where the scale is 1, a stretched model is the model as trained.
    assert "☆ YaRN, coded from 13.8 at 128 to 33.3 at 2,048 tokens" in chart.proto.alt
    assert "Measured here" not in said(app)
    assert "best first: ALiBi 12.83, YaRN, coded 14.04, slopes / s 27.17, RoPE 39.59" in said(app)
    assert "RoPE with YaRN, as coded is behind ALiBi as trained: +9.4 % perplexity" in said(app)
    lines = {t["name"]: t for t in json.loads(chart.proto.spec)["data"] if "name" in t}
    assert lines["☆ YaRN, coded"]["marker"]["symbol"] == "star-open"
    assert lines["☆ YaRN, coded"]["line"]["dash"] != lines["RoPE"]["line"]["dash"]


def test_stretched_models_are_shown_by_position_in_windows_that_a_link_chooses():
    app = AppTest.from_file(PROJECT / "pages" / "extrapolation.py", default_timeout=120)
    app.query_params.update({"stretched": "at once", "stretched_window": "512"})
    app.run()
    assert not app.exception
    assert "By position in the window" in [heading.value for heading in app.header]
    by_position = app.get("plotly_chart")[1].proto
    assert "in windows of 512 tokens" in by_position.alt
    assert {"ALiBi", "RoPE", "☆ YaRN, coded"} <= names(app.get("plotly_chart")[1])
    assert "all lines read the same windows of 512 tokens" in said(app)
    choose(app, "stretched_window", 4096)
    assert "in windows of 4,096 tokens" in app.get("plotly_chart")[1].proto.alt


def test_what_was_trained_on_after_stretching_has_other_marks_and_dashes(page, tmp_path):
    write_stretched(tmp_path / "StretchedRecord.json")
    app = page(records(), stretched="both", stretchings=["yarn-coded"])
    chart = app.get("plotly_chart")[0]
    lines = {t["name"]: t for t in json.loads(chart.proto.spec)["data"] if "name" in t}
    assert set(lines) == {"RoPE", "RoPE, tuned", "☆ YaRN, coded", "★ YaRN, coded, tuned"}
    assert lines["★ YaRN, coded, tuned"]["marker"]["symbol"] == "star"
    assert len({line["line"]["dash"] for line in lines.values()}) == 3
    table = next(t.value for t in app.dataframe if "changed" in t.value)
    row = table[(table["changed"] == "200 steps on 512 tokens") & (table["seeds"] == 2)]
    assert set(row["model"]) == {"RoPE", "YaRN, as coded, s = 4"}
    choose(app, "stretched", "after 200 steps")
    assert "☆ YaRN, coded" not in names(app.get("plotly_chart")[0])
    assert "5 % of the first training" in " ".join(caption.value for caption in app.caption)


def test_where_nothing_was_measured_stretched_the_page_says_so(page, tmp_path):
    assert any("alibi_viz stretch" in i.value for i in page(records(), stretched="both").info)
    write_stretched(tmp_path / "StretchedRecord.json")
    app = page(records(), stretched="at once", protocol="sliding window")
    assert any("alibi_viz stretch" in info.value for info in app.info)
