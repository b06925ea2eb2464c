from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from alibi_viz.figures.inspection import DistanceCurve
from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.loading.policy import FOLDER_VARIABLE, ModelsPolicy
from alibi_viz.inspection.text.what_if import Change, WhatIf
from alibi_viz.jobs.models import TrainedModel
from alibi_viz.ui.canvas.map import Panel, map_data
from alibi_viz.ui.trained import files as trained_files
from alibi_viz.ui.trained import models as trained
from alibi_viz.ui.trained import offered as trained_models
from alibi_viz.ui.trained import words as trained_words
from alibi_viz.ui.trained.compare import moved_share
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


def test_a_model_is_loaded_once_and_again_after_its_files_changed(folder, opened):
    assert trained.open_model("folder:alibi").adapter is opened.adapter
    weights = folder / "alibi" / "model.safetensors"
    weights.write_bytes(weights.read_bytes())
    assert trained.open_model("folder:alibi").adapter is not opened.adapter


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
    changed, result = trained.see_changed(opened, TEXT, seen, Change(scale=0.5))
    assert result.unchanged is seen.capture
    np.testing.assert_allclose(changed.capture.slopes, seen.capture.slopes / 2, rtol=1e-6)
    assert trained.see_changed(opened, TEXT, seen, Change(scale=0.5))[1] is result


def test_a_name_that_is_nowhere_is_refused():
    with pytest.raises(UnreadableModel, match=r"there is no model called '\.\./x' here"):
        source_of("../x", ModelsPolicy())
    with pytest.raises(UnreadableModel, match="no models folder is open"):
        source_of("folder:alibi", ModelsPolicy())


@pytest.fixture
def panel(opened):
    return Panel("", trained.see(opened, TEXT).capture, 1, 2, "the one")


def test_the_share_that_moved_is_half_the_difference_of_the_weights(opened, panel):
    other = Panel("", panel.capture, 0, 1, "the other")
    one, two = (
        panel.capture.attention(p.layer, p.head).weights.astype(np.float64) for p in (panel, other)
    )
    reference = np.mean([np.abs(a - b).sum() / 2 for a, b in zip(one, two, strict=True)])
    assert moved_share(panel, other) == pytest.approx(reference, rel=1e-5)
    assert moved_share(panel, panel) == 0


def test_heads_over_different_tokens_have_no_share_and_no_common_map(opened, panel):
    other = Panel("", trained.see(opened, "x = 1").capture, 0, 0)
    assert moved_share(panel, other) is None
    with pytest.raises(ValueError, match="the same tokens"):
        map_data([panel, other])


def test_a_saved_head_holds_every_number_and_where_it_came_from(panel, tmp_path):
    path = tmp_path / "head.npz"
    path.write_bytes(trained_files.head_npz(panel, {"model": "alibi", "layer": 2}))
    seen = panel.capture.attention(1, 2)
    with np.load(path, allow_pickle=False) as saved:
        np.testing.assert_array_equal(saved["weights"], seen.weights)
        np.testing.assert_array_equal(saved["content"], seen.content)
        assert saved["tokens"][0] == "def"
        assert str(saved["state"]) == '{"model": "alibi", "layer": 2}'


def test_a_saved_row_is_a_table_behind_its_state(panel):
    first, header, *rows = trained_files.row_csv(panel, 4, {"model": "alibi"}).decode().splitlines()
    assert first == '# {"model": "alibi", "query": 4}'
    assert header.startswith("key,token,")
    # A causal query sees itself and the four before it.
    assert [row.split(",")[0] for row in rows] == ["0", "1", "2", "3", "4"]
    weights = [float(row.rsplit(",", 1)[1]) for row in rows]
    assert sum(weights) == pytest.approx(1, abs=1e-6)


def test_heads_are_ordered_by_what_was_asked_for_the_largest_first(opened):
    seen = trained.see(opened, TEXT)
    measures, slopes = trained.overview_of(seen).measures, seen.capture.slopes
    assert trained_words.grid_order("layer and head", measures, slopes) == [0, 1, 2, 3, 4, 5]
    # Slopes fall with the head, and both layers have the same.
    assert trained_words.grid_order("slope", measures, slopes) == [0, 3, 1, 4, 2, 5]
    for order, values in (("window", measures.window), ("first token", measures.first_token)):
        ordered = values.ravel()[trained_words.grid_order(order, measures, slopes)]
        assert (np.diff(ordered) <= 0).all()


def test_a_head_that_follows_its_slope_is_not_said_to_look_further():
    slopes = np.array([[0.5, 0.125]])
    alone = trained_words.theory_of(slopes, 131, 0.95)
    assert "none of the 2 heads looks further" in trained_words.attention_sentence(
        alone, alone, slopes
    )


def test_a_head_that_looks_further_is_named_with_both_windows():
    slopes = np.array([[0.5, 0.125]])
    alone = trained_words.theory_of(slopes, 131, 0.95)
    flatter = trained_words.theory_of(np.array([[0.5, 0.03125]]), 131, 0.95)
    sentence = trained_words.attention_sentence(flatter, alone, slopes)
    assert sentence.startswith("1 of 2 heads looks further than the slope alone would")
    assert "most of all layer 1, head 2" in sentence
    assert "where slope 1/8 alone needs" in sentence


def test_the_words_of_the_weights_by_distance_hold_both_ends_of_every_line():
    lines = [
        DistanceCurve("measured", np.array([0.5, 0.25, 0.125]), "#000", True),
        DistanceCurve("slope alone", np.array([0.75, 0.25]), "#000", False),
    ]
    assert trained_words.distances_alt(lines) == (
        "Mean attention weight against distance, in tokens: measured from 0.5 at distance 0 to "
        "0.12 at 2; slope alone from 0.75 at distance 0 to 0.25 at 1."
    )


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


def test_one_token_shows_its_slopes_and_can_be_changed(opened):
    seen = trained.see(opened, "x")
    changed, result = trained.see_changed(opened, "x", seen, Change(scale=0.5))
    np.testing.assert_allclose(changed.capture.slopes, seen.capture.slopes / 2)
    assert "one token predicts nothing" in trained_words.what_if_sentence(result, 0.0, 128)
    theory = trained_words.theory_of(seen.capture.slopes, 1, 0.95)
    assert theory.window.tolist() == [[1, 1, 1]] * 2
    measures = trained.overview_of(seen).measures
    assert "none of the 6 heads" in trained_words.attention_sentence(
        measures, theory, seen.capture.slopes
    )


def test_the_last_target_of_a_training_window_counts_as_trained(opened):
    # 40 tokens: 39 are predicted, 32 of them from at most 32 tokens as in training.
    text = (TEXT * 3).encode()
    capture = trained.see(opened, text).capture
    capture = replace(capture, tokens=capture.tokens[:40], nll=np.zeros(39, np.float32))
    cost = np.where(np.arange(39) < 32, 1, 3).astype(np.float32)
    result = WhatIf(capture, replace(capture, nll=cost), capture.slopes)
    sentence = trained_words.what_if_sentence(result, None, 32)
    assert "+1.000 on the first 32 predicted tokens, +3.000 on the 7 beyond" in sentence
    assert "beyond" not in trained_words.what_if_sentence(result, None, 39)


def test_a_text_too_short_to_tell_slopes_is_not_called_a_model_without(opened):
    capture = replace(trained.see(opened, "x").capture, slopes=None)
    assert "too short" in trained_words.no_slopes(capture, "bloom")
    other = replace(capture, promise=replace(capture.promise, method="rope"))
    assert trained_words.no_slopes(other, "rope").startswith("rope has no slopes")
