from dataclasses import replace

import numpy as np
import pytest

from alibi_viz.evaluation.store import add_records
from alibi_viz.retrieval import results
from alibi_viz.retrieval.records import CopyRecord, RecallRecord


def recalled(variant, seed, length, right, stretching="as-trained"):
    return RecallRecord(variant, seed, stretching, length, 16, right, (3, 1), (4, 4), "typed")


def copied(name, seed, distance, same, other, **changed):
    how = {"stretching": "as-trained", "tuned_length": 0, "kind": "real", **changed}
    return CopyRecord(
        checkpoint=f"assets/checkpoints/{name}-s{seed}", method="alibi", seed=seed,
        train_length=128, text="code", corpus="text", command="typed", distance=distance, same=same,
        other=other, **how,
    )  # fmt: skip


@pytest.fixture
def stored(tmp_path, monkeypatch):
    for kind in (RecallRecord, CopyRecord):
        monkeypatch.setattr(kind, "file", tmp_path / kind.file.name)
    return add_records


def test_accuracies_come_seed_by_seed_and_window_by_window(stored):
    stored(
        [
            recalled("nope", seed, length, (16, right, 4))
            for seed in (0, 3)
            for length, right in ((256, 8), (128, 12))
        ]
    )
    (curve,) = results.recall_curves()
    assert (curve.model, curve.places, curve.seeds) == ("nope", (128, 256), (0, 3))
    assert curve.at(256).tolist() == [[1, 0.5, 0.25], [1, 0.5, 0.25]]
    np.testing.assert_allclose(curve.mean, [2 / 3, 7 / 12])
    assert curve.by_seed.shape == (2, 2)
    low, high = curve.intervals[0]
    assert low < 2 / 3 < high


def test_a_length_that_one_seed_lacks_is_left_out(stored):
    stored([recalled("nope", 0, 128, (1, 2)), recalled("nope", 0, 256, (1, 2))])
    stored([recalled("nope", 1, 128, (1, 2))])
    assert results.recall_curves()[0].places == (128,)


def test_maps_by_depth_add_up_seeds(stored):
    stored([recalled("nope", seed, 128, (4, 4)) for seed in range(5)])
    stored([replace(recalled("nope", 5, 128, (4, 4)), right_by_depth=(0, 4))])
    stored([recalled("nope", 0, 256, (4, 4))])
    (found,) = results.recall_by_depth()
    assert found.lengths == (128,)
    assert found.by_seed.shape == (6, 1, 2)
    assert found.accuracy.tolist() == [[pytest.approx(0.625), pytest.approx(9 / 24)]]
    assert found.asked.tolist() == [[4, 4]]


def test_gains_are_kept_apart_by_stretching_and_kind_and_named_without_a_seed(stored):
    stored(
        [
            copied("alibi-e16-L128", 2, 24, (1.0, 2.0), (1.5, 2.25)),
            copied("alibi-e16-L128", 2, 24, (1.0, 2.0), (1.5, 3.0), stretching="slopes-pi"),
            copied("alibi-e16-L128", 2, 24, (9.0, 9.0), (9.0, 9.0), kind="random"),
        ]
    )
    plain = results.find_curve(results.copy_curves(), "alibi-e16-L128")
    assert plain.at(24).tolist() == [[0.5, 0.25]]
    assert len(results.copy_curves()) == 2
    same, other = results.copy_losses_by_distance("random")[0]
    assert same.at(24).tolist() == other.at(24).tolist() == [[9, 9]]


def test_more_accurate_is_ahead_and_more_loss_is_behind(stored):
    windows = range(40)
    good = [recalled("nope", s, 128, tuple(14 + (w + s) % 3 for w in windows)) for s in (0, 1)]
    poor = [recalled("rope", s, 128, tuple(4 + w % 5 for w in windows)) for s in (0, 1, 2)]
    stored([*good, *poor])
    curves = results.recall_curves()
    nope, rope = (results.find_curve(curves, name) for name in ("nope", "rope"))
    compared = results.compare_at(nope, rope, 128, more_is_better=True)
    assert compared.word == "ahead"
    assert len(compared.by_seed) == 2
    assert compared.difference == pytest.approx(rope.mean[0] - nope.mean[0], abs=0.01)
    assert results.compare_at(nope, rope, 128).word == "behind"
    assert results.compare_at(rope, rope, 128).word == "level"


def test_what_was_not_measured_is_named(stored):
    stored([recalled("nope", 0, 128, (1, 2))])
    curves = results.recall_curves()
    with pytest.raises(ValueError, match="nothing was measured of rope, as-trained, tuned on 0"):
        results.find_curve(curves, "rope")
    with pytest.raises(ValueError, match=r"place must be one of \(128,\), got 256"):
        curves[0].at(256)
