import threading
from concurrent.futures import Future

import pytest

from alibi_viz.ui.show.one_at_a_time import OneAtATime, Piece, Shelf, wait_for


def workshop(max_bytes=100, keep=2):
    return OneAtATime({"things": Shelf(max_bytes, keep)})


def ask(shop, key, work, size=1):
    return shop.ask("things", key, lambda report: work(), lambda result: size)


def test_the_same_work_is_done_once_whoever_asks():
    shop, calls = workshop(), []
    pieces = [ask(shop, "a", lambda: calls.append("a") or 7) for _ in range(3)]
    assert [piece.future.result() for piece in pieces] == [7, 7, 7]
    assert calls == ["a"]
    assert shop.is_ready("things", "a")
    assert not shop.is_ready("things", "b")


def test_two_pieces_never_run_at_once():
    shop, running, most = workshop(), [], []

    def work():
        running.append(1)
        most.append(len(running))
        threading.Event().wait(0.01)
        running.pop()

    pieces = [ask(shop, key, work) for key in range(5)]
    for piece in pieces:
        piece.future.result()
    assert most == [1, 1, 1, 1, 1]


def test_the_oldest_results_are_dropped_beyond_the_size_but_some_are_kept():
    shop, calls = workshop(max_bytes=10, keep=2), []

    def result(key, size):
        return ask(shop, key, lambda: calls.append(key), size).future.result()

    for key in "abc":
        result(key, 4)
    # 12 of 10 bytes: "a" goes as soon as another is asked for; "b" and "c" fit.
    result("b", 4)
    result("a", 4)
    assert "".join(calls) == "abca"
    for key in "xy":
        result(key, 50)
    assert shop.is_ready("things", "x")
    assert shop.is_ready("things", "y")
    assert not shop.is_ready("things", "a")


def test_a_failure_is_told_and_the_next_one_to_ask_starts_anew():
    shop, answers = workshop(), iter([ValueError("no such file"), 5])

    def work():
        answer = next(answers)
        if isinstance(answer, ValueError):
            raise answer
        return answer

    with pytest.raises(ValueError, match="no such file"):
        ask(shop, "a", work).future.result()
    assert not shop.is_ready("things", "a")
    assert ask(shop, "a", work).future.result() == 5


def test_work_reports_how_far_it_is():
    shop, may_end = workshop(), threading.Event()
    reported = threading.Event()

    def work(report):
        report(0.5)
        reported.set()
        may_end.wait()

    piece = shop.ask("things", "a", work, lambda result: 1)
    reported.wait()
    assert piece.done == 0.5
    assert not shop.is_ready("things", "a")
    may_end.set()
    piece.future.result()


class EndsWithTheWait(Future):
    """Work that ends when the wait for it is over, before anybody has looked."""

    def __init__(self, end):
        super().__init__()
        self.end = end

    def result(self, timeout=None):
        if not self.done():
            self.end(self)
            raise TimeoutError
        return super().result(timeout)


def test_work_that_ends_just_after_the_wait_gives_its_result():
    piece = Piece(EndsWithTheWait(lambda future: future.set_result(7)), lambda result: 1)
    assert wait_for(piece, "Working") == 7


@pytest.mark.parametrize("error", [ValueError("no such file"), TimeoutError("from the work")])
def test_an_error_just_after_the_wait_is_the_works_own(error):
    piece = Piece(EndsWithTheWait(lambda future: future.set_exception(error)), lambda result: 1)
    with pytest.raises(type(error), match=str(error)):
        wait_for(piece, "Working")
