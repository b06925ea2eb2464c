import json

import pytest

from alibi_viz.charts.measured import curves as measured
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.store import load_records
from tests.made_up_records import made_up
from tests.pages.measured import (
    NONOVERLAPPING,
    records,
    write_checkpoint,
    write_results,
)


@pytest.fixture
def comparable(tmp_path):
    def of(made):
        return measured.comparable(
            load_records(Record, write_results(tmp_path / "records.json", made))
        )

    return of


def curves(chosen, **options):
    asked = {"train_length": 128, "protocol": "nonoverlapping", "measure": "perplexity"} | options
    return {curve.method: curve for curve in measured.own_curves(chosen, **asked)}


def test_means_and_ranges_are_over_seeds(comparable):
    seeds = [made_up("t5", 128, value, seed=n) for n, value in enumerate((12.0, 13.0, 17.0))]
    longer = [made_up("t5", 256, 9.0, seed=n) for n in range(3)]
    (curve,) = curves(comparable([*seeds, *longer, made_up("t5", 256, 1.0, seed=3)])).values()
    assert curve.lengths.tolist() == [128, 256]
    # The third root of 12 * 13 * 17: seeds are averaged as losses.
    assert curve.mean == pytest.approx([13.8418, 9.0], abs=1e-4)
    assert curve.low.tolist() == [12.0, 9.0]
    assert curve.high.tolist() == [17.0, 9.0]
    # A seed that was not measured everywhere is left out.
    assert curve.n_seed.tolist() == [3, 3]


def test_the_ratio_is_to_the_same_seeds_own_perplexity_at_the_training_length(comparable):
    made = [made_up("rope", 128, 10.0), made_up("rope", 512, 20.0)]
    made += [made_up("rope", 128, 40.0, seed=1), made_up("rope", 512, 60.0, seed=1)]
    curve = curves(comparable(made), measure="ratio")["rope"]
    # Of 20/10 and 60/40, not of 80/50.
    assert curve.at(512) == pytest.approx((2.0 * 1.5) ** 0.5)
    assert curve.at(128) == 1.0


def test_a_seed_without_its_own_base_has_no_ratio(comparable):
    made = [
        made_up("rope", 128, 10.0),
        made_up("rope", 512, 20.0),
        made_up("rope", 512, 90.0, seed=1),
    ]
    curve = curves(comparable(made), measure="ratio")["rope"]
    assert curve.at(512) == 2.0
    assert curve.n_seed.tolist() == [1, 1]


def test_bits_per_byte_are_read_not_recomputed(comparable):
    chosen = comparable([made_up("alibi", 128, 13.0, bits_per_byte=1.25)])
    assert curves(chosen, measure="bits per byte")["alibi"].at(128) == 1.25


def test_protocols_and_training_lengths_are_kept_apart(comparable):
    chosen = comparable([*records(), made_up("alibi", 64, 15.0, train_length=64)])
    assert curves(chosen)["alibi"].at(512) == pytest.approx(12.4 * 1.02**0.5)
    assert curves(chosen, protocol="sliding_window")["alibi"].at(512) == 12.2
    assert curves(chosen, train_length=64)["alibi"].lengths.tolist() == [64]
    assert list(curves(chosen)) == ["alibi", "sinusoidal", "learned", "rope", "t5", "nope"]


def test_learned_says_why_it_ends_and_others_do_not(comparable):
    ends = {key: curve.ends for key, curve in curves(comparable(records())).items()}
    assert ends.pop("learned") == "its table ends here"
    assert set(ends.values()) == {""}
    alone = curves(comparable([made_up("learned", 128, 15.0)]))
    assert alone["learned"].ends == ""
    unmeasured = curves(comparable([made_up("nope", 128, 15.0), made_up("t5", 256, 12.0)]))
    assert unmeasured["nope"].ends == ""


def test_variants_and_other_texts_stay_out(comparable):
    made = [
        made_up("alibi", 128, 13.0),
        made_up("alibi", 128, 1.5, tokens_scored=65536, checkpoint="runs/alibi-learned-L128-s0"),
        made_up("alibi", 256, 1.5, text=""),
        made_up(
            "alibi", 256, 1.5, text="prose", checkpoint="assets/checkpoints/prose-alibi-L128-s0"
        ),
        made_up("alibi", 64, 1.5, variant="e16"),
        made_up("rope", 128, 13.5),
    ]
    chosen = comparable(made)
    assert sorted(r.perplexity for r in chosen) == [13.0, 13.5]
    (prose,) = measured.comparable([Record(**row) for row in made], "prose")
    assert (prose.text, prose.eval_length) == ("prose", 256)


def test_of_the_same_point_the_one_with_most_tokens_then_the_shortest_stride_counts(comparable):
    made = [
        made_up("alibi", 128, 13.2),
        made_up("alibi", 128, 13.0, tokens_scored=65536),
        made_up("alibi", 256, 12.5, stride=64),
        made_up("alibi", 256, 12.1, stride=16),
    ]
    assert sorted(r.perplexity for r in comparable(made)) == [12.1, 13.0]


def test_protocols_are_set_side_by_side_on_the_same_tokens_alone(tmp_path):
    made = [
        made_up("alibi", 128, 13.0, tokens_scored=65536),
        made_up("alibi", 128, 12.8, tokens_scored=8192, targets="sample"),
        made_up("alibi", 512, 12.6, tokens_scored=8192, targets="sample"),
        made_up("alibi", 128, 12.3, stride=32),
        made_up("alibi", 128, 12.2, stride=32, text="prose"),
        # Another seed, and a method, that lack the one protocol or the other.
        made_up("alibi", 128, 12.4, stride=32, seed=1),
        made_up("alibi", 128, 13.1, tokens_scored=65536, seed=1),
        made_up("rope", 128, 13.5, tokens_scored=8192, targets="sample"),
    ]
    chosen = measured.same_text(load_records(Record, write_results(tmp_path / "r.json", made)))
    assert sorted(r.perplexity for r in chosen) == [12.3, 12.6, 12.8]
    assert {r.tokens_scored for r in chosen} == {8192}


def test_without_a_common_text_nothing_is_set_side_by_side(tmp_path):
    assert (
        measured.same_text(load_records(Record, write_results(tmp_path / "r.json", records())))
        == []
    )


def test_checkpoints_tell_what_they_are_with_or_without_a_curve(tmp_path):
    write_checkpoint(tmp_path, "t5", final=2.5)
    (write_checkpoint(tmp_path, "alibi") / "curve.json").unlink()
    alibi, t5 = measured.bundled_models(tmp_path)
    assert (alibi.name, alibi.method, alibi.validation) == ("alibi-L128-s0", "alibi", ())
    assert t5.validation[-1] == (8_192_000, 2.5)
    assert t5.about["parameters"] == 921_000


def test_the_made_up_records_cover_every_method():
    assert len(NONOVERLAPPING) == 6


def test_means_and_ranges_are_written_with_as_many_digits_as_they_are_worth(comparable):
    made = [made_up("rope", 128, value, seed=seed) for seed, value in ((0, 10.004), (1, 10.5))]
    made += [made_up("rope", 512, value, seed=seed) for seed, value in ((0, 120.0), (1, 130.26))]
    curve = curves(comparable(made))["rope"]
    said = [measured.spread_text(curve, length) for length in (128, 512, 2048)]
    (alone,) = curves(comparable([made_up("nope", 128, 140.0)])).values()
    said.insert(2, measured.spread_text(alone, 128))
    assert said == ["10.25 (10.00-10.50)", "125.0 (120.0-130.3)", "140.0", "-"]


def test_curves_are_of_one_training_length_and_name_each_method_once(tmp_path):
    for seed in (0, 1):
        write_checkpoint(tmp_path, "alibi", seed=seed)
    write_checkpoint(tmp_path, "rope")
    write_checkpoint(tmp_path, "rope", train_length=64)
    curves = measured.loss_curves(measured.bundled_models(tmp_path), 128)
    assert [curve.label for curve in curves] == ["ALiBi", "", "RoPE"]
    assert len(curves[0].points) == 16


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        ({"config.json": {}}, "holds no readable checkpoint: 'model'"),
        ({"config.json": {"model": {"position": "rope"}}}, "checkpoint: 'train_length'"),
        ({"config.json": {"model": {"position": "rotary"}}}, "unknown position method 'rotary'"),
        ({"curve.json": {"train": []}}, "checkpoint: 'validation'"),
        ({"curve.json": []}, "holds no readable checkpoint"),
    ],
)
def test_a_damaged_checkpoint_is_named(tmp_path, damaged, message):
    folder = write_checkpoint(tmp_path, "rope")
    for name, content in damaged.items():
        (folder / name).write_text(json.dumps(content))
    with pytest.raises(ValueError, match=message):
        measured.bundled_models(tmp_path)
