import json
import shutil

import pytest

from alibi_viz.__main__ import main
from tests.inspection.conftest import bloom, mpt


@pytest.fixture(scope="module")
def good(save_model):
    return save_model(*bloom())


def test_a_model_that_agrees_exits_with_0(good, capsys):
    assert main(["probe", str(good), "--long-length", "100"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("✓ ALiBi is on, as configured\n")
    assert "needs about" in printed.err


def test_a_disagreement_exits_with_1_and_is_told_in_words(save_model, capsys):
    directory = save_model(*mpt(attn_config={"alibi_bias_max": 16}))
    assert main(["probe", str(directory), "--long-length", "100"]) == 1
    assert "but not as configured: slopes are interleaved, exponent 8" in capsys.readouterr().out


def test_what_cannot_be_read_exits_with_2(tmp_path, capsys):
    assert main(["probe", str(tmp_path / "nowhere")]) == 2
    assert "no such directory" in capsys.readouterr().out


def test_json_holds_slopes_and_findings(good, capsys):
    assert main(["probe", str(good), "--json", "--long-length", "100"]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["agrees"] is True
    assert (verdict["version"], verdict["state"]) == (1, "on")
    assert verdict["answer"] == "✓ ALiBi is on, as configured"
    assert verdict["found"] == ["alibi"]
    assert verdict["rule"] == "interleaved, exponent 8"
    # 5 heads: those of 4, then the first of 8.
    expected = pytest.approx([1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2], rel=1e-5)
    assert [reading["length"] for reading in verdict["readings"]] == [64, 100]
    assert all(reading["slopes"][1] == expected for reading in verdict["readings"])
    assert "in a batch with left padding" in verdict["tried"]


OWN_CODE = """
from pathlib import Path
from transformers import BloomConfig, BloomForCausalLM
Path(__file__).with_name("ran").touch()
class OwnConfig(BloomConfig):
    model_type = "own-bloom"
class OwnModel(BloomForCausalLM):
    config_class = OwnConfig
"""


def test_code_of_a_model_runs_only_if_its_folder_is_named_once_more(
    save_model, tmp_path, monkeypatch, capsys
):
    directory = save_model(*bloom())
    config = json.loads((directory / "config.json").read_text())
    names = {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnModel"}
    config |= {"model_type": "own-bloom", "auto_map": names}
    (directory / "config.json").write_text(json.dumps(config))
    (directory / "own.py").write_text(OWN_CODE)
    marks = lambda: [*directory.rglob("ran"), *tmp_path.rglob("ran")]  # noqa: E731
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path))
    path = str(directory)
    assert main(["probe", path]) == 2
    assert "--trust-code PATH" in capsys.readouterr().out
    assert main(["probe", path, "--trust-code", str(tmp_path)]) == 2
    assert not marks()
    assert main(["probe", path, "--trust-code", path, "--long-length", "70"]) == 1
    out = capsys.readouterr().out
    # Its class names no slopes in its settings, and what it does is ALiBi all the same.
    assert "The checkpoint's own code was run." in out
    assert marks()


def test_json_tells_errors_too(tmp_path, capsys):
    assert main(["probe", str(tmp_path), "--json"]) == 2
    assert "no config.json" in json.loads(capsys.readouterr().out)["error"]


def test_a_folder_without_a_tokenizer_reads_a_text_of_token_numbers(good, tmp_path, capsys):
    bare = tmp_path / "bare"
    shutil.copytree(good, bare, ignore=shutil.ignore_patterns("tokenizer*"))
    assert main(["probe", str(bare), "--long-length", "64", "--text", "17 4 276"]) == 0
    assert "Text       3 tokens, mean loss " in capsys.readouterr().out
    assert main(["probe", str(bare), "--text", "17 4 277"]) == 2
    error = capsys.readouterr().err
    assert 'whole ones from 0 to 276, such as "17 4 276"; got "277"' in error
