import numpy as np
import pytest
import torch

from alibi_viz.evaluation.stretch import cut_in_blocks
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


def build_stretch(targets, starts=(0,)):
    """97 random tokens in files that begin at `starts`, with targets of one's choice."""
    tokens = np.random.default_rng(2).integers(0, VOCAB, 97).astype(np.uint16)
    names = tuple(f"file{n}" for n in range(len(starts)))
    return cut_in_blocks(tokens, np.array(targets), np.array(starts), names, "text sha256:0")


@pytest.fixture
def stretch():
    """47 targets in a row after 31 tokens of context."""
    return build_stretch(range(31, 78))


@pytest.fixture
def gappy():
    """41 targets in two files: of tokens 31 to 77 all but 37 to 42, which leave a window empty."""
    return build_stretch([*range(31, 37), *range(43, 78)], starts=(0, 50))


@pytest.fixture
def bytes_per_token():
    return np.arange(1, VOCAB + 1)
