import logging

import pytest

from alibi_viz.server import log
from alibi_viz.server.log import Sparing


def record(message, name="asyncio"):
    return logging.LogRecord(name, logging.ERROR, "", 0, message, None, None)


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(log.time, "monotonic", lambda: now[0])
    return now


def test_what_repeats_is_told_a_few_times_a_minute_and_then_counted(clock):
    sparing = Sparing(per_message=3, in_all=100)
    assert [sparing.filter(record("out of descriptors")) for _ in range(7)] == [True] * 3 + [
        False
    ] * 4
    clock[0] = 61.0
    again = record("out of descriptors")
    assert sparing.filter(again)
    assert again.getMessage() == "out of descriptors (4 records before it were left out)"


def test_one_message_does_not_drown_another(clock):
    sparing = Sparing(per_message=1, in_all=100)
    sparing.filter(record("out of descriptors"))
    assert sparing.filter(record("a worker died"))
    assert sparing.filter(record("out of descriptors", name="uvicorn.error"))


def test_messages_that_all_differ_are_bounded_too(clock):
    sparing = Sparing(per_message=5, in_all=11)
    assert sum(sparing.filter(record(f"{number} failed")) for number in range(1000)) == 11


def test_loggers_of_before_and_of_later_are_bounded(monkeypatch, clock):
    before = logging.getLogger("tests.bounded.before")
    monkeypatch.setattr(logging.root.manager, "loggerDict", {"tests.bounded.before": before})
    monkeypatch.setattr(logging, "_loggerClass", logging.Logger)
    filters = list(logging.root.filters)
    log.bound_logs()
    later = logging.getLogger("tests.bounded.later")
    logging.root.filters[:] = filters
    assert [type(one) for one in before.filters] == [Sparing]
    assert later.filters == before.filters
