import pytest

from alibi_viz.__main__ import main
from alibi_viz.errors import EXIT_STOPPED
from alibi_viz.evaluation.store import load_records
from alibi_viz.retrieval import recall_cli
from alibi_viz.retrieval.needles import needle_windows
from alibi_viz.retrieval.recall import right_answers
from alibi_viz.retrieval.recall_training import recall_config, recall_recipe, train_recall
from alibi_viz.retrieval.records import RecallRecord

LENGTHS = (128, 160)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the command with its files in a folder; returns its status and the records."""
    monkeypatch.setattr(recall_cli, "RECALL_LENGTHS", LENGTHS)

    def go(*words):
        where = ["--run", str(tmp_path / "run"), "--output", str(tmp_path / "x.json")]
        status = main(["recall-own", *words, "--steps", "2", "--windows", "3", *where])
        has_records = (tmp_path / "x.json").is_file()
        return status, load_records(RecallRecord, tmp_path / "x.json") if has_records else []

    return go


def test_a_model_of_ones_own_is_trained_and_asked_once(run, capsys):
    status, records = run("--max-exponent", "9.5", "--free-heads", "2", "--seed", "5")
    assert status == 0
    assert [record.eval_length for record in records] == list(LENGTHS)
    recipe = recall_recipe(recall_config("alibi", max_exponent=9.5, free_heads=2), 5, steps=2)
    right = right_answers(train_recall(recipe).model, needle_windows(160, count=3))
    assert records[1].right == tuple(right.sum(axis=1))
    assert (records[1].variant, records[1].seed) == ("alibi-e9.5-free2", 5)
    capsys.readouterr()
    assert run("--max-exponent", "9.5", "--free-heads", "2", "--seed", "5")[0] == 0
    assert not capsys.readouterr().out


def test_a_run_that_is_asked_to_stop_says_so_and_goes_on(run, monkeypatch, capsys):
    # Asked after each step and before each length: the model is trained, one length is asked.
    answers = iter([False, False, False, True])
    monkeypatch.setattr(recall_cli, "stop_when_asked", lambda: lambda: next(answers))
    status, records = run("--position", "nope")
    assert status == EXIT_STOPPED
    assert [record.eval_length for record in records] == [128]
    assert "the same command goes on" in capsys.readouterr().err
    monkeypatch.setattr(recall_cli, "stop_when_asked", lambda: lambda: False)
    status, records = run("--position", "nope")
    assert (status, len(records)) == (0, 2)


def test_a_method_that_ends_at_its_training_length_cannot_be_asked(run):
    with pytest.raises(SystemExit):
        run("--position", "learned")
