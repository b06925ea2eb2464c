import re
import sys
from collections import Counter
from pathlib import Path

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
from alibi_viz.words import plain_text
from tests.inspection.conftest import TEXT
from tests.inspection.hostile import KINDS, Good, make_all, make_good, multiplied

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
def good_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "good"
    make_good(folder)
    return folder


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


# Where memory runs out, the process goes with it; a library that gives up is heard.
NO_MEMORY = r"bomb cannot be .* no memory left for it, while it did this: tokenizer\.json cuts"
MULTIPLIED = {
    "characters": NO_MEMORY,
    "tokens": NO_MEMORY,
    "tries": r"tokenizer\.json cannot cut this text into tokens: \w+",
}


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read as Linux tells it")
@pytest.mark.parametrize("kind", MULTIPLIED)
def test_a_tokenizer_that_multiplies_takes_bounded_memory_and_harms_nobody_else(
    kind, good, good_folder, children, tmp_path
):
    folder = tmp_path / "bomb"
    good.write(folder, tokenizer={**good.tokenizer, **multiplied(kind)})
    neighbour = foreign(children, good_folder).open()
    answers = neighbour.see(TEXT, nobody)
    process = children._slots[0].child._process
    its_own = Children(1)
    most = []

    def measured(done, words):
        running = its_own._slots[0].child._process
        status = Path(f"/proc/{running.pid}/status").read_text()
        most.extend(int(kb) for kb in re.findall(r"VmHWM:\s*(\d+) kB", status))

    try:
        with pytest.raises(UnreadableModel, match=MULTIPLIED[kind]) as told:
            foreign(its_own, folder, seconds=20).open(measured).see(TEXT, measured)
        assert str(told.value).isprintable()
        assert 100_000 < max(most) < 1_000_000
        # Whoever comes next meets a model that is what it says.
        assert foreign(its_own, good_folder).open().see(TEXT, nobody).tokens == answers.tokens
    finally:
        its_own.stop()
    np.testing.assert_array_equal(neighbour.see(TEXT, nobody).nll, answers.nll)
    assert children._slots[0].child._process is process


def test_what_a_tokenizer_fills_up_is_no_part_of_the_text(children, good, tmp_path):
    padding = {
        "strategy": {"Fixed": 10**10}, "direction": "Right", "pad_to_multiple_of": None,
        "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]",
    }  # fmt: skip
    good.write(tmp_path / "padded", tokenizer={**good.tokenizer, "padding": padding})
    seen = foreign(children, tmp_path / "padded").open().see(TEXT, nobody)
    assert seen.tokens[-1].end == len(TEXT.encode())


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


# The beginning of what the command says of a model that it cannot read: the file, or the folder
# where it is a file's content that makes no model; and then the reason.
REFUSED = r"cannot be read: ((model|config|tokenizer)[\w.]*|{folder}):? [^\n]{{8,}}\n"


@pytest.fixture
def command(children, monkeypatch, capsys):
    """Runs the command in this process, with a child that is warm, and returns what came of it."""

    class Kept:
        def __init__(self, most):
            pass

        def child_for(self, model):
            return children.child_for(model)

        def stop(self):
            pass

    monkeypatch.setattr(cli, "Children", Kept)

    def run(folder):
        status = main(["probe", str(folder), "--long-length", "64"])
        return status, capsys.readouterr().out

    return run


def what_is_wrong(kind, folder, status, said):
    """None where what is no model is refused in a sentence, and another gets a verdict."""
    if "Traceback" in said:
        return f"a traceback: {said}"
    if status == 2:
        name = re.escape(plain_text(folder.name))
        is_refused = re.fullmatch(REFUSED.format(folder=name), said)
        return None if is_refused else f"{kind} is refused in other words: {said}"
    if kind not in HARMLESS:
        return f"{kind} is opened in {folder}: {said}"
    is_verdict = status in (0, 1) and len(said.splitlines()) > 2
    return None if is_verdict else f"{kind} ends with {status} and no verdict: {said}"


@pytest.mark.parametrize("kind", [kind.__name__ for kind in KINDS])
def test_the_command_names_file_and_reason_and_exits_with_2(kind, command, hostile):
    made = [folder for found, folder in hostile if found == kind]
    for folder in (made[0], made[len(made) // 2], made[-1]):
        assert what_is_wrong(kind, folder, *command(folder)) is None


@pytest.mark.slow
def test_the_command_tells_of_all_three_hundred(command, hostile):
    statuses = Counter()
    for kind, folder in hostile:
        status, said = command(folder)
        assert what_is_wrong(kind, folder, status, said) is None
        statuses[status] += 1
    assert statuses[2] > 220
