import pytest
import torch

from alibi_viz.positions import build_position
from alibi_viz.positions.base import PositionConfig


def learned():
    position = build_position("learned", PositionConfig(n_head=1, d_model=3, train_length=5))
    position.table.data = torch.arange(15.0).view(5, 3)
    return position


def test_row_n_is_added_to_token_n():
    added = learned().embed(torch.zeros(2, 4, 3))
    assert added.tolist() == [[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]] * 2


def test_the_training_length_is_still_allowed():
    assert learned().embed(torch.zeros(1, 5, 3)).shape == (1, 5, 3)


def test_one_token_more_names_both_lengths():
    with pytest.raises(ValueError, match="training length of 5 tokens, got 6"):
        learned().embed(torch.zeros(1, 6, 3))
