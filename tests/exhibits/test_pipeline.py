import numpy as np
import pytest

from alibi_viz.exhibits.pipeline import example, example_table, panels


@pytest.mark.parametrize("method", ["alibi", "t5"])
def test_a_bias_says_nothing_of_keys_in_the_future(method):
    added = panels(method, "logits to weights", 1)[1].values
    future = np.triu(np.ones((6, 6), dtype=bool), 1)
    assert np.array_equal(np.isnan(added), future)
    np.testing.assert_array_equal(added[~future], example(method).added[1][~future])
    rows = example_table(method)
    # Two heads, 21 pairs of a query and a key up to it.
    assert (rows["stage"] == "change by position, nats").sum() == 2 * 21
    assert rows["value"].notna().all()


@pytest.mark.parametrize("method", ["sinusoidal", "rope"])
def test_what_acts_earlier_changes_all_logits(method):
    assert np.isfinite(panels(method, "logits to weights", 0)[1].values).all()
