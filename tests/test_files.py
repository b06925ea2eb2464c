import os

import pytest

from alibi_viz.files import lock, remove_leftovers, write_bytes


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o027, 0o640), (0o002, 0o664)])
def test_a_written_file_follows_the_umask(mask, mode, tmp_path):
    before = os.umask(mask)
    try:
        write_bytes(tmp_path / "a" / "file", b"content")
    finally:
        os.umask(before)
    assert (tmp_path / "a" / "file").stat().st_mode & 0o777 == mode


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    write_bytes(tmp_path / "file", b"old")
    with pytest.raises(TypeError):
        write_bytes(tmp_path / "file", "no bytes")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_what_a_killed_writer_left_goes_and_all_else_stays(tmp_path):
    leftover = tmp_path / "a" / ".model.safetensors.0123456789abcdef"
    stays = [tmp_path / "a" / name for name in (".lock", "model", ".x.0123456789abcde")]
    for path in (leftover, *stays):
        write_bytes(path, b"content")
        os.utime(path, (1.0, 1.0))
    young = leftover.with_name(".records.json.fedcba9876543210")
    young.touch()
    remove_leftovers(tmp_path)
    assert sorted(tmp_path.rglob("*")) == sorted([tmp_path / "a", young, *stays])


def test_a_lock_lets_one_in_at_a_time(tmp_path):
    with lock(tmp_path / ".lock"):
        with (
            pytest.raises(BlockingIOError, match="held by another"),
            lock(tmp_path / ".lock", wait=False),
        ):
            pass
    with lock(tmp_path / ".lock", wait=False):
        pass
