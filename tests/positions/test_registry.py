import subprocess
import sys
from pathlib import Path

import pytest
import torch

from alibi_viz.positions import METHODS, build_position, find_method
from alibi_viz.positions.base import PositionConfig, PositionMethod

CONFIG = PositionConfig(n_head=3, d_model=42, d_head=14, train_length=17)


def test_registry_lists_the_methods_under_their_keys():
    assert list(METHODS) == ["alibi", "sinusoidal", "learned", "rope", "t5", "kerple", "nope"]
    assert all(key == method.key for key, method in METHODS.items())


def test_every_method_has_a_file_of_its_own_with_the_paper_in_its_first_line():
    folder = Path(sys.modules["alibi_viz.positions"].__file__).parent
    for key, method in METHODS.items():
        first_line = (folder / f"{key}.py").read_text().splitlines()[0]
        assert method.paper.split()[-1] in first_line, key


def test_registry_can_be_read_without_torch():
    code = "import sys, alibi_viz.positions; print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


@pytest.mark.parametrize("key", METHODS)
def test_methods_act_where_the_registry_says_and_nowhere_else(key):
    position = build_position(key, CONFIG)
    torch.nn.init.constant_(getattr(position, "table", torch.empty(1)), 0.3)
    x = torch.ones(2, 5, 42)
    q = torch.ones(2, 3, 5, 14)
    acts = {
        "embedding": not torch.equal(position.embed(x), x),
        "query_key": not torch.equal(position.rotate(q, q)[0], q),
        "logit": position.bias_by_distance(5) is not None,
    }
    assert [place for place, does in acts.items() if does] == (
        [METHODS[key].acts_on] if METHODS[key].acts_on != "nowhere" else []
    )


@pytest.mark.parametrize(
    ("key", "count"),
    [
        ("alibi", 0),
        ("sinusoidal", 0),
        ("learned", 17 * 42),
        ("rope", 0),
        ("t5", 96),
        ("kerple", 6),
        ("nope", 0),
    ],
)
def test_only_what_learns_spends_parameters(key, count):
    assert sum(p.numel() for p in build_position(key, CONFIG).parameters()) == count


@pytest.mark.parametrize("key", METHODS)
def test_nothing_but_parameters_would_be_stored(key):
    position = build_position(key, CONFIG)
    assert set(position.state_dict()) == {name for name, _ in position.named_parameters()}


def test_a_method_that_overrides_nothing_changes_nothing():
    position = PositionMethod(CONFIG)
    x = torch.randn(2, 5, 42)
    assert position.embed(x) is x
    assert position.bias_by_distance(5) is None


def test_unknown_method_is_named_with_the_known_ones():
    with pytest.raises(ValueError, match=r"unknown position method 'rotary'; known are alibi, sin"):
        find_method("rotary")
