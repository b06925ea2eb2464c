import numpy as np
import pytest

from alibi_viz.data.prepared import Prepared
from alibi_viz.model.config import ModelConfig
from alibi_viz.training.config import TrainingConfig

VOCAB = 13


@pytest.fixture
def prepared():
    """Counting modulo 13, a language that a tiny model learns in seconds."""
    return Prepared(
        train=(np.arange(1009) % VOCAB).astype(np.uint16),
        validation=((np.arange(101) + 5) % VOCAB).astype(np.uint16),
        bytes_per_token=np.ones(VOCAB, np.int64),
        corpus={"name": "counting", "version": "", "fingerprint": "0" * 64},
        tokenizer={"kind": "none", "vocab_size": VOCAB, "fingerprint": "1" * 64},
    )


@pytest.fixture
def tiny():
    """Builds a recipe of 30 steps of 5 windows of 7 tokens, for any position method."""

    def build(position="alibi", **settings):
        model = ModelConfig(
            position=position, n_layer=1, n_head=2, d_model=12, vocab_size=VOCAB, train_length=7
        )
        defaults = {"tokens": 30 * 35, "batch_size": 5, "learning_rate": 0.02}
        return TrainingConfig(model=model, **{**defaults, **settings})

    return build
