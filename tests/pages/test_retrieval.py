import json
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.evaluation.store import add_records
from alibi_viz.jobs.recall_request import RecallRequest
from alibi_viz.jobs.registry import Registry
from alibi_viz.paths import PROJECT
from alibi_viz.retrieval.records import CopyRecord, RecallRecord
from tests.jobs.scenario import let_go, stand_in, until
from tests.made_up_records import copied


def page(**query):
    app = AppTest.from_file(PROJECT / "pages" / "retrieval.py", default_timeout=120)
    app.query_params.update({name: str(value) for name, value in query.items()})
    return app.run()


def charts(app):
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def sentence(app):
    return next(text.value for text in app.markdown if "What to look for" in text.value)


def names(figure):
    return [trace["name"] for trace in figure["data"] if trace.get("name")]


@pytest.fixture(scope="module")
def opened():
    return page()


def test_the_page_opens_with_recall_and_says_what_to_look_for(opened):
    assert not opened.exception
    assert [title.value for title in opened.title] == ["Find it again"]
    (figure,) = charts(opened)
    assert {"ALiBi", "RoPE", "RoPE + YaRN, as coded", "NoPE", "T5 bias"} <= set(names(figure))
    assert figure["layout"]["yaxis"]["title"]["text"] == "questions answered rightly, %"
    assert "windows of 2,048 tokens" in sentence(opened)
    assert "Our scale" in opened.caption[-1].value
    assert len(opened.get("plotly_chart")[0].proto.alt) > 80


@pytest.mark.parametrize("part", ["recall", "depth", "middle"])
def test_a_link_chooses_contenders_by_their_names(part):
    app = page(of=part, contenders="nope,rope:pi+log-length")
    assert not app.exception
    assert not app.warning
    (figure,) = charts(app)
    written = json.dumps(figure, ensure_ascii=False)
    assert "interpolation" in written
    assert "exponent 16" not in written
    assert sentence(app)


def test_a_contender_that_is_left_out_leaves_the_chart(opened):
    app = page()
    chosen = [label for label in app.multiselect("contenders").value if label != "RoPE"]
    app.multiselect("contenders").set_value(chosen).run()
    (figure,) = charts(app)
    assert "RoPE" not in names(figure)
    app.multiselect("contenders").set_value([]).run()
    assert not app.exception
    assert [info.value for info in app.info] == ["Choose at least one contender."]
    assert not charts(app)


def test_what_a_link_may_not_ask_for_is_said():
    app = page(of="the end", contenders="xpos")
    assert len(charts(app)) == 1
    said = " ".join(warning.value for warning in app.warning)
    assert "of=the end" in said
    assert "contenders=xpos" in said


@pytest.mark.parametrize("length", [128, 8192])
@pytest.mark.parametrize("documents", ["10", "30"])
def test_the_middle_is_shown_at_both_ends(length, documents):
    app = page(of="middle", middle_length=length, documents=documents)
    assert not app.exception
    (figure,) = charts(app)
    titles = [note["text"] for note in figure["layout"]["annotations"][:2]]
    assert titles[0] == f"ours: needles in {length:,} tokens of filler"
    assert titles[1].startswith(f"published: {documents} documents, ")
    assert "MPT-30B-Instruct (ALiBi)" in sentence(app)


def test_a_needle_that_is_dragged_away_is_lost_by_alibi_and_not_by_a_free_head():
    app = page(of="one needle", needle_length=8192)
    assert "answers 3" in sentence(app)
    app.select_slider("needle_distance").set_value(8191).run()
    assert not app.exception
    assert len(charts(app)) == 2
    lost = sentence(app)
    # 8,191 tokens at the flattest slope, 1/256, or at twice that.
    assert any(f"takes {8191 / slope:.1f} nats" in lost for slope in (128, 256))
    assert "wrongly: it is 3" in lost
    app.selectbox("needle_model").set_value("ALiBi, half the heads free").run()
    assert "(free) gives the needle most" in sentence(app)
    assert "takes 0.0 nats" in sentence(app)
    assert "answers 3" in sentence(app)
    assert "which is right" in sentence(app)


def test_a_needle_outside_a_window_is_moved_into_it_and_the_page_says_so():
    app = page(of="one needle", needle_length=128, needle_distance=8191)
    assert not app.exception
    said = "In a window of 128 tokens the farthest needle lies 127 back."
    assert said in [caption.value for caption in app.caption]
    assert said not in [caption.value for caption in page(of="one needle").caption]


def test_another_needle_is_asked_for():
    app = page(of="one needle", needle_token="blue 7")
    assert "answers 7" in sentence(app)
    assert "blue 7" in names(charts(app)[1])


def test_a_model_without_a_price_shows_its_attention_alone():
    app = page(of="one needle", needle_model="rope")
    assert not app.exception
    assert "no price to tell apart" in sentence(app)
    assert "yaxis2" not in charts(app)[0]["layout"]


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """Jobs of the page's own, whose command waits for a sign instead of training."""
    made = Registry(tmp_path / "jobs", program=stand_in(tmp_path))
    monkeypatch.setattr("alibi_viz.ui.show.jobs.registry", lambda: made)
    yield made
    (tmp_path / "jobs").mkdir(exist_ok=True)
    let_go(made)
    made.close()


def button(app, label):
    return next(button for button in app.button if button.label == label)


OWN = {"own": "train one", "own_exponent": 9.5, "own_free": 3, "own_steps": 100, "own_seed": 7}
REQUEST = RecallRequest(max_exponent=9.5, free_heads=3, steps=100, seed=7)


def test_a_link_asks_for_a_model_of_ones_own_and_says_what_it_costs(registry):
    app = page(**OWN)
    assert not app.exception
    assert not app.warning
    assert app.code[0].value == (
        "python -m alibi_viz recall-own --position alibi --max-exponent 9.5 --free-heads 3 "
        "--steps 100 --seed 7"
    )
    assert any("100 steps" in caption.value for caption in app.caption)
    assert "yours" not in " ".join(names(charts(app)[0]))
    assert not page().code


def test_a_model_of_ones_own_starts_is_cancelled_goes_on_and_joins_the_chart(registry):
    app = page(**OWN)
    button(app, "Train").click().run()
    job = registry.find(REQUEST)
    until(lambda: (job.folder / "run" / "ready").exists())
    until(lambda: registry.job(job.id).state == "running")
    app.run()
    assert button(app, "Train").disabled
    report = {"step": 40, "steps": 100, "tokens": 163_840, "loss": 1.25, "validation_loss": None}
    report |= {"tokens_per_second": 4096.0, "seconds_left": 60.0}
    (job.folder / "run" / "progress.jsonl").write_text(json.dumps(report) + "\n")
    app.run()
    assert "loss 1.25 nats per question" in app.get("progress")[0].proto.text
    button(app, "Cancel").click().run()
    until(lambda: registry.job(job.id).state == "cancelled")
    app.run()
    let_go(registry)
    button(app, "Resume").click().run()
    until(lambda: registry.job(job.id).state == "finished")
    shares = {128: (16, 16), 2048: (4, 0)}
    add_records(
        (
            RecallRecord(REQUEST.variant.key, 7, "as-trained", length, 16, right, (1,), (1,), "")
            for length, right in shares.items()
        ),
        job.folder / "recall.json",
    )
    app.run()
    yours = next(t for t in charts(app)[0]["data"] if str(t.get("name")).startswith("yours"))
    assert yours["name"] == "yours, one seed: ALiBi, exponent 9.5, 3 heads free"
    assert "Yours, ALiBi, exponent 9.5, 3 heads free, is one seed" in sentence(app)
    # Whoever has the link sees the same, and the list has it.
    other = page(**OWN)
    assert any(str(t.get("name")).startswith("yours") for t in charts(other)[0]["data"])
    kept = other.dataframe[-1].value
    assert kept["model"].tolist() == ["ALiBi, exponent 9.5, 3 heads free, 100 steps, seed 7"]
    address = kept["open"].iloc[0].partition("?")[2]
    again = page(**dict(parse_qsl(address)))
    assert not again.warning
    assert again.code[0].value == app.code[0].value


def test_nothing_is_started_from_a_figure_that_fills_the_screen(registry):
    app = page(**OWN)
    assert button(app, "Train")
    app.session_state["_presented"] = ("", "recall")
    app.run()
    assert not app.exception
    assert len(charts(app)) == 1
    assert not app.code
    assert "Train" not in [button.label for button in app.button]


def test_learned_slopes_and_free_heads_exclude_each_other(registry):
    app = page(**OWN | {"own_slopes": "learned"})
    assert "A slope of 0 cannot be learned" in app.error[0].value
    assert len(charts(app)) == 1
    assert not app.code


def test_a_method_without_slopes_has_no_controls_of_them(registry):
    app = page(own="train one", own_method="t5")
    assert not app.exception
    assert "--position t5 --steps 400" in app.code[0].value
    assert not [slider for slider in app.select_slider if slider.key == "own_exponent"]


@pytest.fixture
def stored(tmp_path, monkeypatch):
    for kind in (RecallRecord, CopyRecord):
        monkeypatch.setattr(kind, "file", tmp_path / kind.file.name)
    return add_records


@pytest.mark.parametrize("part", ["recall", "depth", "middle", "copying"])
def test_a_part_that_nothing_was_measured_of_says_so(stored, part):
    app = page(of=part)
    assert not app.exception
    assert not charts(app)
    assert "Nothing measured yet" in app.info[0].value


@pytest.mark.parametrize("part", ["recall", "copying"])
def test_a_file_that_cannot_be_read_is_named(stored, part):
    for kind in (RecallRecord, CopyRecord):
        kind.file.write_text("{}")
    app = page(of=part)
    assert not app.exception
    assert f"{part}.json has schema None" in app.error[0].value
    assert not app.info


def test_copying_shows_what_was_measured_of_code_and_of_random_tokens(stored):
    stored(
        copied(f"{method}-L128", seed, distance, gain / (1 + seed) * 24 / distance, kind)
        for method, gain in (("alibi", 1.5), ("t5", 2.0))
        for seed in (0, 1)
        for distance in (24, 128, 512)
        for kind in ("real", "random")
        if (method, kind) != ("t5", "random")
    )
    app = page(of="copying")
    assert not app.exception
    assert {"ALiBi", "T5 bias"} <= set(names(charts(app)[0]))
    assert "from 512 tokens away a first copy is worth" in sentence(app)
    random = page(of="copying", copied="random tokens")
    assert "T5 bias" not in names(charts(random)[0])
    (alone,) = charts(page(of="copying", copiers="t5"))
    assert "ALiBi" not in names(alone)
