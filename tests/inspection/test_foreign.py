import re

import numpy as np
import pytest

from alibi_viz.__main__ import main
from alibi_viz.inspection import cli
from alibi_viz.inspection.errors import UnfitAsking, UnreadableModel
from alibi_viz.inspection.foreign.children import Children
from alibi_viz.inspection.foreign.model import ForeignModel
from alibi_viz.inspection.here import HereModel
from alibi_viz.inspection.loading import load_model
from alibi_viz.inspection.text.what_if import Change
from tests.inspection.conftest import TEXT, bloom
from tests.inspection.hostile import KINDS, SIZES, Good, make_all

# Of a crowded machine; nothing here is meant to take a tenth of it.
SECONDS = 120.0


def nobody(done, words):
    pass


@pytest.fixture(scope="module")
def children():
    made = Children(1)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def good_folder(save_model):
    sizes = {name: size for name, size in SIZES.items() if name != "vocab_size"}
    return save_model(*bloom(**sizes))


@pytest.fixture(scope="module")
def good(good_folder):
    return Good.read(good_folder)


def foreign(children, folder, seconds=SECONDS):
    return ForeignModel(children, folder, folder, length=100, seconds=seconds)


def test_the_child_says_of_a_model_what_would_be_said_here(children, good_folder):
    here = HereModel(load_model(good_folder))
    there = foreign(children, good_folder).open()
    for change in (None, Change(scale=0.5)):
        ours, theirs = here.see(TEXT, nobody, change), there.see(TEXT, nobody, change)
        np.testing.assert_array_equal(theirs.nll, ours.nll)
        np.testing.assert_array_equal(theirs.slopes, ours.slopes)
        assert theirs.tokens == ours.tokens
        np.testing.assert_array_equal(theirs.attention(0, 1).logits, ours.attention(0, 1).logits)
        measured = there.overview(theirs, nobody, TEXT, change)
        expected = here.overview(ours, nobody, TEXT, change)
        np.testing.assert_array_equal(measured.measures.window, expected.measures.window)
    verdict = there.verdict(nobody, 64)
    assert verdict == here.verdict(nobody, 64)
    assert verdict.agrees


def test_weights_that_only_the_model_knows_are_fetched_from_the_child(children, save_model):
    sizes = {"hidden_size": 40, "num_layers": 2, "num_heads": 5, "window_size": 7}
    folder = save_model("GPTNeoConfig", {**sizes, "attention_types": [[["global", "local"], 1]]})
    ours = HereModel(load_model(folder)).see(TEXT, nobody)
    theirs = foreign(children, folder).open().see(TEXT, nobody)
    assert not theirs.is_split
    for layer in range(2):
        np.testing.assert_array_equal(
            theirs.attention(layer, 4).weights, ours.attention(layer, 4).weights
        )


def test_a_text_that_does_not_fit_is_told_apart_from_a_model_that_cannot_be_read(
    children, good_folder
):
    model = foreign(children, good_folder).open()
    with pytest.raises(UnfitAsking, match="the text is empty"):
        model.see("", nobody)
    with pytest.raises(UnfitAsking, match="no head 7 in layer 0"):
        model.see(TEXT, nobody, Change(off=frozenset({(0, 7)})))
    assert "�" in model.see(b"caf\xe9 \xff and more", nobody).text


@pytest.fixture(scope="module")
def hostile(good, tmp_path_factory):
    return list(make_all(good, tmp_path_factory.mktemp("hostile")))


# Opened all the same, since what is odd about them is never looked at, or does no harm.
HARMLESS = {
    "setting_of_another_type", "settings_that_choose_kernels", "names_of_folders", "tokenizers",
    "files_that_lead_out", "weights_that_are_none", "kinds_that_nobody_knows",
    "config_that_is_none", "entry_of_another_type", "sizes_beyond_the_weights",
}  # fmt: skip


def test_three_hundred_hostile_checkpoints_end_no_child_and_each_is_told(children, hostile):
    assert len(hostile) == sum(KINDS.values()) == 300
    opened, processes, silent = [], set(), []
    for kind, folder in hostile:
        try:
            foreign(children, folder).open().see(TEXT, nobody)
            opened.append(kind)
        except (UnreadableModel, UnfitAsking) as error:
            said = str(error)
            if not said.isprintable() or len(said) < 12:
                silent.append((kind, folder, said))
        processes.add(children._slots[0].child._process.pid)
    assert not silent
    assert len(processes) == 1, "a child ended"
    assert set(opened) <= HARMLESS, opened
    assert len(opened) < 75, opened


@pytest.mark.parametrize("kind", sorted(set(kind.__name__ for kind in KINDS) - HARMLESS))
def test_the_command_names_file_and_reason_and_exits_with_2(
    kind, children, hostile, monkeypatch, capsys
):
    class Kept:
        def __init__(self, most):
            pass

        def child_for(self, model):
            return children.child_for(model)

        def stop(self):
            pass

    monkeypatch.setattr(cli, "Children", Kept)
    for found, folder in hostile:
        if found == kind:
            assert main(["probe", str(folder)]) == 2
            said = capsys.readouterr().out
            assert re.match(r"cannot be read: (model\.safetensors|config\.json) \w+", said), said
            assert said.count("\n") == 1
