import json

import pytest

from alibi_viz.__main__ import main
from tests.inspection.conftest import bloom, mpt


@pytest.fixture(scope="module")
def good(save_model):
    return save_model(*bloom())


def test_a_model_that_agrees_exits_with_0(good, capsys):
    assert main(["probe", str(good), "--long-length", "100"]) == 0
    printed = capsys.readouterr()
    assert "ALiBi, slopes: interleaved, exponent 8; nothing disagrees." in printed.out
    assert "needs about" in printed.err


def test_a_disagreement_exits_with_1_and_is_told_in_words(save_model, capsys):
    directory = save_model(*mpt(attn_config={"alibi_bias_max": 16}))
    assert main(["probe", str(directory), "--long-length", "100"]) == 1
    assert "alibi_bias_max: 16, but 14 of 14 heads have another slope" in capsys.readouterr().out


def test_what_cannot_be_read_exits_with_2(tmp_path, capsys):
    assert main(["probe", str(tmp_path / "nowhere")]) == 2
    assert "no such directory" in capsys.readouterr().out


def test_json_holds_slopes_and_findings(good, capsys):
    assert main(["probe", str(good), "--json", "--long-length", "100"]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["agrees"] is True
    assert verdict["methods"] == ["alibi"]
    assert verdict["fit"]["rule"] == "interleaved"
    # 5 heads: those of 4, then the first of 8.
    expected = pytest.approx([1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2], rel=1e-5)
    assert verdict["read"][0]["slopes"][1] == expected
    assert {read["situation"] for read in verdict["read"]} == {
        "whole text", "last token from the cache", "behind padding",
    }  # fmt: skip


def test_json_tells_errors_too(tmp_path, capsys):
    assert main(["probe", str(tmp_path), "--json"]) == 2
    assert "no config.json" in json.loads(capsys.readouterr().out)["error"]
