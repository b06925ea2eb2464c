"""A visitor without a browser: a websocket that runs pages."""

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect


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
            if ForwardMsg.FromString(content).WhichOneof("type") == "script_finished":
                return
