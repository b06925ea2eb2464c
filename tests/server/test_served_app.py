"""The app as `make run` serves it, asked over the network."""

import http.server
import shutil
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from alibi_viz.paths import PROJECT
from alibi_viz.rooms.room import Room
from alibi_viz.rooms.store import Store
from alibi_viz.ui.frame.navigation import PAGES
from tests.browser.server import running_app
from tests.server.foreign import knock
from tests.server.visitor import run_of, status

RUN = BackMsg(rerun_script={})


@pytest.fixture(scope="module")
def address():
    with running_app() as address:
        yield address


def test_metrics_are_nobodys_business(address):
    assert status(f"{address}/_stcore/metrics") == 404
    assert status(f"{address}/_stcore/health") == 200


def test_a_foreign_page_is_refused_and_an_own_one_is_not(address):
    assert knock(address) == 403
    assert knock(address, origin=address) == 101


def test_nobody_is_told_where_the_app_lies_on_the_disk(address):
    sent = list(run_of(address, RUN))
    assert len(sent) > 10
    assert not any(str(PROJECT).encode() in content for content in sent)


def test_a_visitor_changes_nothing_about_the_server(address):
    sent = run_of(address, BackMsg(clear_cache=True), BackMsg(set_run_on_save=True), RUN)
    # Streamlit would confirm the switch.
    assert not any(
        ForwardMsg.FromString(content).session_status_changed.run_on_save for content in sent
    )


class _Proxy(http.server.BaseHTTPRequestHandler):
    """Stands for the way to the network, and notes who takes it."""

    def do_GET(self):
        self.server.asked.append(self.path)
        self.send_error(502)

    do_CONNECT = do_GET

    def log_message(self, *_):
        pass


def test_neither_the_start_nor_a_request_asks_the_network_for_this_machines_address():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Proxy) as proxy:
        proxy.asked = []
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        way_out = f"http://127.0.0.1:{proxy.server_port}"
        with running_app(host="0.0.0.0", http_proxy=way_out, https_proxy=way_out) as address:
            assert knock(address) == 403
        proxy.shutdown()
        assert proxy.asked == []


def _namespaces():
    unshare = shutil.which("unshare")
    command = [str(unshare), "--map-root-user", "--net", "--mount"]
    works = unshare and subprocess.run([*command, "true"], capture_output=True).returncode == 0
    return command if works else None


@pytest.mark.skipif(_namespaces() is None, reason="this system lends no network namespace")
def test_cut_off_from_every_network_it_starts_and_answers_at_once():
    program = str(Path(__file__).with_name("cut_off.py"))
    done = subprocess.run(
        [*(_namespaces() or []), sys.executable, program],
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    refused, shown, questions, seconds = done.stdout.split()[-4:]
    assert (refused, questions) == ("403", "0")
    assert shown.split(",") == [page.name for page in PAGES]
    # A question that waits for an answer takes 5 seconds and more.
    assert float(seconds) < 5


def test_a_run_on_a_machine_of_ones_own_is_for_that_machine(address):
    # Not a loopback address, so nobody listens there.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 1))
        except OSError:
            pytest.skip("this machine has no address but the loopback one")
        outward = probe.getsockname()[0]
    port = int(address.rpartition(":")[2])
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((outward, port), timeout=5)


def test_a_server_that_is_asked_to_end_does_not_wait_for_listening_phones(tmp_path):
    file = tmp_path / "rooms.sqlite3"
    # Leaving the block fails where the server takes longer than 20 seconds.
    with running_app(ALIBI_VIZ_ROOMS=str(file)) as address:
        code = Room.open(Store(file)).code
        ask = urllib.request.Request(f"{address}/join/{code}/join", method="POST")
        with urllib.request.urlopen(ask, timeout=30) as joined:
            cookie = joined.headers["Set-Cookie"].split(";")[0]
        listen = urllib.request.Request(f"{address}/join/{code}/events", headers={"Cookie": cookie})
        stream = urllib.request.urlopen(listen, timeout=30)
        assert stream.readline().startswith(b"retry:")
    with stream:
        assert b"waiting" in stream.read()
