import numpy as np
import pytest

from alibi_viz.data import prepared as module
from alibi_viz.data.corpus import name_of_text
from alibi_viz.data.prepared import (
    Validation,
    describe_tokenizer,
    known_tokenizers,
    load_validation,
    make_validation,
    measured_text,
    prepare_corpus,
    save_validation,
    tokenizer_file,
    tokenizer_of,
)
from alibi_viz.data.tokenizer import END_OF_DOCUMENT, load_tokenizer, tokenizer_fingerprint


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
    made = Validation(
        np.arange(7, dtype=np.uint16), np.arange(7) < 3, np.array([0, 5]), ("a", "b"), {"name": "c"}
    )
    save_validation(made, tmp_path / "validation.npz")
    read = load_validation(path=tmp_path / "validation.npz")
    for name, value in vars(made).items():
        assert np.array_equal(getattr(read, name), value), name


@pytest.mark.parametrize("text", ["code", "prose"])
def test_a_committed_file_begins_behind_the_end_of_the_one_before(text):
    known = load_validation(text)
    end = load_tokenizer(tokenizer_file(text)).token_to_id(END_OF_DOCUMENT)
    assert len(known.starts) == len(known.names) == np.count_nonzero(known.tokens == end)
    assert (known.tokens[known.starts[1:] - 1] == end).all()
    assert len(known.seen) == len(known.tokens)
    assert known.tokens.max() < 1024
    assert name_of_text(known.corpus) == text


def test_files_of_code_are_named_as_they_begin():
    known = load_validation()
    tokenizer, number = load_tokenizer(), known.names.index("pickletools.py")
    start = known.starts[number]
    assert '"Executable documentation" for the pickle module' in tokenizer.decode(
        known.tokens[start : start + 40].tolist()
    )


def test_prose_has_a_tokenizer_and_validation_tokens_of_its_own():
    known = load_validation("prose")
    tokens, corpus = known.tokens, known.corpus
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
    made, known = make_validation("prose", cache=tmp_path), load_validation("prose")
    for name, value in vars(known).items():
        assert np.array_equal(getattr(made, name), value), name


def test_a_checkpoint_is_read_with_the_tokenizer_of_its_training():
    prose = {"tokenizer": describe_tokenizer(load_tokenizer(tokenizer_file("prose")))}
    assert tokenizer_of(prose, "here")[0] == measured_text(prose, "here") == "prose"
    # A text file is encoded with the tokenizer of code.
    code = {"tokenizer": describe_tokenizer(load_tokenizer()), "data": {"name": "poem.txt"}}
    assert measured_text(code, "here") == "code"
    with pytest.raises(ValueError, match=r"here was trained with another tokenizer \(None\)"):
        tokenizer_of({}, "here")


def test_pickled_arrays_are_not_read(tmp_path):
    np.savez(tmp_path / "v.npz", tokens=np.array([{}], dtype=object), corpus=np.asarray("{}"))
    with pytest.raises(ValueError, match=r"v\.npz holds no validation tokens"):
        load_validation(path=tmp_path / "v.npz")
    with pytest.raises(ValueError, match="no validation tokens at"):
        load_validation(path=tmp_path / "absent.npz")
