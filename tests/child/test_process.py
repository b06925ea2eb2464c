import subprocess
import sys
import time

import pytest

from alibi_viz.child.process import ChildDied, WarmChild
from alibi_viz.child.tasks import TASKS, find_task


def started_with(code):
    """Starts a child that runs this code in place of the real one."""

    def start():
        return subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    return start


ECHO = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"answer": json.loads(line)["arguments"]["value"]}), flush=True)
"""


@pytest.fixture
def child():
    made = []

    def make(code):
        made.append(WarmChild(started_with(code)))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def test_a_child_answers_again_and_again_without_a_new_start(child):
    echo = child(ECHO)
    assert [echo.ask("echo", seconds=30, value=value) for value in (1, "two", [3])] == [
        1,
        "two",
        [3],
    ]
    assert echo._process.poll() is None


def test_a_child_that_takes_too_long_is_stopped_and_the_next_question_gets_another(child):
    slow = child("import time, sys; sys.stdin.readline(); time.sleep(60)")
    start = time.monotonic()
    with pytest.raises(ChildDied, match="took too long and was stopped"):
        slow.ask("sleep", seconds=1)
    assert time.monotonic() - start < 20
    slow._start = started_with(ECHO)
    assert slow.ask("echo", seconds=30, value=7) == 7


def test_a_child_that_ends_is_told_with_its_status(child):
    with pytest.raises(ChildDied, match="ended with status 3"):
        child("import sys; sys.stdin.readline(); sys.exit(3)").ask("end", seconds=30)


def test_a_child_that_ends_is_told_with_what_it_did_last(child):
    told = 'print(\'{"done": 0.5, "words": "cuts the text"}\')'
    with pytest.raises(ChildDied, match="status 3, while it did this: cuts the text"):
        child(f"import sys; sys.stdin.readline(); {told}; sys.exit(3)").ask("end", seconds=30)


def test_what_a_task_refuses_is_the_asker_s_to_hear(child):
    refusing = child('import sys; sys.stdin.readline(); print(\'{"refused": "no word"}\')')
    with pytest.raises(ValueError, match="no word"):
        refusing.ask("refuse", seconds=30)


def test_who_waits_behind_others_is_told_so(child):
    echo = child(ECHO)
    echo._lock.acquire()
    with pytest.raises(ChildDied, match="others were before you"):
        echo.ask("echo", seconds=0.1, value=1)
    echo._lock.release()


def test_every_task_is_a_function_and_another_name_is_refused():
    assert all(callable(find_task(name)) for name in TASKS)
    with pytest.raises(
        ValueError, match=r"task must be one of typed_ending, .*, got 'format_disk'"
    ):
        find_task("format_disk")


def test_the_real_child_reads_a_typed_ending_and_refuses_an_empty_one():
    real = WarmChild()
    try:
        with pytest.raises(ValueError, match="type 1 to 300 characters, not 0"):
            real.ask("typed_ending", seconds=120, ending="  ", text="code")
    finally:
        real.stop()
