import numpy as np
import pytest

from alibi_viz.data.tokenizer import (
    END_OF_DOCUMENT,
    encode_documents,
    load_tokenizer,
    token_bytes,
    tokenizer_fingerprint,
    train_tokenizer,
)


def test_committed_tokenizer_has_1024_tokens_and_all_bytes():
    tokenizer = load_tokenizer()
    assert tokenizer.get_vocab_size() == 1024
    assert np.count_nonzero(token_bytes(tokenizer) == 1) == 256


@pytest.mark.parametrize("text", ["def f(x):\n\treturn x\r\n", "naïve 数学 🙂", "\x00\x7f", " "])
def test_any_text_survives_encoding(text):
    tokenizer = load_tokenizer()
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


@pytest.mark.parametrize(
    "text", ["for line in file:\n    print(line)\n", "naïve 数学 🙂", f"a {END_OF_DOCUMENT} b"]
)
def test_bytes_of_the_tokens_add_up_to_those_of_the_text(text):
    tokenizer = load_tokenizer()
    assert token_bytes(tokenizer)[tokenizer.encode(text).ids].sum() == len(text.encode())


def test_every_document_ends_with_its_token():
    tokenizer = load_tokenizer()
    end = tokenizer.token_to_id(END_OF_DOCUMENT)
    ids = encode_documents(tokenizer, ["import os\n", "x"])
    assert ids.dtype == np.uint16
    assert (ids == end).nonzero()[0].tolist() == [len(ids) - 3, len(ids) - 1]
    assert token_bytes(tokenizer)[end] == 0


def test_frequent_pairs_become_tokens():
    tokenizer = train_tokenizer(["abab abab abab"] * 3, vocab_size=260)
    assert tokenizer.get_vocab_size() == 260
    assert tokenizer.token_to_id("ab") is not None


def test_fingerprint_belongs_to_the_vocabulary():
    one, same, other = (train_tokenizer([text] * 3, 259) for text in ("abab", "abab", "cdcd"))
    assert tokenizer_fingerprint(one) == tokenizer_fingerprint(same)
    assert tokenizer_fingerprint(one) != tokenizer_fingerprint(other)


def test_what_is_no_tokenizer_is_named(tmp_path):
    (tmp_path / "t.json").write_text('{"model": 3}')
    with pytest.raises(ValueError, match=r"t\.json is not a tokenizer"):
        load_tokenizer(tmp_path / "t.json")
    with pytest.raises(ValueError, match="no tokenizer at"):
        load_tokenizer(tmp_path / "absent.json")
