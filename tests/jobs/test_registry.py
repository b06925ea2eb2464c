import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from alibi_viz.jobs import registry as registry_module
from alibi_viz.jobs import texts
from alibi_viz.jobs.registry import JobRefused
from alibi_viz.jobs.requests import request_key
from alibi_viz.jobs.texts import text_path
from alibi_viz.jobs.train_request import TrainRequest
from tests.jobs.scenario import is_running, let_go, process_of, request, start, until


def state_of(registry, job):
    return registry.job(job.id).state


def test_a_job_runs_its_command_to_the_end(registry):
    job = start(registry)
    assert registry.job(job.id).status.started >= job.status.submitted
    let_go(registry)
    until(lambda: state_of(registry, job) == "finished")
    ended = registry.job(job.id)
    assert ended.status.ended >= ended.status.started
    assert ended.request == request()


def test_whoever_asks_for_the_same_gets_the_same_job(registry):
    first = start(registry, session="a")
    second = registry.submit(request(), "b")
    assert second.id == first.id
    let_go(registry)
    until(lambda: state_of(registry, first) == "finished")
    assert registry.submit(request(), "c").state == "finished"
    assert (first.folder / "run" / "starts").read_text() == "x"


def test_many_who_ask_at_once_start_one_job(registry):
    asked = []
    threads = [
        threading.Thread(target=lambda: asked.append(registry.submit(request(), str(len(asked)))))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({job.id for job in asked}) == 1
    let_go(registry)
    until(lambda: state_of(registry, asked[0]) == "finished")
    assert (asked[0].folder / "run" / "starts").read_text() == "x"


def test_one_job_runs_and_the_next_waits_its_turn(registry):
    first = start(registry, 1, "a")
    second = registry.submit(request(2), "b")
    third = registry.submit(request(3), "c")
    assert [registry.jobs_before(registry.job(job.id)) for job in (second, third)] == [1, 2]
    assert state_of(registry, second) == state_of(registry, third) == "queued"
    let_go(registry)
    until(lambda: state_of(registry, third) == "finished")
    ended = [registry.job(job.id).status for job in (first, second, third)]
    assert ended[0].ended <= ended[1].started
    assert ended[1].ended <= ended[2].started


def test_two_servers_on_one_machine_share_jobs_and_run_one_at_a_time(new_registry):
    ours, theirs = new_registry(), new_registry()
    job = start(ours, 1)
    assert theirs.submit(request(1), "b").state == "running"
    other = theirs.submit(request(2), "b")
    # Long enough for a worker to start, were it not for the first one's turn.
    enough = time.monotonic() + 1.0
    until(lambda: time.monotonic() > enough)
    assert state_of(ours, other) == "queued"
    assert not (other.folder / "run").exists()
    theirs.cancel(job.id)
    until(lambda: state_of(ours, job) == "cancelled")
    until(lambda: state_of(ours, other) == "running")


def test_a_session_may_have_one_job_waiting(registry):
    start(registry, 1, "a")
    waiting = registry.submit(request(2), "a")
    with pytest.raises(JobRefused, match="already have a job waiting"):
        registry.submit(request(3), "a")
    assert registry.submit(request(3), "b").state == "queued"
    registry.cancel(waiting.id)
    assert registry.submit(request(4), "a").state == "queued"


def test_the_queue_has_an_end(new_registry):
    registry = new_registry(max_queued=2)
    start(registry, 1, "a")
    registry.submit(request(2), "b")
    registry.submit(request(3), "c")
    with pytest.raises(JobRefused, match="2 jobs wait already"):
        registry.submit(request(4), "d")
    assert registry.find(request(4)) is None


def test_all_visitors_of_one_address_have_so_many_places(registry, monkeypatch):
    monkeypatch.setenv("ALIBI_VIZ_QUEUE_PLACES", "2")
    start(registry, 1, "a")
    for seed, session in ((2, "b"), (3, "c")):
        registry.submit(request(seed), session, "192.0.2.1")
    with pytest.raises(JobRefused, match="2 jobs of your network wait"):
        registry.submit(request(4), "d", "192.0.2.1")
    assert registry.submit(request(4), "d", "192.0.2.2").state == "queued"


def test_addresses_take_turns(registry):
    start(registry, 1, "a")
    crowd = [registry.submit(request(seed), f"s{seed}", "192.0.2.1") for seed in (2, 3, 4)]
    late = registry.submit(request(5), "b", "192.0.2.2")
    before = [registry.jobs_before(registry.job(job.id)) for job in (*crowd, late)]
    assert before == [1, 3, 4, 2]
    let_go(registry)
    until(lambda: state_of(registry, crowd[2]) == "finished")
    started = [registry.job(job.id).status.started for job in (crowd[0], late, crowd[1], crowd[2])]
    assert started == sorted(started)


def test_a_waiting_job_that_nobody_watches_is_given_up(registry):
    first = start(registry, 1, "a")
    left, watched = registry.submit(request(2), "b"), registry.submit(request(3), "c")
    for job in (left, watched):
        os.utime(job.folder / "watched", (1.0, 1.0))
    registry.watch(watched.id)
    let_go(registry)
    until(lambda: state_of(registry, watched) == "finished")
    given_up = registry.job(left.id)
    assert (given_up.state, given_up.status.message) == (
        "cancelled",
        "Nobody was waiting for it any more.",
    )
    assert state_of(registry, first) == "finished"
    assert registry.submit(request(2), "b").state in ("queued", "running", "finished")


def prose(number):
    return f"{number}: whoever reads this text reads it twice. ".encode() * 300


def test_the_text_of_a_waiting_job_outlives_a_flood_of_texts(registry, monkeypatch):
    monkeypatch.setattr(texts, "MAX_SPARE", 3)
    start(registry, 1, "a")
    mine = registry.keep_text(prose(0), "b")
    job = registry.submit(TrainRequest(text=mine, seed=2), "b")
    for number in range(1, 9):
        last = registry.keep_text(prose(number), f"s{number}")
    kept = {path.stem for path in (registry.root.parent / "texts").iterdir()}
    assert len(kept) == 4
    assert {mine, last} < kept
    let_go(registry)
    until(lambda: state_of(registry, job) == "finished")
    for number in range(9, 13):
        registry.keep_text(prose(number), f"s{number}")
    assert not text_path(mine, registry.root.parent / "texts").exists()


def test_a_visitor_and_an_address_bring_so_many_texts_at_once(registry, monkeypatch):
    most = registry_module.TEXTS_OF_SESSION[0]
    ids = [registry.keep_text(prose(number), "a", "192.0.2.1") for number in range(most)]
    with pytest.raises(ValueError, match="too many texts"):
        registry.keep_text(prose(most), "a", "192.0.2.1")
    # The page asks again with each rerun.
    assert registry.keep_text(prose(0), "a", "192.0.2.1") == ids[0]
    registry.keep_text(prose(most), "b", "192.0.2.1")


def test_cancelling_lets_the_command_save_and_leaves_no_process(registry):
    others = children()
    job = start(registry)
    command = process_of(job)
    registry.cancel(job.id)
    assert registry.job(job.id).is_stopping
    until(lambda: state_of(registry, job) == "cancelled")
    assert (job.folder / "run" / "saved").exists()
    assert not is_running(command)
    until(lambda: children() <= others)


def test_a_command_that_ignores_the_wish_to_end_is_killed(registry, monkeypatch):
    monkeypatch.setenv("ALIBI_VIZ_JOB_GRACE", "0.3")
    job = start(registry, 93)
    registry.cancel(job.id)
    until(lambda: state_of(registry, job) == "cancelled")
    assert not is_running(process_of(job))


def test_cancelling_a_waiting_job_takes_it_out_of_the_queue(registry):
    first = start(registry, 1)
    waiting = registry.submit(request(2), "b")
    registry.cancel(waiting.id)
    assert state_of(registry, waiting) == "cancelled"
    let_go(registry)
    until(lambda: state_of(registry, first) == "finished")
    assert not (waiting.folder / "run").exists()


def test_a_cancelled_job_goes_on_when_it_is_asked_for_again(registry):
    job = start(registry)
    registry.cancel(job.id)
    until(lambda: state_of(registry, job) == "cancelled")
    let_go(registry)
    again = registry.submit(request(), "b")
    assert again.id == job.id
    until(lambda: state_of(registry, job) == "finished")
    assert (job.folder / "run" / "starts").read_text() == "xx"


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        (90, "^the corpus is too short$"),
        (91, "killed by SIGKILL; perhaps the machine ran out of memory"),
        (92, "disk is full.*No space left on device"),
    ],
)
def test_a_failed_job_says_why_and_can_be_tried_again(registry, seed, message):
    job = registry.submit(request(seed), "a")
    until(lambda: state_of(registry, job) == "failed")
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(registry.job(job.id).status.message)
    registry.submit(request(seed), "a")
    until(lambda: (job.folder / "run" / "starts").read_text() == "xx")


def test_when_the_server_ends_its_job_is_saved_and_can_be_resumed(new_registry):
    old = new_registry()
    job = start(old, 1)
    waiting = old.submit(request(2), "b")
    old.close()
    new = new_registry()
    assert {state_of(new, job), state_of(new, waiting)} == {"stopped"}
    assert "server stopped" in new.job(job.id).status.message
    assert (job.folder / "run" / "saved").exists()
    assert not is_running(process_of(job))
    let_go(new)
    new.submit(request(1), "a")
    until(lambda: state_of(new, job) == "finished")


def test_a_worker_that_is_killed_takes_its_command_along_and_the_job_is_shown_as_stopped(registry):
    others = children()
    job = start(registry)
    command = process_of(job)
    (worker,) = children() - others
    os.kill(worker, signal.SIGKILL)
    until(lambda: state_of(registry, job) == "stopped")
    assert "cut off" in registry.job(job.id).status.message
    until(lambda: not is_running(command))
    let_go(registry)
    registry.submit(request(), "a")
    until(lambda: state_of(registry, job) == "finished")


def test_a_killed_server_takes_its_workers_along(tmp_path, program, new_registry):
    code = (
        "import sys, time\nfrom pathlib import Path\n"
        "from alibi_viz.jobs.registry import Registry\n"
        "from alibi_viz.jobs.train_request import TrainRequest\n"
        "registry = Registry(Path(sys.argv[1]), program=sys.argv[2:])\n"
        "registry.submit(TrainRequest(), 'a')\n"
        "time.sleep(600)\n"
    )
    server = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "jobs"), *program])
    registry = new_registry()
    until(lambda: registry.find(request()) and registry.find(request()).state == "running")
    job = registry.find(request())
    until(lambda: (job.folder / "run" / "ready").exists())
    server.kill()
    server.wait()
    until(lambda: state_of(registry, job) == "stopped")
    assert (job.folder / "run" / "saved").exists()
    assert not is_running(process_of(job))


def test_jobs_are_niced(registry):
    job = start(registry)
    ours = os.getpriority(os.PRIO_PROCESS, os.getpid())
    assert os.getpriority(os.PRIO_PROCESS, process_of(job)) == min(ours + 10, 19)


def test_only_the_newest_jobs_are_kept_and_never_an_active_one_deleted(new_registry):
    registry = new_registry(max_kept=1)
    failed = [registry.submit(request(90), "a"), registry.submit(request(91), "b")]
    for job in failed:
        until(lambda job=job: state_of(registry, job) == "failed")
    active = start(registry, 1)
    kept = {job.id for job in registry.jobs()}
    assert kept == {failed[1].id, active.id}
    registry.submit(request(2), "c")
    assert state_of(registry, active) == "running"
    assert not failed[0].folder.exists()
    # The one that is kept is the newest of those that are over: an active one does not count.
    assert failed[1].folder.exists()


def test_a_job_folder_of_another_version_is_passed_over(registry):
    job = start(registry)
    (job.folder / "request.json").write_text('{"kind": "train", "parameters": {"colour": 3}}')
    assert registry.jobs() == []
    assert registry.job(job.id) is None


def test_a_full_disk_refuses_the_job_and_leaves_nothing_behind(registry, monkeypatch):
    def full(path, content, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("alibi_viz.jobs.registry.write_json", full)
    with pytest.raises(JobRefused, match=r"cannot write .*No space left"):
        registry.submit(request(), "a")
    monkeypatch.undo()
    assert registry.find(request()) is None
    assert registry.submit(request(), "a").state in ("queued", "running")


def test_a_job_id_never_leads_out_of_the_folder(registry, tmp_path):
    (tmp_path / "status.json").write_text("{}")
    assert registry.job("..") is None
    assert registry.job("../jobs") is None


def test_the_key_tells_every_parameter_apart():
    requests = [
        TrainRequest(),
        TrainRequest(position="rope"),
        TrainRequest(heads=4),
        TrainRequest(layers=2),
        TrainRequest(width=64),
        TrainRequest(train_length=64),
        TrainRequest(max_exponent=4.0),
        TrainRequest(learned_slopes=True),
        TrainRequest(tokens=100_000),
        TrainRequest(seed=1),
        TrainRequest(text="0123456789abcdef"),
    ]
    assert len({request_key(each) for each in requests}) == len(requests)
    assert request_key(TrainRequest()) == request_key(TrainRequest(heads=8, seed=0))


def children():
    """Process ids of this process's children, the dead that nobody waited for included.

    The app and the browser of other tests are among them: compare with what was there before.
    """
    listed = subprocess.Popen(
        ["ps", "-o", "pid=", "--ppid", str(os.getpid())], stdout=subprocess.PIPE, text=True
    )
    output, _ = listed.communicate()
    return {int(line) for line in output.split()} - {listed.pid}
