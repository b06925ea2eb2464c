import numpy as np
import pytest

from alibi_viz.figures.heads.biases import (
    LOG_FLOOR,
    all_heads_figure,
    colour_ends,
    head_map_figure,
    map_tokens,
    map_values,
    row_figure,
)
from alibi_viz.figures.tiles import mosaic
from alibi_viz.maths.bias import alibi_bias
from alibi_viz.maths.slopes import alibi_slopes

SLOPES = alibi_slopes(5, 7.0)
LENGTH = 11


def reference_weights(slope, length):
    """(query, key) softmax of the causal bias, row by row."""
    weights = np.full((length, length), np.nan)
    for query in range(length):
        row = [np.exp(-slope * (query - key)) for key in range(query + 1)]
        weights[query, : query + 1] = np.array(row) / sum(row)
    return weights


@pytest.mark.parametrize("colour", ["bias", "weight", "log weight"])
def test_a_map_of_every_token_is_the_matrix(colour):
    tokens = map_tokens(LENGTH, 160)
    assert tokens.tolist() == list(range(LENGTH))
    found = map_values(float(SLOPES[1]), tokens, colour)
    expected = {
        "bias": np.where(
            np.isinf(alibi_bias(SLOPES, LENGTH)[1]), np.nan, alibi_bias(SLOPES, LENGTH)[1]
        ),
        "weight": reference_weights(SLOPES[1], LENGTH),
        "log weight": np.log(reference_weights(SLOPES[1], LENGTH)),
    }[colour]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_map_of_a_long_sequence_shows_the_middle_token_of_each_cell():
    tokens = map_tokens(16_384, 160)
    assert len(tokens) == 160
    assert (tokens[0], tokens[-1]) == (51, 16_332)
    found = map_values(0.001, tokens, "bias")
    assert found[159, 0] == pytest.approx(-0.001 * (16_332 - 51))


def test_shared_colours_are_those_of_the_steepest_head():
    same = {"length": LENGTH, "colour": "bias"}
    assert colour_ends(SLOPES, 4, scale="shared", **same) == (-10 * SLOPES[0], 0)
    assert colour_ends(SLOPES, 4, scale="per head", **same) == (-10 * SLOPES[4], 0)
    last = reference_weights(SLOPES[4], LENGTH)[-1]
    ends = colour_ends(SLOPES, 4, length=LENGTH, colour="log weight", scale="per head")
    assert ends == pytest.approx((np.log(last[0]), np.log(last[-1])))
    ends = colour_ends(SLOPES, 4, length=LENGTH, colour="log weight", scale="shared")
    assert ends == (LOG_FLOOR, 0)
    ends = colour_ends(SLOPES, 4, length=LENGTH, colour="weight", scale="per head")
    assert ends == pytest.approx((0, last[-1]))


def test_the_large_map_has_axes_a_colour_bar_a_hatch_and_the_marked_cell():
    figure = head_map_figure(SLOPES, head=2, length=LENGTH, cell=(7, 3))
    heat, hatched, mark = figure.data
    assert hatched.name == "masked"
    assert heat.colorbar.title.text == "bias, nats"
    assert (mark.x[0], mark.y[0], mark.name) == (3, 7, "query 7, key 3")
    assert figure.layout.xaxis.title.text == "key, token"
    assert figure.layout.yaxis.range == (LENGTH - 0.5, -0.5)


@pytest.mark.parametrize("head", [0, 6, -1])
def test_a_head_that_is_not_there_is_refused(head):
    with pytest.raises(ValueError, match=f"head must be from 1 to 5, got {head}"):
        head_map_figure(SLOPES, head=head, length=LENGTH)


def test_all_heads_stand_side_by_side_with_number_and_slope():
    figure = all_heads_figure(SLOPES, length=LENGTH)
    (heat,) = figure.data
    texts = [note.text for note in figure.layout.annotations]
    assert [text.split()[0] for text in texts] == [f"<b>{head}</b>" for head in range(1, 6)]
    assert len(figure.layout.shapes) == 5
    # 66 visible cells a head.
    assert np.isfinite(np.asarray(heat.z)).sum() == 5 * LENGTH * (LENGTH + 1) / 2


def test_each_heads_own_scale_reaches_both_ends():
    (heat,) = all_heads_figure(SLOPES, length=LENGTH, scale="per head").data
    assert (np.nanmin(heat.z), np.nanmax(heat.z)) == (0, 1)
    assert heat.colorbar.ticktext == ("lowest", "highest")


def test_a_mosaic_keeps_every_tile_whole():
    tiles = [np.full((7, 7), float(number)) for number in range(5)]
    whole = mosaic(tiles, across=3)
    for number in range(5):
        down, across = np.nonzero(whole == number)
        assert len(down) == 49
        assert (np.ptp(down), np.ptp(across)) == (6, 6)


def test_a_row_holds_bias_and_weights_and_ends_with_its_query():
    bias, weights = row_figure(SLOPES, head=3, length=LENGTH, query=6, key=2).data
    np.testing.assert_allclose(bias.y, -SLOPES[2] * np.arange(7))
    np.testing.assert_allclose(weights.y, reference_weights(SLOPES[2], LENGTH)[6, 6::-1])


def test_the_first_query_has_one_key():
    figure = row_figure(SLOPES, head=1, length=LENGTH, query=0, key=0)
    assert [list(trace.y) for trace in figure.data] == [[0], [1]]
    assert "within 1 token" in figure.layout.annotations[0].text
