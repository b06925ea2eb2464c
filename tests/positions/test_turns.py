import math

import pytest

from alibi_viz.model.config import ModelConfig
from alibi_viz.positions.turns import (
    WIDTHS,
    pairs_with_a_full_turn,
    turns_within,
    unseen_pairs,
)


def test_lessons_turn_as_many_channels_as_our_models_do():
    config = ModelConfig()
    assert WIDTHS == {"sinusoidal": config.d_model, "rope": config.d_head}


@pytest.mark.parametrize(("method", "width"), [("sinusoidal", 128), ("rope", 16)])
def test_turns_follow_the_papers_frequencies(method, width):
    turns = turns_within(method, 101)
    assert len(turns) == width // 2
    for pair in (0, 3, width // 2 - 1):
        radians = 100 * 10_000 ** (-2 * pair / width)
        assert turns[pair] == pytest.approx(radians / (2 * math.pi), rel=1e-9)


def test_a_pair_has_turned_once_its_last_position_is_past_the_circle():
    # Pair 0 turns one radian a token: 2 pi is past after 7 steps, with 8 tokens.
    assert pairs_with_a_full_turn("rope", 7) == 0
    assert pairs_with_a_full_turn("rope", 8) == 1
    assert unseen_pairs("rope", 8) == 7
