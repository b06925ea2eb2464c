"""The child: a task with its arguments a line of JSON in, its answer a line of JSON out.

Behind an answer's line stand the bytes that it speaks of; before it, how far the task is.
"""

import json
import os
import sys
import threading
import time
from typing import Any

from alibi_viz.child.attached import Attached
from alibi_viz.child.limits import shut_in
from alibi_viz.child.tasks import find_task
from alibi_viz.child.telling import listen

LOOK_EVERY_SECONDS = 1.0


def main() -> None:
    """Answers until there is nothing more to read, or nobody who reads the answers."""
    threading.Thread(target=_end_with, args=[os.getppid()], daemon=True).start()
    shut_in()
    # What tasks or libraries print must not come between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def send(line: dict[str, Any], parts: tuple[bytes, ...] = ()) -> None:
        answers.write(json.dumps(line).encode() + b"\n")
        for part in parts:
            answers.write(part)
        answers.flush()

    listen(lambda done, words: send({"done": done, "words": words}))
    for asked in map(json.loads, sys.stdin):
        try:
            answer = find_task(asked["task"])(**asked["arguments"])
        except ValueError as error:
            send({"refused": str(error), "kind": type(error).__name__})
            continue
        if isinstance(answer, Attached):
            send({"answer": answer.value, "bytes": [len(p) for p in answer.parts]}, answer.parts)
        else:
            send({"answer": answer})


def _end_with(server: int) -> None:
    """Ends this process with its server: a task of minutes would outlive one that was killed."""
    while os.getppid() == server:
        time.sleep(LOOK_EVERY_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    main()
