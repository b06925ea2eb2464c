from dataclasses import replace

import numpy as np
import pytest
import torch

from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer, initialise
from alibi_viz.positions.stretch import parse_stretching
from alibi_viz.retrieval.tuning import tuned, tuning_recipe

TOKENS = np.tile(np.arange(11, dtype=np.uint16), 50)


def small():
    model = Transformer(
        ModelConfig("rope", n_layer=1, n_head=2, d_model=16, vocab_size=11, train_length=13)
    )
    initialise(model, 1)
    return model.eval()


def test_the_recipe_is_200_steps_on_as_many_tokens_at_every_length():
    recipes = [
        tuning_recipe(small(), length, seed=3, position_factor=10.0) for length in (128, 512)
    ]
    assert [recipe.steps for recipe in recipes] == [200, 200]
    assert {recipe.tokens for recipe in recipes} == {409_600}
    assert [recipe.batch_size for recipe in recipes] == [16, 4]
    rates = [recipes[1].learning_rate_at(step) for step in (0, 19, 199)]
    assert rates == pytest.approx([5e-5, 1e-3, 0], abs=1e-6)


def test_a_tuned_model_reads_stretched_windows_better_and_stays_stretched():
    model = small()
    recipe = tuning_recipe(model, 52, seed=3, position_factor=1.0)
    recipe = replace(recipe, tokens=30 * recipe.tokens_per_step)
    twin = tuned(model, parse_stretching("pi@4"), recipe, TOKENS)
    assert twin.position.stretching.name == "pi@4"
    assert not twin.training
    tokens = torch.from_numpy(TOKENS[:53].astype(np.int64))[None]
    with torch.no_grad():
        loss = torch.nn.functional.cross_entropy(twin(tokens[:, :-1])[0], tokens[0, 1:])
    assert loss < 0.9 * np.log(11)
    # What the stretched twin has learned, the model has learned too.
    assert twin.embedding.weight is model.embedding.weight
    assert not torch.equal(model.embedding.weight, small().embedding.weight)
