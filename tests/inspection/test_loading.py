import json
import struct

import pytest
import torch

from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.loading import fetch_from_hub, load_model, source
from alibi_viz.inspection.loading.files import MemoryEstimate, estimate_memory, examine
from tests.inspection.conftest import bloom

SMALL = {"hidden_size": 40, "num_hidden_layers": 2, "num_attention_heads": 5}


def write_config(directory, **settings):
    (directory / "config.json").write_text(json.dumps(settings))
    return directory


def write_weights(directory, size=4):
    header = {"w": {"dtype": "F32", "shape": [size], "data_offsets": [0, 4 * size]}}
    data = json.dumps(header).encode()
    whole = struct.pack("<Q", len(data)) + data + bytes(4 * size)
    (directory / "model.safetensors").write_bytes(whole)
    return directory


def test_no_such_directory(tmp_path):
    with pytest.raises(UnreadableModel, match="nowhere: no such directory"):
        load_model(tmp_path / "nowhere")


def test_a_directory_without_configuration(tmp_path):
    with pytest.raises(UnreadableModel, match=r"no config\.json"):
        load_model(tmp_path)


def test_a_pickle_is_named_and_never_opened(tmp_path):
    write_config(tmp_path, model_type="bloom")
    (tmp_path / "pytorch_model.bin").write_bytes(b"not even a pickle")
    with pytest.raises(UnreadableModel, match=r"only in pytorch_model\.bin, a pickle"):
        load_model(tmp_path)


def test_no_weights_at_all(tmp_path):
    with pytest.raises(UnreadableModel, match="holds no weights"):
        load_model(write_config(tmp_path, model_type="bloom"))


@pytest.mark.parametrize("content", ["{", "[1]", "\xff"])
def test_a_damaged_configuration(content, tmp_path):
    write_weights(tmp_path)
    (tmp_path / "config.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(UnreadableModel, match=r"config\.json (is damaged|holds no settings)"):
        load_model(tmp_path)


@pytest.mark.parametrize("cut", [3, 40, -1])
def test_damaged_weights(cut, tmp_path):
    write_weights(write_config(tmp_path, model_type="bloom"))
    whole = (tmp_path / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(whole[:cut])
    with pytest.raises(UnreadableModel, match=r"model\.safetensors is damaged"):
        load_model(tmp_path)


def test_code_that_comes_with_a_model_is_never_run(tmp_path):
    write_weights(tmp_path)
    (tmp_path / "modeling_own.py").write_text("raise SystemExit('ran')")
    write_config(tmp_path, model_type="own", auto_map={"AutoConfig": "modeling_own.OwnConfig"})
    with pytest.raises(UnreadableModel, match="code of its own, which is run only by"):
        load_model(tmp_path)


def test_a_kind_that_nobody_knows(tmp_path):
    write_weights(write_config(tmp_path, model_type="nonsense"))
    with pytest.raises(UnreadableModel, match="no model 'nonsense': unknown"):
        load_model(tmp_path)


def test_settings_that_the_library_refuses(tmp_path):
    write_weights(write_config(tmp_path, model_type="bloom", n_head="many"))
    with pytest.raises(UnreadableModel, match=r"config\.json has settings that are refused"):
        load_model(tmp_path)


@pytest.mark.parametrize(
    ("config", "sizes", "reason"),
    [
        ("BertConfig", SMALL, "sees the future: it is an encoder"),
        ("ViTConfig", SMALL, "has no causal language head"),
        ("MambaConfig", {"hidden_size": 40, "num_hidden_layers": 2}, "without attention heads"),
        ("T5Config", {"d_model": 40, "num_layers": 2}, "is an encoder with a decoder"),
    ],
)
def test_what_is_no_causal_model_with_attention_is_told(config, sizes, reason, tmp_path):
    import transformers

    given = sizes if config == "ViTConfig" else {"vocab_size": 31, **sizes}
    settings = getattr(transformers, config)(**given)
    if config in ("BertConfig", "MambaConfig"):
        transformers.AutoModelForCausalLM.from_config(settings).save_pretrained(tmp_path)
    else:
        settings.save_pretrained(write_weights(tmp_path))
    with pytest.raises(UnreadableModel, match=reason):
        load_model(tmp_path)


def test_a_model_without_a_tokenizer_says_so(save_model):
    directory = save_model(*bloom())
    for path in directory.glob("token*"):
        path.unlink()
    adapter = load_model(directory)
    assert adapter.tokenizer is None
    assert any("no tokenizer" in sentence for sentence in adapter.facts.missing)


def test_half_precision_stays_as_it_was_stored(save_model):
    assert load_model(save_model(*bloom(), torch.bfloat16)).dtype == torch.bfloat16


def test_a_model_too_large_for_the_memory_is_refused_before_loading(save_model, monkeypatch):
    directory = save_model(*bloom())
    monkeypatch.setattr("alibi_viz.inspection.loading.files.available_memory", lambda: 1_000_000)
    with pytest.raises(UnreadableModel, match=r"needs about .* too large for this machine"):
        load_model(directory)


def test_the_estimate_counts_what_is_in_the_file(tmp_path):
    write_weights(write_config(tmp_path, model_type="bloom", n_head=3, vocab_size=5), size=11)
    assert examine(tmp_path).weight_bytes == 44
    short, long = (estimate_memory(examine(tmp_path), length) for length in (100, 1000))
    # Three float32 copies of one layer's 3 x L x L.
    assert long.working - short.working >= 3 * 4 * 3 * (1000**2 - 100**2)


def test_an_estimate_is_a_sentence():
    estimate = MemoryEstimate(2_000_000_000, 500_000_000, 4_000_000_000)
    assert not estimate.is_too_large
    assert estimate.sentence == (
        "needs about 2.5 GB of memory (2 GB of weights, 0.5 GB to run); 4 GB are free"
    )
    assert MemoryEstimate(3_500_000_000, 0, 4_000_000_000).is_too_large
    assert not MemoryEstimate(3_500_000_000, 0, None).is_too_large


def test_the_hub_is_not_asked_without_leave(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(source, "fetch_from_hub", asked.append)
    with pytest.raises(UnreadableModel, match="no such directory"):
        load_model("owner/name")
    assert asked == []


def test_a_hub_that_cannot_be_reached_is_told_in_a_sentence(monkeypatch):
    import huggingface_hub
    from huggingface_hub.errors import HTTPError

    connect_error = next(kind for kind in all_kinds(HTTPError) if kind.__name__ == "ConnectError")

    class FarHub:
        def model_info(self, name, files_metadata):
            raise connect_error("[Errno -2] Name or service not known")

    monkeypatch.setattr(huggingface_hub, "HfApi", FarHub)
    with pytest.raises(UnreadableModel, match=r"the hub does not give owner/name: .*not known"):
        fetch_from_hub("owner/name")


def all_kinds(error):
    return [error, *(kind for child in error.__subclasses__() for kind in all_kinds(child))]


class FakeFile:
    def __init__(self, name, size):
        self.rfilename, self.size = name, size


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ([FakeFile("pytorch_model.bin", 10)], "no safetensors on the hub"),
        ([FakeFile("model.safetensors", 10**15)], "too large for this machine"),
    ],
)
def test_the_hub_is_asked_for_sizes_before_anything_is_fetched(files, reason, monkeypatch):
    import huggingface_hub

    class FakeHub:
        def model_info(self, name, files_metadata):
            return type("Info", (), {"siblings": files})

    def fail(*args, **kwargs):
        raise AssertionError("fetched")

    monkeypatch.setattr(huggingface_hub, "HfApi", FakeHub)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", fail)
    with pytest.raises(UnreadableModel, match=reason):
        fetch_from_hub("owner/name")


def test_importing_the_package_imports_no_transformers():
    import subprocess
    import sys

    code = (
        "import sys, alibi_viz.inspection.loading.policy, alibi_viz.inspection.text.what_if, "
        "alibi_viz.inspection.cli; print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "alibi_viz.inspection.probe" in run.stdout.split()
    assert "transformers" not in run.stdout.split()
