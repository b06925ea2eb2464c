import hashlib
import json
import lzma

import pytest

from alibi_viz.data.corpus import (
    Corpus,
    load_corpus,
    name_of_text,
    standard_library,
    state_of_the_union,
    text_corpus,
)


def library(folder, names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n")
    return standard_library(folder)


NAMES = [f"module{n}.py" for n in range(60)]


def test_tests_tables_and_what_others_installed_are_left_out(tmp_path):
    unwanted = [
        "test/a.py",
        "json/tests/b.py",
        "idlelib/c.py",
        "lib2to3/d.py",
        "encodings/e.py",
        "site-packages/torch/f.py",
        "config-3.11-x86_64-linux-gnu/g.py",
        "_sysconfigdata__linux_.py",
        "notes.txt",
    ]
    corpus = library(tmp_path, [*NAMES, "json/decoder.py", *unwanted])
    documents = {*corpus.train, *corpus.validation}
    assert documents == {f"# {name}\n" for name in [*NAMES, "json/decoder.py"]}


def test_a_file_is_on_the_side_that_its_names_hash_says(tmp_path):
    corpus = library(tmp_path, NAMES)
    chosen = [
        f"# {name}\n"
        for name in sorted(NAMES)
        if int.from_bytes(hashlib.sha256(name.encode()).digest(), "big") % 12 == 0
    ]
    assert chosen
    assert list(corpus.validation) == chosen
    assert [f"# {name}\n" for name in corpus.validation_names] == chosen


def test_fingerprint_tells_every_change_of_a_file_and_of_the_split():
    base = Corpus("c", ("a", "b"), ("v",), ("n",), "")
    others = [
        Corpus("c", ("a", "c"), ("v",), ("n",), ""),
        Corpus("c", ("b", "a"), ("v",), ("n",), ""),
        Corpus("c", ("ab",), ("v",), ("n",), ""),
        Corpus("c", ("a",), ("b", "v"), ("n", "n"), ""),
    ]
    assert len({corpus.fingerprint for corpus in [base, *others]}) == 5
    assert Corpus("d", ("a", "b"), ("v",), ("n",), "3").fingerprint == base.fingerprint


def test_the_running_pythons_library_is_some_millions_of_characters():
    about = standard_library().describe()
    assert 5e6 < about["train_characters"] < 20e6
    assert 0.03 < about["validation_characters"] / about["train_characters"] < 0.2


def test_a_folder_without_sources_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no Python sources to train and validate on"):
        standard_library(tmp_path)


def test_a_text_file_takes_the_corpus_place_and_its_end_is_for_validation(tmp_path):
    (tmp_path / "poem.txt").write_text("0123456789" * 10)
    corpus = text_corpus(tmp_path / "poem.txt", validation_fraction=0.25)
    assert corpus.name == "poem.txt"
    assert [len(corpus.train[0]), len(corpus.validation[0])] == [75, 25]
    assert corpus.train[0] + corpus.validation[0] == "0123456789" * 10


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"caf\xe9 au lait", "not UTF-8 text: .* at byte 3"),
        (b"a\0b", "holds NUL characters"),
        (b"x", "1 characters: too few"),
    ],
)
def test_files_that_are_no_text_are_named_with_the_reason(tmp_path, content, message):
    (tmp_path / "upload.txt").write_bytes(content)
    with pytest.raises(ValueError, match=rf"upload\.txt.*{message}"):
        text_corpus(tmp_path / "upload.txt")


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(ValueError, match="no file at"):
        text_corpus(tmp_path / "absent.txt")


def addresses(path, rows):
    keys = ("year", "president", "text")
    lines = [json.dumps(dict(zip(keys, row, strict=True))) for row in rows]
    path.write_bytes(lzma.compress("\n".join(lines).encode()))
    return state_of_the_union(path)


def test_the_first_president_and_every_tenth_after_him_are_held_back_whole(tmp_path):
    # Twelve presidents of three addresses each; numbers 0 and 10 come back for one at the end.
    rows = [(1800 + 3 * n + k, f"P{n}", f"{n}.{k}") for n in range(12) for k in range(3)]
    rows += [(1900, "P0", "0.3"), (1901, "P10", "10.3")]
    corpus = addresses(tmp_path / "a.xz", rows)
    assert {text.split(".")[0] for text in corpus.validation} == {"0", "10"}
    assert len(corpus.validation) == len(corpus.validation_names) == 8
    assert len(corpus.train) == 30
    assert dict(zip(corpus.validation_names, corpus.validation, strict=True))["1900 P0"] == "0.3"


def test_addresses_are_in_the_order_of_their_names_hashes(tmp_path):
    rows = [(1800 + n, "P", f"{n}") for n in range(7)]
    names = addresses(tmp_path / "a.xz", rows).validation_names
    assert list(names) == sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())


def test_a_file_that_holds_no_addresses_is_refused(tmp_path):
    (tmp_path / "a.xz").write_bytes(b"words")
    with pytest.raises(ValueError, match=r"a\.xz holds no addresses"):
        state_of_the_union(tmp_path / "a.xz")
    with pytest.raises(ValueError, match="no addresses at"):
        state_of_the_union(tmp_path / "absent.xz")


def test_the_committed_addresses_are_what_their_provenance_says():
    corpus = state_of_the_union()
    presidents = {name.split(" ", 1)[1] for name in corpus.validation_names}
    assert presidents == {
        "George Washington",
        "Zachary Taylor",
        "Benjamin Harrison",
        "Dwight D Eisenhower",
        "Barack Obama",
    }
    documents = [*corpus.train, *corpus.validation]
    assert (len(documents), sum(map(len, documents))) == (233, 10_759_831)
    assert "\n" not in "".join(documents)


def test_a_named_text_wins_over_a_file_of_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("prose", "poem"):
        (tmp_path / name).write_text("0123456789")
    assert name_of_text(load_corpus("prose").describe()) == "prose"
    poem = load_corpus("poem").describe()
    assert (poem["name"], name_of_text(poem)) == ("poem", None)
    assert load_corpus("./prose").describe()["name"] == "prose"
