import hashlib

import pytest

from alibi_viz.data.corpus import Corpus, standard_library, text_corpus


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


def test_fingerprint_tells_every_change_of_a_file_and_of_the_split():
    base = Corpus("c", ("a", "b"), ("v",), "")
    others = [
        Corpus("c", ("a", "c"), ("v",), ""),
        Corpus("c", ("b", "a"), ("v",), ""),
        Corpus("c", ("ab",), ("v",), ""),
        Corpus("c", ("a",), ("b", "v"), ""),
    ]
    assert len({corpus.fingerprint for corpus in [base, *others]}) == 5
    assert Corpus("d", ("a", "b"), ("v",), "3").fingerprint == base.fingerprint


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
