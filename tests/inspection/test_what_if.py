import numpy as np
import pytest
import torch

from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.text.capture import capture
from alibi_viz.inspection.text.what_if import Change, changed_slopes, what_if
from tests.inspection.conftest import TEXT
from tests.inspection.references import reference_interleaved

FAMILIES = ("bloom", "mpt", "falcon", "falcon_shared_key")


@pytest.mark.parametrize("family", FAMILIES)
def test_no_change_changes_nothing(family, loaded):
    result = what_if(loaded(family), TEXT, Change())
    assert result.changed.mean_nll == pytest.approx(result.unchanged.mean_nll, abs=1e-5)
    before, after = (seen.attention(1, 2) for seen in (result.unchanged, result.changed))
    np.testing.assert_allclose(after.weights, before.weights, atol=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_new_exponent_acts_as_the_familys_own_slopes_would(family, loaded):
    adapter = loaded(family)
    result = what_if(adapter, TEXT, Change(max_exponent=4))
    n_head = result.changed.n_head
    expected = adapter.promise().factor * np.array(reference_interleaved(n_head, 4))
    # Falcon rounds to bfloat16.
    np.testing.assert_allclose(result.changed.slopes, np.tile(expected, (2, 1)), rtol=5e-3)
    assert result.changed.mean_nll != result.unchanged.mean_nll


def test_new_slopes_are_what_a_model_built_with_them_does(own):
    steep, flat = own("alibi", max_exponent=2), own("alibi", max_exponent=10)
    result = what_if(flat, TEXT, Change(max_exponent=2, rule="geometric"))
    built = capture(steep, TEXT)
    np.testing.assert_allclose(result.changed.nll, built.nll, atol=1e-5)
    np.testing.assert_allclose(result.unchanged.nll, capture(flat, TEXT).nll, atol=0)


@pytest.mark.parametrize("family", FAMILIES)
def test_one_head_off_leaves_the_others(family, loaded):
    result = what_if(loaded(family), TEXT, Change(off=frozenset({(1, 3)})))
    before, after = result.unchanged.slopes, result.changed.slopes
    assert after[1, 3] == 0
    after[1, 3] = before[1, 3]
    np.testing.assert_allclose(after, before, rtol=1e-3)
    assert not result.changed.attention(1, 3).position.any()


def test_slopes_scaled_to_nothing_leave_content_alone(loaded):
    result = what_if(loaded("mpt"), TEXT, Change(scale=0))
    parts = result.changed.attention(0, 0)
    assert not parts.position.any()
    logits = torch.tensor(parts.content).masked_fill(~torch.tensor(parts.visible), -torch.inf)
    np.testing.assert_allclose(parts.weights, logits.softmax(-1), atol=1e-6)


def test_mpt_runs_past_its_limit_with_slopes_given(loaded):
    adapter = loaded("mpt")
    unchanged = capture(adapter, "x" * 60)
    slopes = changed_slopes(unchanged.slopes, 1.0, Change())
    seen = capture(adapter, "x" * 150, slopes=slopes)
    assert seen.length == 150 > adapter.facts.limit
    np.testing.assert_allclose(seen.slopes, slopes, rtol=1e-4)


def test_changes_combine(loaded):
    change = Change(max_exponent=4, rule="geometric", scale=0.5, off=frozenset({(None, 1)}))
    slopes = changed_slopes(np.ones((2, 3)), 0.25, change)
    assert slopes.tolist() == [pytest.approx([0.5 * 2 ** (-4 / 3), 0, 0.5 * 2**-4])] * 2


def test_a_scale_counts_from_the_slopes_that_act():
    assert changed_slopes(np.full((1, 2), 0.25), 0.5, Change(scale=3)).tolist() == [[1.5, 1.5]]


@pytest.mark.parametrize("scale", [-1, float("nan"), float("inf")])
def test_a_scale_that_is_none(scale):
    with pytest.raises(ValueError, match="scale must be finite"):
        changed_slopes(np.ones((1, 1)), 1, Change(scale=scale))


@pytest.mark.parametrize("place", [(0, 3), (2, 0), (None, -1)])
def test_a_head_that_is_not_there(place):
    with pytest.raises(ValueError, match="2 layers of 3 heads"):
        changed_slopes(np.ones((2, 3)), 1, Change(off=frozenset({place})))


@pytest.mark.parametrize("family", ["gpt2", "falcon_rope"])
def test_models_without_slopes_have_none_to_change(family, loaded):
    with pytest.raises(UnreadableModel, match="no slopes to change"):
        what_if(loaded(family), TEXT, Change(scale=2))


def test_a_text_too_short_to_tell_slopes_is_said(loaded):
    with pytest.raises(ValueError, match="at least 3 tokens, got 2"):
        what_if(loaded("bloom"), "if", Change(scale=2))


def test_own_slopes_are_changed_on_one_token(own):
    result = what_if(own("alibi"), "x", Change(scale=2))
    np.testing.assert_allclose(result.changed.slopes, 2 * result.unchanged.slopes)


def test_own_models_without_slopes_have_none_to_change(own):
    adapter = own("t5")
    with pytest.raises(UnreadableModel, match="no slopes"):
        adapter.record(torch.arange(5), np.ones((2, 3)))
