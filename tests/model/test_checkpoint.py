import json

import pytest
import torch

from alibi_viz.model.checkpoint import load_checkpoint, read_about, save_checkpoint
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer, initialise


def small(position="t5"):
    config = ModelConfig(
        position=position, n_layer=1, n_head=3, d_model=6, vocab_size=11, train_length=5
    )
    model = Transformer(config)
    initialise(model, 7)
    return model


def test_round_trip_in_float32_is_exact(tmp_path):
    save_checkpoint(tmp_path, small(), {"seed": 7}, dtype=torch.float32)
    loaded, about = load_checkpoint(tmp_path)
    assert loaded.config == small().config
    assert about["seed"] == 7
    for name, parameter in small().named_parameters():
        assert torch.equal(parameter, loaded.state_dict()[name]), name


def test_float16_keeps_eleven_bits_and_computes_in_float32(tmp_path):
    save_checkpoint(tmp_path, small(), {})
    loaded, _ = load_checkpoint(tmp_path)
    original = small().embedding.weight
    assert loaded.embedding.weight.dtype == torch.float32
    torch.testing.assert_close(loaded.embedding.weight, original, rtol=2**-11, atol=2**-25)


def test_slopes_are_not_stored(tmp_path):
    save_checkpoint(tmp_path, small("alibi"), {})
    loaded, _ = load_checkpoint(tmp_path)
    assert not any("slope" in name or "bias" in name for name in loaded.state_dict())


def test_a_cut_file_is_called_damaged(tmp_path):
    save_checkpoint(tmp_path, small(), {})
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-3])
    with pytest.raises(ValueError, match=r"model\.safetensors is damaged"):
        load_checkpoint(tmp_path)


def test_parameters_of_another_model_do_not_fit(tmp_path):
    save_checkpoint(tmp_path, small("nope"), {})
    config = json.loads((tmp_path / "config.json").read_text())
    config["model"]["position"] = "t5"
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match=r"does not fit its config\.json.*position\.table"):
        load_checkpoint(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", r"config\.json is not JSON"),
        ("[]", "is not the configuration of an ALiBi Viz checkpoint"),
        ('{"schema": 2, "model": {}}', "has schema 2, this version reads 1"),
        ('{"schema": 1, "model": {"width": 3}}', "describes an unknown model"),
        ('{"schema": 1, "model": {"n_head": 0}}', "n_head must be a whole number"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_named(tmp_path, content, message):
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(ValueError, match=message):
        load_checkpoint(tmp_path)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "model.ckpt"])
def test_pickled_checkpoints_are_refused_by_name(tmp_path, name):
    (tmp_path / name).write_bytes(b"\x80\x04.")
    with pytest.raises(ValueError, match=f"{name} is pickled.*only safetensors"):
        load_checkpoint(tmp_path)


def test_an_empty_folder_is_no_checkpoint(tmp_path):
    with pytest.raises(ValueError, match=r"no checkpoint in .*: it has no config\.json"):
        read_about(tmp_path)


def test_a_failed_write_leaves_the_old_checkpoint(tmp_path, monkeypatch):
    save_checkpoint(tmp_path, small(), {"seed": 1})

    def full(source, target):
        raise OSError("no space left on device")

    monkeypatch.setattr("alibi_viz.files.os.replace", full)
    with pytest.raises(OSError, match="no space left"):
        save_checkpoint(tmp_path, small(), {"seed": 2})
    monkeypatch.undo()
    assert load_checkpoint(tmp_path)[1]["seed"] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "model.safetensors"]
