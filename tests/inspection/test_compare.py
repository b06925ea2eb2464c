import numpy as np
import pytest

from alibi_viz.inspection.loading import load_model
from alibi_viz.inspection.text.capture import capture
from alibi_viz.inspection.text.compare import have_same_tokens, moved_share
from alibi_viz.paths import CHECKPOINTS


@pytest.fixture(scope="module")
def seen():
    return capture(load_model(CHECKPOINTS / "alibi-L128-s0"), "def area(width, height):\n    pass")


def test_the_share_that_moved_is_half_the_difference_of_the_weights(seen):
    places = ((1, 2), (0, 1))
    one, two = (seen.attention(*place).weights.astype(np.float64) for place in places)
    reference = np.mean([np.abs(a - b).sum() / 2 for a, b in zip(one, two, strict=True)])
    assert moved_share(seen, seen, *places) == pytest.approx(reference, rel=1e-5)
    assert moved_share(seen, seen, (1, 2), (1, 2)) == 0


def test_heads_over_different_tokens_have_no_share(seen):
    other = capture(load_model(CHECKPOINTS / "alibi-L128-s0"), "x = 1")
    assert not have_same_tokens(seen, other)
    assert moved_share(seen, other, (0, 0), (0, 0)) is None
