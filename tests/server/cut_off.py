"""Starts the app where no packet leaves and no name is ever resolved, and tries to make it ask.

Run as root of namespaces of its own: `unshare --map-root-user --net --mount python cut_off.py`.
A foreign page knocks, every address is asked for from another site, and every page is opened.
Prints the status of the foreign page, the pages that came to their end, how many questions the name
server heard, and how long a request took at the end.
"""

import fcntl
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from streamlit.proto.BackMsg_pb2 import BackMsg  # noqa: E402
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg  # noqa: E402

from alibi_viz.ui.frame.navigation import PAGES  # noqa: E402
from tests.browser.server import running_app  # noqa: E402
from tests.server.foreign import knock  # noqa: E402
from tests.server.visitor import run_of  # noqa: E402

ASKED = (
    *("/", "/explore", "/_stcore/health", "/_stcore/host-config", "/_stcore/script-health-check"),
    *(
        "/_stcore/upload_file/a/b",
        "/_stcore/stream",
        "/_stcore/metrics",
        "/media/a",
        "/component/a",
    ),
    *("/join", "/join/ABCD/join", "/join/ABCD/events", "/static/a.js"),
)

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


def raise_loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        flags = struct.unpack("16sh", fcntl.ioctl(control, _SIOCGIFFLAGS, b"lo".ljust(18, b"\0")))
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh", b"lo", flags[1] | _IFF_UP))


def silent_name_server():
    """Takes the place of the machine's name servers, hears and never answers."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listening.bind(("127.0.0.1", 53))
    with tempfile.NamedTemporaryFile("w", delete=False) as file:
        file.write("nameserver 127.0.0.1\n")
    subprocess.run(["mount", "--bind", file.name, "/etc/resolv.conf"], check=True)
    heard = []

    def listen():
        while True:
            heard.append(listening.recv(512))

    threading.Thread(target=listen, daemon=True).start()
    return heard


def ask_from_elsewhere(url):
    """Asks as a page of another site does; what is answered does not matter here."""
    for method in ("GET", "OPTIONS", "PUT", "POST"):
        headers = {"Origin": "https://elsewhere.example"}
        with suppress(urllib.error.HTTPError):
            ask = urllib.request.Request(url, method=method, headers=headers)
            urllib.request.urlopen(ask, timeout=60).close()


def is_shown(address, name):
    """Whether a page's script comes to its end."""
    asked = BackMsg(rerun_script={"page_name": name})
    *_, last = run_of(address, asked, patience=120)
    return ForwardMsg.FromString(last).script_finished == ForwardMsg.FINISHED_SUCCESSFULLY


def main():
    raise_loopback()
    heard = silent_name_server()
    with running_app(host="0.0.0.0") as address:
        status = knock(address)
        for path in ASKED:
            ask_from_elsewhere(address + path)
        shown = [page.name for page in PAGES if is_shown(address, page.name)]
        start = time.monotonic()
        urllib.request.urlopen(f"{address}/_stcore/health", timeout=30).read()
        print(status, ",".join(shown), len(heard), f"{time.monotonic() - start:.2f}")


if __name__ == "__main__":
    main()
