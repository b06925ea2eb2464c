import http.server
import shutil
import socket
import subprocess
import threading
import time

import pytest

from alibi_viz.server import proxy
from alibi_viz.server.proxy import COOKIE, configuration, find_proxy, own_folder
from tests.browser.server import free_port
from tests.server.visitor import status

WORKERS = (4001, 4003, 4007)


@pytest.mark.parametrize("name", ["nginx", "caddy"])
def test_every_worker_is_behind_it_and_visitors_stay_by_a_cookie(tmp_path, name):
    text = configuration(name, "127.0.0.1", 8501, WORKERS, tmp_path)
    assert all(f"127.0.0.1:{worker}" in text for worker in WORKERS)
    assert COOKIE in text
    assert "127.0.0.1:8501" in text


def test_an_address_of_version_6_is_in_brackets(tmp_path):
    assert "listen [::]:8501;" in configuration("nginx", "::", 8501, WORKERS, tmp_path)


def test_a_proxy_that_is_missing_is_asked_for(monkeypatch):
    monkeypatch.setattr(proxy.shutil, "which", lambda name, path=None: None)
    with pytest.raises(ValueError, match="install nginx or caddy"):
        find_proxy()
    with pytest.raises(ValueError, match=r"install caddy$"):
        find_proxy("caddy")


NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/bin")
needs_nginx = pytest.mark.skipif(not NGINX, reason="this machine has no nginx")


class _Worker(http.server.BaseHTTPRequestHandler):
    """Answers, but for one address, where it breaks the connection off."""

    def do_GET(self):
        if self.path == "/broken":
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def _listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@needs_nginx
def test_a_worker_that_broke_one_connection_off_is_not_given_up():
    port, nobody = free_port(), free_port()
    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Worker) as worker,
        own_folder() as name,
    ):
        threading.Thread(target=worker.serve_forever, daemon=True).start()
        workers = [worker.server_port, nobody]
        command = find_proxy("nginx").command("127.0.0.1", port, workers, proxy.Path(name))
        with subprocess.Popen(command) as running:
            try:
                deadline = time.monotonic() + 60
                while not _listens(port):
                    assert time.monotonic() < deadline
                    time.sleep(0.05)
                address = f"http://127.0.0.1:{port}"
                assert status(f"{address}/broken") == 502
                assert [status(f"{address}/{number}") for number in range(8)] == [200] * 8
            finally:
                running.terminate()
                worker.shutdown()


@needs_nginx
def test_nginx_takes_its_configuration():
    with own_folder() as name:
        folder = proxy.Path(name)
        command = find_proxy("nginx").command("127.0.0.1", 8599, WORKERS, folder)
        done = subprocess.run([*command, "-t"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not shutil.which("caddy"), reason="this machine has no Caddy")
def test_caddy_takes_its_configuration(tmp_path):
    (program, _, *options) = find_proxy("caddy").command("127.0.0.1", 8599, WORKERS, tmp_path)
    done = subprocess.run([program, "adapt", *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
