import os

import pytest

from alibi_viz.files import write_bytes


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
