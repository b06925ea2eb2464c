import os
import time

import pytest

from alibi_viz.jobs import texts
from alibi_viz.jobs.texts import forget_texts, keep_text, text_arguments, text_path

PROSE = b"Whoever reads this text reads it twice. " * 300


def test_the_same_text_is_kept_once(tmp_path):
    first, second = keep_text(PROSE, tmp_path), keep_text(PROSE, tmp_path)
    assert first == second
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [PROSE]
    assert keep_text(PROSE + b"!", tmp_path) != first


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x" * 1_000_001, "1,000,001 bytes; at most 1,000,000"),
        (b"  short ", "5 characters; at least 10,000"),
        (PROSE + b"\xff", "not UTF-8 text: invalid start byte at byte 12,000"),
        (PROSE + b"\0", "NUL"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path, content, message):
    with pytest.raises(ValueError, match=message):
        keep_text(content, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_texts_that_no_job_needs_go_the_oldest_first_or_after_a_day(tmp_path, monkeypatch):
    monkeypatch.setattr(texts, "MAX_SPARE", 2)
    needed, old, *others = (keep_text(PROSE + bytes([65 + n]), tmp_path) for n in range(5))
    for age, identity in enumerate([others[2], others[1], others[0], needed]):
        seconds = time.time() - age
        os.utime(text_path(identity, tmp_path), (seconds, seconds))
    os.utime(text_path(old, tmp_path), (1.0, 1.0))
    forget_texts({needed}, tmp_path)
    assert {path.stem for path in tmp_path.iterdir()} == {needed, others[1], others[2]}
    monkeypatch.setattr(texts, "SPARE_SECONDS", -10.0)
    forget_texts({needed}, tmp_path)
    assert [path.stem for path in tmp_path.iterdir()] == [needed]


@pytest.mark.parametrize("identity", ["", "../secret", "0123456789ABCDEF", "0123456789abcdef/.."])
def test_only_an_id_becomes_part_of_a_path(identity):
    with pytest.raises(ValueError, match="no such text"):
        text_path(identity)


def test_the_servers_own_text_needs_no_argument():
    assert text_arguments(texts.LIBRARY) == []
