import shutil
import subprocess

import pytest

from alibi_viz.server import proxy
from alibi_viz.server.proxy import COOKIE, configuration, find_proxy, own_folder

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


@pytest.mark.skipif(
    not shutil.which("nginx", path="/usr/sbin:/usr/bin"), reason="this machine has no nginx"
)
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
