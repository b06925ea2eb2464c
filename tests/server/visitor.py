"""A visitor without a browser: a websocket that runs pages."""

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

AGAIN = ForwardMsg.FINISHED_EARLY_FOR_RERUN


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
