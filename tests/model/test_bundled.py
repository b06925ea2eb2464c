import torch

from alibi_viz.model import bundled
from alibi_viz.model.bundled import bundled_position
from alibi_viz.model.checkpoint import save_checkpoint
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer


def test_a_method_without_a_table_has_nothing_trained():
    position, is_trained = bundled_position("alibi", 128)
    assert not is_trained
    assert position.config.train_length == 128


def test_without_a_checkpoint_a_table_is_random_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(bundled, "CHECKPOINTS", tmp_path)
    position, is_trained = bundled_position("t5", 128)
    assert not is_trained
    assert 0.015 < position.learned["table"].std() < 0.025


def test_a_checkpoints_table_is_the_trained_one(tmp_path, monkeypatch):
    monkeypatch.setattr(bundled, "CHECKPOINTS", tmp_path)
    model = Transformer(ModelConfig("learned", n_layer=1, train_length=16))
    with torch.no_grad():
        model.position.table.fill_(0.5)
    save_checkpoint(tmp_path / "learned-L16-s0", model, {})
    position, is_trained = bundled_position("learned", 16)
    assert is_trained
    assert position.learned["table"].shape == (16, 128)
    assert (position.learned["table"] == 0.5).all()
    assert not bundled_position("learned", 32)[1]
