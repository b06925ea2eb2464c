import numpy as np
import pytest

from alibi_viz.data import prepared as module
from alibi_viz.data.prepared import load_validation, prepare_corpus, save_validation
from alibi_viz.data.tokenizer import load_tokenizer


def text_file(folder):
    path = folder / "text.txt"
    path.write_text("def f(x):\n    return x + 1\n\n" * 40)
    return path


def test_tokens_decode_to_the_text(tmp_path):
    prepared = prepare_corpus(text_file(tmp_path), cache=tmp_path / "cache")
    tokenizer = load_tokenizer()
    whole = tokenizer.decode([*prepared.train.tolist(), *prepared.validation.tolist()])
    assert whole == text_file(tmp_path).read_text()


def test_a_second_call_reads_the_cache(tmp_path, monkeypatch):
    first = prepare_corpus(text_file(tmp_path), cache=tmp_path / "cache")
    monkeypatch.setattr(module, "encode_documents", None)
    second = prepare_corpus(text_file(tmp_path), cache=tmp_path / "cache")
    assert np.array_equal(first.train, second.train)
    assert first.corpus == second.corpus


def test_validation_tokens_survive_a_round_trip(tmp_path):
    prepared = prepare_corpus(text_file(tmp_path), cache=tmp_path / "cache")
    save_validation(prepared, tmp_path / "validation.npz")
    tokens, corpus = load_validation(tmp_path / "validation.npz")
    assert np.array_equal(tokens, prepared.validation)
    assert corpus == prepared.corpus


def test_committed_validation_tokens_reach_for_every_record():
    tokens, corpus = load_validation()
    assert len(tokens) >= 2048 + 65_536
    assert tokens.max() < 1024
    assert corpus["name"] == "python-stdlib"


def test_pickled_arrays_are_not_read(tmp_path):
    np.savez(tmp_path / "v.npz", tokens=np.array([{}], dtype=object), corpus=np.asarray("{}"))
    with pytest.raises(ValueError, match=r"v\.npz holds no validation tokens"):
        load_validation(tmp_path / "v.npz")
    with pytest.raises(ValueError, match="no validation tokens at"):
        load_validation(tmp_path / "absent.npz")
