import pandas as pd
import pytest
from huggingface_hub import RepoFile
from huggingface_hub.errors import HfHubHTTPError

from alibi_viz.__main__ import main
from alibi_viz.data import hub
from alibi_viz.data.hub import HubFile, beginning_of_text, choose_file, fetch_text

FILES = [
    HubFile("README.md", 10),
    HubFile("wikitext-2-raw-v1/test-00000-of-00001.parquet", 11),
    HubFile("wikitext-103-raw-v1/train-00000-of-00002.parquet", 12),
    HubFile("wikitext-103-raw-v1/test-00001-of-00002.parquet", 13),
    HubFile("wikitext-103-raw-v1/test-00000-of-00002.parquet", 14),
    HubFile("plain/validation/part.txt", 15),
    HubFile("code/test.py", 16),
    HubFile("plain/big/huge.txt", 10**12),
]


@pytest.mark.parametrize(
    ("subset", "split", "size"),
    [
        ("wikitext-103-raw-v1", "test", 14),
        ("wikitext-2-raw-v1", "test", 11),
        ("wikitext-103-raw-v1", "train", 12),
        ("", "validation", 15),
        ("", "test", 14),
    ],
)
def test_the_first_file_of_the_subset_and_split_is_chosen(subset, split, size):
    assert choose_file(FILES, subset=subset, split=split).size == size


def test_a_split_that_is_not_there_is_named():
    with pytest.raises(
        ValueError, match=r"no \.parquet or \.txt file of split 'dev' of subset 'x'"
    ):
        choose_file(FILES, subset="x", split="dev")


def test_a_file_that_is_too_large_is_not_fetched():
    with pytest.raises(ValueError, match="1,000,000,000,000 bytes; at most 64,000,000"):
        choose_file(FILES, subset="", split="huge")


def test_a_parquet_files_text_column_is_read_line_by_line(tmp_path):
    path = tmp_path / "test.parquet"
    pd.DataFrame({"id": [1, 2, 3], "text": ["one\n", "", "three\n"]}).to_parquet(path)
    assert beginning_of_text(path, 100) == "one\n\nthree"
    assert beginning_of_text(path, 4) == "one\n"


def test_what_holds_no_text_is_refused(tmp_path):
    path = tmp_path / "test.parquet"
    pd.DataFrame({"image": [1]}).to_parquet(path)
    with pytest.raises(ValueError, match=r"test.parquet has no column 'text'"):
        beginning_of_text(path, 100)
    (tmp_path / "test.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match=r"^test.txt is not UTF-8 text"):
        beginning_of_text(tmp_path / "test.txt", 100)
    (tmp_path / "test.txt").write_text(" \n")
    with pytest.raises(ValueError, match=r"test.txt holds no text"):
        beginning_of_text(tmp_path / "test.txt", 100)


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A hub that has one data set, as a folder."""
    (tmp_path / "test.txt").write_text("Robert Boulter is an English actor.")

    def tree(self, name, *, repo_type, recursive):
        assert (name, repo_type, recursive) == ("owner/words", "dataset", True)
        return [RepoFile(path="test.txt", size=35, oid="0")]

    monkeypatch.setattr(hub.HfApi, "list_repo_tree", tree)
    monkeypatch.setattr(hub, "hf_hub_download", lambda name, path, repo_type: str(tmp_path / path))
    return tmp_path


def test_the_command_writes_the_text_once(served, capsys):
    output = served / "job" / "text.txt"
    arguments = ["fetch", "owner/words", "--characters", "14", "--output", str(output)]
    assert main(arguments) == 0
    assert output.read_text() == "Robert Boulter"
    assert main(arguments) == 0
    assert "there already" in capsys.readouterr().out


def test_a_hub_that_cannot_be_reached_is_said_in_one_line(monkeypatch, capsys, tmp_path):
    def unreachable(*arguments, **options):
        raise OSError("Connection refused\nand more")

    monkeypatch.setattr(hub.HfApi, "list_repo_tree", unreachable)
    with pytest.raises(ValueError, match=r"cannot fetch a/b from the hub: Connection refused$"):
        fetch_text("a/b", characters=10)
    assert main(["fetch", "a/b", "--output", str(tmp_path / "text.txt")]) == 1
    assert not (tmp_path / "text.txt").exists()
    assert issubclass(HfHubHTTPError, OSError)
