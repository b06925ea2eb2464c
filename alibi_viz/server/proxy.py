"""Reverse proxies that keep each visitor on one of several app processes, by a cookie."""

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

COOKIE = "alibi_viz_worker"

# Without a cookie a visitor gets a seat by chance; the seat decides the process, now and later. One
# that is gone hands its visitors to the next.
_NGINX = """\
daemon off;
pid {folder}/nginx.pid;
# Requests that go to another worker are no errors, and a log of them all would fill the disk.
error_log stderr crit;
worker_rlimit_nofile 16384;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  map $cookie_{cookie} $seat {{ "" $request_id; default $cookie_{cookie}; }}
  map $cookie_{cookie} $new_seat {{
    "" "{cookie}=$request_id; Path=/; HttpOnly; SameSite=Lax";
    default "";
  }}
  map $http_upgrade $connection_kind {{ "" ""; default upgrade; }}
  upstream app {{
    hash $seat consistent;
{servers}
    keepalive 64;
    # The workers close connections that rest for 5 seconds.
    keepalive_timeout 3s;
  }}
  server {{
    listen {listen};
    client_max_body_size 4m;
    location / {{
      proxy_pass http://app;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_kind;
      proxy_read_timeout 1h;
      proxy_buffering off;
      proxy_connect_timeout 2s;
      # Phones send an answer again until it was taken; a second time changes nothing.
      proxy_next_upstream error timeout non_idempotent;
      add_header Set-Cookie $new_seat;
    }}
  }}
}}
"""

_CADDY = """\
{{
  admin off
  auto_https off
}}
http://{listen} {{
  reverse_proxy {servers} {{
    lb_policy cookie {cookie}
    lb_try_duration 5s
    lb_try_interval 100ms
    fail_duration 3s
    flush_interval -1
  }}
}}
"""


@dataclass(frozen=True)
class Proxy:
    """A proxy that the system has."""

    name: str
    """"nginx" or "caddy"."""
    program: str
    """Its path."""

    def command(self, host: str, port: int, workers: Sequence[int], folder: Path) -> list[str]:
        """Writes the configuration into a folder and returns the command that runs the proxy.

        Args:
            host: Address that it listens on.
            port: Port that it listens on.
            workers: Ports of the app processes, on this machine.
            folder: An empty folder.
        """
        config = folder / f"{self.name}.conf"
        config.write_text(configuration(self.name, host, port, workers, folder), encoding="utf-8")
        if self.name == "nginx":
            return [self.program, "-p", str(folder), "-e", "stderr", "-c", str(config)]
        return [self.program, "run", "--adapter", "caddyfile", "--config", str(config)]


def find_proxy(name: str = "") -> Proxy:
    """Returns the proxy of that name, or the first one that the system has.

    Args:
        name: "nginx" or "caddy"; either if empty.

    Raises:
        ValueError: It is not installed.
    """
    wanted = (name,) if name else ("nginx", "caddy")
    for candidate in wanted:
        # Debian keeps nginx where only root's PATH leads.
        program = shutil.which(candidate) or shutil.which(candidate, path="/usr/sbin:/sbin")
        if program:
            return Proxy(candidate, program)
    raise ValueError(f"several workers need a proxy before them; install {' or '.join(wanted)}")


def configuration(name: str, host: str, port: int, workers: Sequence[int], folder: Path) -> str:
    """Returns the configuration of a proxy; see `Proxy.command`."""
    listen = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if name == "nginx":
        # On this machine one that is gone refuses at once, and one that is there is never given up.
        lines = (f"    server 127.0.0.1:{worker} max_fails=0;" for worker in workers)
        return _NGINX.format(folder=folder, cookie=COOKIE, servers="\n".join(lines), listen=listen)
    servers = " ".join(f"127.0.0.1:{worker}" for worker in workers)
    return _CADDY.format(listen=listen, servers=servers, cookie=COOKIE)


def own_folder() -> "tempfile.TemporaryDirectory[str]":
    """Returns a folder for a proxy's files, which goes when it is closed."""
    folder = tempfile.TemporaryDirectory(prefix="alibi-viz-proxy-")
    # nginx that is started by root works as somebody else.
    Path(folder.name).chmod(0o755)
    return folder
