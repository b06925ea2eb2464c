"""Starts the app where no packet leaves and no name is ever resolved, and tries to make it ask.

Run as root of namespaces of its own: `unshare --map-root-user --net --mount python cut_off.py`.
Prints how many questions its name server heard, and how long a request took meanwhile.
"""

import fcntl
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.browser.server import running_app  # noqa: E402
from tests.server.foreign import knock  # noqa: E402

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


def main():
    raise_loopback()
    heard = silent_name_server()
    with running_app(host="0.0.0.0") as address:
        status = knock(address)
        start = time.monotonic()
        urllib.request.urlopen(f"{address}/_stcore/health", timeout=30).read()
        print(status, len(heard), f"{time.monotonic() - start:.2f}")


if __name__ == "__main__":
    main()
