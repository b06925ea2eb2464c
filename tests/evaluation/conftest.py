import numpy as np
import pytest
import torch

from alibi_viz.evaluation.stretch import Stretch
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer, initialise

VOCAB = 19


@pytest.fixture
def make_model():
    """Builds a small model with opinions: larger parameters than training starts from."""

    def build(position="alibi"):
        config = ModelConfig(
            position=position, n_layer=1, n_head=2, d_model=12, vocab_size=VOCAB, train_length=23
        )
        model = Transformer(config)
        initialise(model, 5)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(20 if parameter.ndim >= 2 else 1)
        return model.eval()

    return build


@pytest.fixture
def stretch():
    """47 targets after 31 tokens of context."""
    tokens = np.random.default_rng(2).integers(0, VOCAB, 97).astype(np.uint16)
    return Stretch(tokens, first_target=31, count=47)


@pytest.fixture
def bytes_per_token():
    return np.arange(1, VOCAB + 1)
