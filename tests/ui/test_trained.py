from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from alibi_viz.charts.trained.run import HeadOfRun, Run
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.foreign.model import ForeignModel
from alibi_viz.inspection.loading.policy import FOLDER_VARIABLE, ModelsPolicy
from alibi_viz.inspection.text.what_if import Change
from alibi_viz.jobs.models import TrainedModel
from alibi_viz.ui.canvas.map import map_data
from alibi_viz.ui.trained import body as trained_body
from alibi_viz.ui.trained import files as trained_files
from alibi_viz.ui.trained import models as trained
from alibi_viz.ui.trained import offered as trained_models
from alibi_viz.ui.trained import words as trained_words
from alibi_viz.ui.trained.offered import source_of
from tests import tiny_models

TEXT = "def area(width, height):\n    return width * height\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("models")
    tiny_models.save_own(made / "alibi")
    tiny_models.save_own(made / "rope", "rope")
    return made


@pytest.fixture
def opened(folder, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    return trained.open_model("folder:alibi")


def test_a_model_is_opened_once_and_again_after_its_files_changed(folder, opened):
    assert trained.open_model("folder:alibi").model is opened.model
    weights = folder / "alibi" / "model.safetensors"
    weights.write_bytes(weights.read_bytes())
    assert trained.open_model("folder:alibi").model is not opened.model


def test_a_foreign_model_is_never_opened_in_this_process(opened, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("opened here")

    monkeypatch.setattr(trained, "open_files", refuse)
    monkeypatch.setattr(trained, "examine", refuse)
    assert isinstance(opened.model, ForeignModel)
    assert opened.model.train_length == 67
    assert trained.see(opened, TEXT + "#").capture.n_layer == tiny_models.N_LAYER


def test_what_a_model_does_with_a_text_is_computed_once(opened):
    first, second = trained.see(opened, TEXT), trained.see(opened, TEXT)
    assert first.capture is second.capture
    assert trained.see(opened, TEXT + " ").capture is not first.capture


def test_bytes_that_are_no_characters_are_replaced_and_said(opened):
    capture = trained.see(opened, b"caf\xe9 \xff").capture
    assert "�" in capture.text
    assert "no UTF-8" in " ".join(capture.missing)


def test_a_change_is_a_run_of_its_own_beside_the_unchanged_one(opened):
    seen = trained.see(opened, TEXT)
    changed = trained.see_changed(opened, TEXT, seen, Change(scale=0.5))
    np.testing.assert_allclose(changed.capture.slopes, seen.capture.slopes / 2, rtol=1e-6)
    again = trained.see_changed(opened, TEXT, seen, Change(scale=0.5))
    assert again.capture is changed.capture


def test_a_name_that_is_nowhere_is_refused():
    with pytest.raises(UnreadableModel, match=r"there is no model called '\.\./x' here"):
        source_of("../x", ModelsPolicy())
    with pytest.raises(UnreadableModel, match="no models folder is open"):
        source_of("folder:alibi", ModelsPolicy())


@pytest.fixture
def head(opened):
    return HeadOfRun(Run(seen=trained.see(opened, TEXT).capture), 2, 3, "the one")


def test_heads_over_different_tokens_have_no_common_map(opened, head):
    other = HeadOfRun(Run(seen=trained.see(opened, "x = 1").capture), 1, 1)
    with pytest.raises(ValueError, match="the same tokens"):
        map_data([head, other])


def test_a_saved_head_holds_every_number_and_where_it_came_from(head, tmp_path):
    path = tmp_path / "head.npz"
    path.write_bytes(trained_files.head_npz(head, {"model": "alibi", "layer": 2}))
    seen = head.capture.attention(1, 2)
    with np.load(path, allow_pickle=False) as saved:
        np.testing.assert_array_equal(saved["weights"], seen.weights)
        np.testing.assert_array_equal(saved["content"], seen.content)
        assert saved["tokens"][0] == "def"
        assert str(saved["state"]) == '{"model": "alibi", "layer": 2}'


def test_a_saved_row_is_a_table_behind_its_state(head):
    first, header, *rows = trained_files.row_csv(head, 4, {"model": "alibi"}).decode().splitlines()
    assert first == '# {"model": "alibi", "query": 4}'
    assert header.startswith("key,token,")
    # A causal query sees itself and the four before it.
    assert [row.split(",")[0] for row in rows] == ["0", "1", "2", "3", "4"]
    weights = [float(row.rsplit(",", 1)[1]) for row in rows]
    assert sum(weights) == pytest.approx(1, abs=1e-6)


def test_heads_are_ordered_by_what_was_asked_for_the_largest_first(opened):
    seen = trained.see(opened, TEXT)
    run = trained.glanced(Run(seen=seen.capture), opened, seen)
    measures = run.overview.measures
    assert trained_words.grid_order("layer and head", run) == [0, 1, 2, 3, 4, 5]
    # Slopes fall with the head, and both layers have the same.
    assert trained_words.grid_order("slope", run) == [0, 3, 1, 4, 2, 5]
    for order, values in (("window", measures.window), ("first token", measures.first_token)):
        ordered = values.ravel()[trained_words.grid_order(order, run)]
        assert (np.diff(ordered) <= 0).all()


def test_a_model_trained_here_is_one_of_the_alibi_models_by_its_method(monkeypatch):
    def model(name, position):
        return TrainedModel(name, Path(name), name, position, 128)

    made = [
        model("bundled:rope-L128-s0", "rope"),
        model("bundled:alibi-L128-s1", "alibi"),
        model("own:00ff", "alibi"),
        model("own:11ff", "t5"),
    ]
    monkeypatch.setattr(trained_models, "trained_models", lambda: made)
    assert trained_models.alibi_names() == ["alibi-L128-s1", "own:00ff"]


def test_a_text_too_short_to_tell_slopes_is_not_called_a_model_without(opened):
    capture = replace(trained.see(opened, "x").capture, slopes=None)
    assert "too short" in trained_words.no_slopes(capture, "bloom")
    other = replace(capture, promise=replace(capture.promise, method="rope"))
    assert trained_words.no_slopes(other, "rope").startswith("rope has no slopes")


def test_names_of_two_models_are_signs_that_no_legend_or_sentence_obeys():
    names = ("folder:<a href='x'>![y](www.z.example)</a>", "alibi-L128-s0")
    models = [trained.OpenModel(name, name, None, key=name) for name in names]
    said = [trained_body._short_name(model, models, (0, 1)) for model in models]
    assert said == ["·a href··x····y··www·z.example···a·, 1·2", "alibi-L128-s0, 1·2"]
    same = [models[1], models[1]]
    assert trained_body._short_name(models[1], same, (0, 1)) == "layer 1, head 2"
