"""A websocket that another site's page opens."""

import base64
import os
import socket
from urllib.parse import urlsplit


def knock(address, origin="https://elsewhere.example", patience=60):
    """Asks for the app's stream from that origin and returns the HTTP status of the answer."""
    host = urlsplit(address).netloc
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {host}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
        f"Origin: {origin}",
    ]
    name, _, port = host.partition(":")
    with socket.create_connection((name, int(port)), timeout=patience) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        return int(connection.recv(64).split()[1])
