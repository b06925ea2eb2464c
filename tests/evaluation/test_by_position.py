import dataclasses
import json

import numpy as np
import pytest

from alibi_viz.__main__ import main
from alibi_viz.data.prepared import describe_tokenizer
from alibi_viz.data.tokenizer import load_tokenizer
from alibi_viz.evaluation.by_position import bands_up_to, measure_by_position
from alibi_viz.evaluation.perplexity import evaluate
from alibi_viz.evaluation.position_records import Band, PositionRecord
from alibi_viz.evaluation.store import add_records, load_records
from alibi_viz.model.checkpoint import save_checkpoint
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer, initialise


def record(**changes):
    bands = (Band(1, 1, 40, 3.5), Band(2, 5, 160, 2.5))
    values = {
        "method": "alibi", "seed": 3, "train_length": 7, "window": 5,
        "tokens_scored": 47, "bands": bands, "checkpoint": "here", "corpus": "text",
        "command": "python",
    }  # fmt: skip
    return PositionRecord(**{**values, **changes})


@pytest.mark.parametrize("longest", [1, 2, 3, 5, 128, 129, 4096])
def test_bands_hold_every_context_once(longest):
    held = [n for first, last in bands_up_to(longest) for n in range(first, last + 1)]
    assert held == list(range(1, longest + 1))


def test_the_mean_over_all_bands_is_the_loss_of_the_window(make_model, stretch):
    model = make_model()
    bands = measure_by_position(model, stretch, (11,))
    # 47 targets hold four whole windows of 11.
    whole = evaluate(
        model, dataclasses.replace(stretch, count=44), np.ones(19, int), eval_length=11
    )
    assert sum(band.tokens for band in bands) == 44
    assert sum(band.tokens * band.nll for band in bands) / 44 == pytest.approx(whole.nll, abs=1e-5)


def test_short_windows_measure_the_first_positions_and_long_ones_the_rest(make_model, stretch):
    model = make_model()
    short, both, long = (measure_by_position(model, stretch, w) for w in [(5,), (5, 17), (17,)])
    # 47 targets: nine windows of 5, two of 17. Context 4 to 5 is the last band that 5 holds.
    assert [band.tokens for band in both[:4]] == [9, 9, 9, 18]
    assert both[:2] == short[:2]
    # The last band of a window of 5 is three positions, of which 17 makes a band of one and of two.
    assert short[2].nll == pytest.approx((both[2].nll + 2 * both[3].nll) / 3, abs=1e-5)
    assert both[4:] == long[4:]
    assert both[-1].last == 17


def test_learned_positions_are_measured_to_their_end(make_model, stretch):
    bands = measure_by_position(make_model("learned"), stretch, (5, 40))
    assert bands[-1].last == 23


def test_a_file_of_records_is_read_as_written(tmp_path):
    path = tmp_path / "by_position.json"
    add_records([record()], path)
    other = record(seed=5)
    again = record(bands=(Band(1, 5, 40, 1.0),))
    add_records([other, again], path)
    assert load_records(PositionRecord, path) == [again, other]
    assert len(path.read_text().splitlines()) == 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bands": ()}, "bands must follow one another"),
        ({"bands": (Band(2, 3, 1, 1.0),)}, "bands must follow one another from 1 token"),
        ({"bands": (Band(1, 3, 1, 1.0), Band(5, 6, 1, 1.0))}, "must follow one another"),
        ({"bands": (Band(1, 3, 1, float("nan")),)}, "nll must be finite"),
        ({"method": "yarn"}, "yarn"),
    ],
)
def test_a_record_that_cannot_be_true_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        record(**changes)


def test_a_damaged_file_is_named_and_left_alone(tmp_path):
    path = tmp_path / "by_position.json"
    path.write_text(json.dumps({"schema": 9, "records": []}))
    with pytest.raises(ValueError, match=r"by_position.json has schema 9, this version reads 2"):
        add_records([record()], path)
    path.write_text(json.dumps({"schema": 2, "records": [{"method": "alibi"}]}))
    with pytest.raises(ValueError, match="record 0 must have exactly the fields method, seed"):
        load_records(PositionRecord, path)


def test_the_command_measures_what_is_not_there_yet(tmp_path, capsys):
    model = Transformer(ModelConfig(n_layer=1, n_head=2, d_model=8, train_length=16))
    initialise(model, 1)
    folder = tmp_path / "alibi-L16-s4"
    save_checkpoint(folder, model, {"seed": 4, "tokenizer": describe_tokenizer(load_tokenizer())})
    output = tmp_path / "by_position.json"
    words = ["by-position", str(folder), "--output", str(output), "--device", "cpu"]
    words += ["--tokens", "200", "--windows", "7", "31"]
    assert main(words) == 0
    assert "alibi-L16-s4  loss" in capsys.readouterr().out
    (measured,) = load_records(PositionRecord, output)
    assert (measured.method, measured.seed, measured.train_length) == ("alibi", 4, 16)
    assert (measured.window, measured.bands[-1].last) == (31, 31)
    assert measured.corpus.startswith("python-stdlib 3.")
    assert main(words) == 0
    assert capsys.readouterr().out == ""
    # Another number of tokens is another measurement.
    assert main([*words, "--tokens", "210"]) == 0
    assert [r.tokens_scored for r in load_records(PositionRecord, output)] == [200, 210]
