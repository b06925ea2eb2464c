import numpy as np
import pytest

from alibi_viz.data import prepared as module
from alibi_viz.data.prepared import (
    known_tokenizers,
    load_validation,
    prepare_corpus,
    save_validation,
    tokenizer_file,
)
from alibi_viz.data.tokenizer import load_tokenizer, tokenizer_fingerprint


def text_file(folder):
    path = folder / "text.txt"
    path.write_text("def f(x):\n    return x + 1\n\n" * 40)
    return path


def test_tokens_decode_to_the_text(tmp_path):
    prepared = prepare_corpus(str(text_file(tmp_path)), cache=tmp_path / "cache")
    tokenizer = load_tokenizer()
    whole = tokenizer.decode([*prepared.train.tolist(), *prepared.validation.tolist()])
    assert whole == text_file(tmp_path).read_text()


def test_a_second_call_reads_the_cache(tmp_path, monkeypatch):
    first = prepare_corpus("prose", cache=tmp_path)
    monkeypatch.setattr(module, "encode_documents", None)
    second = prepare_corpus("prose", cache=tmp_path)
    assert np.array_equal(first.train, second.train)
    assert first.corpus == second.corpus


def test_a_text_of_ones_own_leaves_nothing_behind(tmp_path):
    prepare_corpus(str(text_file(tmp_path)), cache=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_validation_tokens_survive_a_round_trip(tmp_path):
    prepared = prepare_corpus(str(text_file(tmp_path)), cache=tmp_path / "cache")
    save_validation(prepared, tmp_path / "validation.npz")
    tokens, corpus = load_validation(path=tmp_path / "validation.npz")
    assert np.array_equal(tokens, prepared.validation)
    assert corpus == prepared.corpus


def test_committed_validation_tokens_reach_for_every_record():
    tokens, corpus = load_validation()
    assert len(tokens) >= 2048 + 65_536
    assert tokens.max() < 1024
    assert corpus["name"] == "python-stdlib"


def test_prose_has_a_tokenizer_and_validation_tokens_of_its_own():
    tokens, corpus = load_validation("prose")
    tokenizer = load_tokenizer(tokenizer_file("prose"))
    assert corpus["name"] == "state-of-the-union"
    assert len(tokens) >= 16_384 + 200_000
    assert tokens.max() < tokenizer.get_vocab_size() == 1024
    assert "Fellow-Citizens of the Senate" in tokenizer.decode(tokens.tolist())
    assert tokenizer_file("prose") != tokenizer_file("poem.txt") == tokenizer_file("code")


def test_tokenizers_are_known_by_their_fingerprints():
    known = known_tokenizers()
    assert len(known) == 2
    assert all(tokenizer_fingerprint(tokenizer) == key for key, tokenizer in known.items())


def test_committed_prose_is_what_this_machine_makes_of_the_addresses(tmp_path):
    prepared = prepare_corpus("prose", cache=tmp_path)
    tokens, corpus = load_validation("prose")
    assert np.array_equal(prepared.validation, tokens)
    assert prepared.corpus == corpus


def test_pickled_arrays_are_not_read(tmp_path):
    np.savez(tmp_path / "v.npz", tokens=np.array([{}], dtype=object), corpus=np.asarray("{}"))
    with pytest.raises(ValueError, match=r"v\.npz holds no validation tokens"):
        load_validation(path=tmp_path / "v.npz")
    with pytest.raises(ValueError, match="no validation tokens at"):
        load_validation(path=tmp_path / "absent.npz")
