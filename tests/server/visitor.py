"""A visitor without a browser: requests, and a websocket that runs pages."""

import urllib.error
import urllib.request

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

AGAIN = ForwardMsg.FINISHED_EARLY_FOR_RERUN


def status(url, method="GET", **headers):
    """The status of an answer, a refusal's too."""
    try:
        ask = urllib.request.Request(url, method=method, headers=headers)
        with urllib.request.urlopen(ask, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code


def run_of(address, *frames, patience=30):
    """Yields what a visitor is sent who sends these frames, until the last run is finished.

    Between two messages there are at most `patience` seconds.
    """
    stream = address.replace("http", "ws", 1) + "/_stcore/stream"
    with connect(stream, subprotocols=["streamlit"], max_size=None, open_timeout=60) as visitor:
        for frame in frames:
            visitor.send(frame.SerializeToString())
        while True:
            content = visitor.recv(timeout=patience)
            yield content
            told = ForwardMsg.FromString(content)
            # A page that sends its visitor on, or settles its link, begins again at once.
            if told.WhichOneof("type") == "script_finished" and told.script_finished != AGAIN:
                return
