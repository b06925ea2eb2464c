import cmath
import math

import torch

from alibi_viz.maths.frequencies import pair_frequencies
from alibi_viz.positions import build_position
from alibi_viz.positions.base import PositionConfig
from alibi_viz.positions.rope import rotary_angles, rotate_pairs


def reference_rope(vector, pos):
    """Equation 12 of the paper: pairs of channels as complex numbers, turned by pos * theta."""
    d = len(vector)
    turned = []
    for i in range(d // 2):
        z = complex(vector[2 * i], vector[2 * i + 1])
        z *= cmath.exp(1j * pos * 10000 ** (-2 * i / d))
        turned += [z.real, z.imag]
    return turned


def test_rotation_is_the_papers():
    x = torch.randn(2, 3, 7, 10, dtype=torch.float64)
    turned = rotate_pairs(x, rotary_angles(7, pair_frequencies(10)))
    expected = [
        [[reference_rope(row.tolist(), pos) for pos, row in enumerate(head)] for head in batch]
        for batch in x
    ]
    torch.testing.assert_close(turned, torch.tensor(expected, dtype=torch.float64))


def test_logits_depend_on_distance_only():
    q, k = torch.randn(10, dtype=torch.float64), torch.randn(10, dtype=torch.float64)
    everywhere = torch.ones(1, 1, 100, 1, dtype=torch.float64)
    turned_q, turned_k = (
        rotate_pairs(everywhere * x, rotary_angles(100, pair_frequencies(10))) for x in (q, k)
    )
    logits = (turned_q @ turned_k.mT)[0, 0]
    for distance in (0, 1, 17, 60):
        diagonal = logits.diagonal(-distance)
        torch.testing.assert_close(diagonal, diagonal[:1].expand(100 - distance))


def test_rotation_keeps_lengths_and_leaves_position_zero_alone():
    x = torch.randn(1, 2, 5, 6)
    position = build_position("rope", PositionConfig(n_head=2, d_model=12))
    q, k = position.rotate(x, 2 * x)
    torch.testing.assert_close(q.norm(dim=-1), x.norm(dim=-1))
    torch.testing.assert_close(k, 2 * q)
    assert torch.equal(q[:, :, 0], x[:, :, 0])


def test_first_pair_turns_by_one_radian_a_token():
    q, _ = build_position("rope", PositionConfig(n_head=1, d_model=4)).rotate(
        torch.tensor([[[[1.0, 0, 1, 0]] * 3]]), torch.zeros(1, 1, 3, 4)
    )
    expected = [math.cos(2), math.sin(2), math.cos(0.02), math.sin(0.02)]
    torch.testing.assert_close(q[0, 0, 2], torch.tensor(expected))
