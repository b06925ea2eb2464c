import json
import shutil
import struct

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.loading.policy import FOLDER_VARIABLE, HUB_VARIABLE
from alibi_viz.inspection.text.samples import LIBRARY, WRITTEN
from alibi_viz.paths import PROJECT
from alibi_viz.ui.trained import controls
from alibi_viz.ui.trained.children import children
from tests import tiny_models


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    tiny_models.save_all(folder)
    # As a server does at its start: no page waits for the first child.
    children().warm()
    return folder


@pytest.fixture(autouse=True)
def allowed(models, monkeypatch):
    """Whoever runs the app opens a folder of tiny models."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(models))
    monkeypatch.delenv(HUB_VARIABLE, raising=False)


def page(model="folder:alibi", **query):
    app = AppTest.from_file(PROJECT / "app.py", default_timeout=60).run()
    for name, value in {"model": model, **query}.items():
        app.query_params[name] = str(value)
    return app.switch_page("pages/trained_attention.py").run()


def said(app):
    return " ".join(part.value for part in (*app.markdown, *app.caption, *app.info, *app.warning))


def errors(app):
    return [error.value for error in app.error]


def charts(app):
    return [chart.proto.id.rsplit("-", 1)[-1] for chart in app.get("plotly_chart")]


def test_a_model_is_drawn_with_its_verdict_and_what_to_look_for():
    app = page()
    assert not app.exception
    assert errors(app) == []
    assert [title.value for title in app.title] == ["Inside a trained model"]
    assert "114 tokens, 299 bytes, mean loss" in said(app)
    assert "✓ ALiBi is on, as configured.** Slopes read back: geometric, exponent 8." in said(app)
    assert "6 heads look" in said(app)
    assert "The first token takes" in said(app)
    assert all(chart.proto.alt for chart in app.get("plotly_chart"))


@pytest.mark.parametrize("model", ["alibi", "rope", "learned", "bloom", "mpt", "falcon"])
@pytest.mark.parametrize("mode", controls.MODES)
def test_each_model_can_be_looked_at_in_each_way(model, mode):
    app = page(f"folder:{model}", mode=mode, sample="one line")
    assert not app.exception
    assert errors(app) == []
    assert "31 tokens" in said(app)
    assert ("has no slopes that could be changed" in said(app)) == (
        mode == controls.WHAT_IF and model in ("rope", "learned")
    )


@pytest.mark.parametrize("control", [controls.VIEW, controls.ORDER], ids=lambda c: c.key)
@pytest.mark.parametrize("end", [0, -1])
@pytest.mark.parametrize("model", ["alibi", "rope"])
def test_colour_and_order_work_at_both_ends(control, end, model):
    app = page(f"folder:{model}", sample="one line", **{control.key: control.options[end]})
    assert not app.exception
    assert errors(app) == []


@pytest.mark.parametrize("end", [0, -1])
@pytest.mark.parametrize(
    "control", [controls.NEW_EXPONENT, controls.SCALE], ids=lambda control: control.key
)
def test_each_slider_of_a_change_works_at_both_ends(control, end):
    app = page(mode=controls.WHAT_IF, sample="one line", new_slopes="interleaved")
    app.select_slider(control.key).set_value(control.options[end]).run()
    assert not app.exception
    assert errors(app) == []
    assert "the mean loss goes from" in said(app)
    assert "of this head's attention to other keys" in said(app)


@pytest.mark.parametrize("off", controls.OFF.options)
def test_the_bias_can_be_taken_off(off):
    app = page(mode=controls.WHAT_IF, sample="one line", bias_off=off)
    assert errors(app) == []
    assert ("nothing is changed yet" in said(app)) == (off == controls.NOBODY)


def test_what_a_change_costs_beyond_the_training_length_is_told_apart():
    app = page(mode=controls.WHAT_IF, slope_scale=0)
    # 114 tokens are 113 predictions, 67 of them as in a training window.
    assert "on the first 67 predicted tokens" in said(app)
    assert "on the 46 beyond the training length" in said(app)


@pytest.mark.parametrize("text", [*WRITTEN, *LIBRARY])
def test_each_text_is_shown_whole(text):
    app = page(sample=text)
    assert not app.exception
    assert errors(app) == []
    assert "left out" not in said(app)
    if text in LIBRARY:
        assert f": {LIBRARY[text]:,} tokens" in said(app)


def test_two_heads_of_one_model_have_one_verdict_and_one_caption():
    app = page(mode=controls.COMPARE, sample="one line")
    assert said(app).count("Slopes read back") == 1
    assert said(app).count("31 tokens") == 1
    assert "the two put" in said(app)


def test_a_model_of_the_folder_can_be_compared_with_another_family():
    app = page(mode=controls.COMPARE, sample="one line", other_model="folder:bloom")
    assert said(app).count("Slopes read back") == 2
    assert "the two put" in said(app)


def own_text(app, text):
    app.selectbox("sample").set_value("your own").run()
    return app.text_area("inspected_text").set_value(text).run()


def test_bytes_that_are_no_utf8_are_replaced_and_said():
    app = page()
    app.selectbox("sample").set_value("your own").run()
    app.file_uploader("inspected_file").set_value(
        ("text.txt", b"caf\xe9 = \xf0\x9f\x98\x80", "text/plain")
    ).run()
    assert errors(app) == []
    assert "1 place was no UTF-8" in said(app)


def test_an_empty_text_asks_for_one():
    app = own_text(page(), "")
    assert not app.exception
    assert "There is no text yet" in said(app)


def test_one_token_has_attention_and_no_loss():
    app = own_text(page(), "(")
    assert not app.exception
    assert errors(app) == []
    assert "1 token, 1 byte." in said(app)
    assert "One token predicts nothing" in said(app)


@pytest.mark.parametrize("mode", controls.MODES)
def test_one_token_can_be_looked_at_in_each_way(mode):
    app = own_text(page(mode=mode), "(")
    assert not app.exception
    assert errors(app) == []


def test_a_text_that_is_too_long_is_cut_and_said():
    app = own_text(page(), "x = 1\n" * 900)
    assert errors(app) == []
    assert "2,048 tokens" in said(app)
    assert "tokens are left out" in said(app)


def test_learned_positions_end_where_they_end():
    app = page("folder:learned")
    assert errors(app) == []
    assert "67 tokens" in said(app)
    assert "its last 47 tokens are left out" in said(app)


@pytest.mark.parametrize("mode", controls.MODES)
def test_a_class_that_computes_attention_by_itself_is_shown_by_its_weights(mode):
    app = page("folder:gptneo", mode=mode, sample="one line", quantity="content")
    assert not app.exception
    assert errors(app) == []
    assert "Only the weights can be shown, not logits in parts: GPTNeoForCausalLM" in said(app)
    assert "Of this model the content is not known; the log weight is shown." in said(app)
    assert "not ALiBi: learned positions" in said(app)


def test_a_text_past_the_configured_limit_goes_on_or_is_cut_and_says_why():
    gone_on, cut = page("folder:falcon"), page("folder:mpt")
    assert "max_position_embeddings: 67; the model runs on, and the last 47 tokens" in said(gone_on)
    assert "47 tokens are left out, since past max_seq_len: 67 the model fails" in said(cut)


def test_a_model_too_large_for_the_memory_is_refused_before_it_is_loaded(models):
    # A file of 10 TB, of which nothing is on the disk but its header.
    count = 5 * 10**12
    entry = {"dtype": "F16", "shape": [count], "data_offsets": [0, 2 * count]}
    header = json.dumps({"w": entry}).encode()
    folder = models / "endless"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "bloom"}')
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(8 + len(header) + 2 * count)
    (message,) = errors(page("folder:endless"))
    assert "endless needs about 10001 GB of memory (10000 GB of weights" in message
    assert "are free: too large for this machine" in message


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("pickled", "a pickle"),
        ("encoder", "sees the future: it is an encoder"),
        ("mamba", "is a model without attention"),
    ],
)
def test_a_model_that_cannot_be_shown_says_why(model, reason):
    app = page(f"folder:{model}")
    assert not app.exception
    assert len(errors(app)) == 1
    assert errors(app)[0].startswith("This model cannot be shown: ")
    assert reason in errors(app)[0]


def test_a_link_to_a_model_that_is_not_offered_shows_another_and_says_so():
    app = page("folder:../../etc")
    assert not app.exception
    assert "The link asks for `model=folder:../../etc`" in said(app)


def test_no_folder_is_offered_unless_whoever_runs_the_app_names_one(monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE)
    app = page("folder:alibi")
    assert not app.exception
    if app.selectbox:
        assert not [o for o in app.selectbox("model").options if o.startswith("folder:")]
    assert not [field for field in app.text_input if field.key == "hub_name"]


def test_a_hub_name_is_asked_for_where_that_is_allowed(monkeypatch):
    monkeypatch.setenv(HUB_VARIABLE, "1")
    app = page(sample="one line")
    app.text_input("hub_name").set_value("../../etc/passwd").run()
    next(button for button in app.button if button.label == "open").click().run()
    assert not app.exception
    assert "is no hub name; they read owner/name" in errors(app)[0]


def test_a_link_to_a_model_of_the_hub_offers_it_and_fetches_nothing(monkeypatch):
    fetched = []

    def fetch(name):
        fetched.append(name)
        raise UnreadableModel("no network")

    monkeypatch.setattr("alibi_viz.ui.trained.models.fetch_from_hub", fetch)
    monkeypatch.setenv(HUB_VARIABLE, "1")
    app = page("hub:owner/tiny", sample="one line")
    assert not app.exception
    assert not fetched
    assert not app.warning
    (offer,) = [b for b in app.button if b.label == "Open owner/tiny from the hub"]
    offer.click().run()
    assert fetched == ["owner/tiny"]
    assert "no network" in errors(app)[0]
    assert not [b for b in app.button if b.label.startswith("Open ")]
    assert app.selectbox("model").value == "hub:owner/tiny"


@pytest.mark.parametrize(("hub", "name"), [("0", "owner/tiny"), ("1", "../../etc")])
def test_what_the_hub_may_not_give_is_not_offered(hub, name, monkeypatch):
    monkeypatch.setenv(HUB_VARIABLE, hub)
    app = page(f"hub:{name}", sample="one line")
    assert not app.exception
    assert not [b for b in app.button if b.label.startswith("Open ")]
    assert "The link asks for `model=hub:" in said(app)


def test_a_folder_that_is_not_there_is_told_once_and_the_hub_stays_open(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "nowhere"))
    monkeypatch.setenv(HUB_VARIABLE, "1")
    app = page("alibi-L128-s0", sample="one line")
    assert not app.exception
    assert len([w for w in app.warning if "which is no directory" in w.value]) == 1
    assert app.text_input("hub_name")


def test_a_switch_that_says_neither_on_nor_off_stops_every_page(monkeypatch):
    monkeypatch.setenv("ALIBI_VIZ_TRAINING", "yes")
    app = AppTest.from_file(PROJECT / "app.py", default_timeout=60).run()
    assert not app.exception
    assert "ALIBI_VIZ_TRAINING must be one of" in app.error[0].value
    assert not app.title


def test_a_head_and_a_cell_of_a_link_are_moved_to_the_nearest_and_said():
    app = page(sample="one line", layer_head="7.2", pair="900.40")
    assert not app.exception
    assert "The link asks for `layer_head=7.2`" in said(app)
    assert "Shown instead: 2.2" in said(app)
    assert "Shown instead: 30.30" in said(app)


def test_the_charts_show_what_the_tables_say():
    app = page(sample="one line")
    app.session_state["measured_windows_open"] = True
    heads = next(frame.value for frame in app.run().dataframe if "layer" in frame.value)
    assert len(heads) == tiny_models.N_LAYER * tiny_models.N_HEAD
    # 2 ** (-8 h / 3) for three heads, by the closed form of the paper.
    np.testing.assert_allclose(
        heads["slope, nats/token"][:3], [2 ** (-8 / 3), 2 ** (-16 / 3), 2**-8], rtol=1e-5
    )


def test_foreign_words_are_shown_as_plain_text(models):
    folder = models / "worded"
    folder.mkdir()
    tiny_models.save_own(models / "worded")
    content = {"model_type": "![x](http://elsewhere.example/x.png) <b> $y$"}
    (folder / "config.json").write_text(json.dumps(content))
    (message,) = errors(page("folder:worded"))
    assert r"!\[x\](http:\//elsewhere.example/x.png) \<b> \$y\$" in message


def test_a_model_without_a_tokenizer_reads_a_text_of_token_numbers(models):
    bare = models / "bare"
    shutil.copytree(models / "bloom", bare, ignore=shutil.ignore_patterns("tokenizer*"))
    app = page("folder:bare", sample="one line")
    assert "reads a text of token numbers, whole ones from 0 to 1,023" in errors(app)[0]
    app = own_text(app, "17 4 902 5 5 5 8 1")
    assert errors(app) == []
    assert "8 tokens" in said(app)
