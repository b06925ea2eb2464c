import copy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from alibi_viz.positions import METHODS, build_position, find_method
from alibi_viz.positions.base import SETTINGS, PositionConfig, PositionMethod

CONFIG = PositionConfig(n_head=3, d_model=42, train_length=17)


def test_registry_lists_the_methods_under_their_keys():
    assert list(METHODS) == ["alibi", "sinusoidal", "learned", "rope", "t5", "kerple", "nope"]
    assert all(key == method.key for key, method in METHODS.items())


def test_every_method_has_a_file_of_its_own_with_the_paper_in_its_first_line():
    folder = Path(sys.modules["alibi_viz.positions"].__file__).parent
    for key, method in METHODS.items():
        first_line = (folder / f"{key}.py").read_text().splitlines()[0]
        assert method.paper.split()[-1] in first_line, key


def test_methods_can_be_read_and_drawn_without_torch():
    code = (
        "import sys\n"
        "from alibi_viz.positions import METHODS\n"
        "from alibi_viz.positions.base import PositionConfig\n"
        "from alibi_viz.positions.effect import logit_by_distance\n"
        "for method in METHODS.values():\n"
        "    logit_by_distance(method(PositionConfig()), 17)\n"
        "print('torch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


@pytest.mark.parametrize("key", METHODS)
def test_methods_act_where_the_registry_says_and_nowhere_else(key):
    position = build_position(key, CONFIG)
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


def test_parameters_are_what_the_method_computes_with_wherever_they_go():
    position = build_position("t5", CONFIG)
    for twin in (position, copy.deepcopy(position), position.double()):
        twin.table.data = torch.ones(3, 32)
        assert (twin.bias_by_distance(5) == 1).all()
    before = position.bias_by_distance(5)
    with torch.no_grad():
        position.draw(torch.Generator().manual_seed(1))
    assert not torch.equal(position.bias_by_distance(5), before)


@pytest.mark.parametrize("key", METHODS)
@torch.no_grad()
def test_numpy_and_torch_give_the_same_numbers(key):
    position = build_position(key, CONFIG)
    own = position.as_arrays()
    x = np.random.default_rng(1).normal(size=(2, 11, 42))
    q = np.random.default_rng(2).normal(size=(2, 3, 11, 14))
    # Float64, but for what is float32 in both.
    torch.testing.assert_close(position.embed(torch.tensor(x)), torch.tensor(own.embed(x)))
    for ours, theirs in zip(
        own.rotate(q, q), position.rotate(torch.tensor(q), torch.tensor(q)), strict=True
    ):
        torch.testing.assert_close(theirs, torch.tensor(ours))
    ours, theirs = own.bias_by_distance(11), position.bias_by_distance(11)
    assert (ours is None) is (theirs is None)
    if theirs is not None:
        torch.testing.assert_close(theirs, torch.tensor(ours))


def test_a_method_that_overrides_nothing_changes_nothing():
    position = find_method("nope")(CONFIG)
    x = np.ones((2, 5, 42))
    assert position.embed(x) is x
    assert position.bias_by_distance(5) is None
    assert position.slopes() is None


def test_every_setting_belongs_to_one_method():
    named = [name for method in METHODS.values() for name in method.settings]
    assert sorted(named) == sorted(SETTINGS)


def test_a_method_that_leaves_out_a_fact_is_refused():
    with pytest.raises(TypeError, match="position method Mute does not say its key"):
        type("Mute", (PositionMethod,), {})
    with pytest.raises(TypeError, match="Half does not say its paper"):
        type("Half", (PositionMethod,), {"key": "half", "label": "Half"})
    with pytest.raises(TypeError, match="embedding, query_key, logit, nowhere, got 'everywhere'"):
        type("Off", (find_method("nope"),), {"acts_on": "everywhere"})


def test_a_method_that_does_not_say_what_is_new_to_it_cannot_be_used():
    facts = ("key", "label", "paper", "acts_on", "equation", "formula", "learns", "style")
    stated = {name: getattr(find_method("nope"), name) for name in (*facts, "probed_as")}
    silent = type("Silent", (PositionMethod,), stated)
    with pytest.raises(TypeError, match="beyond"):
        silent(CONFIG)


def test_unknown_method_is_named_with_the_known_ones():
    with pytest.raises(ValueError, match=r"unknown position method 'rotary'; known are alibi, sin"):
        find_method("rotary")
