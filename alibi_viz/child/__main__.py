"""The child: a task with its arguments a line of JSON in, its answer a line of JSON out.

Behind an answer's line stand the bytes that it speaks of; before it, how far the task is.
"""

import json
import os
import sys
from typing import Any

from alibi_viz.child.attached import Attached
from alibi_viz.child.limits import shut_in
from alibi_viz.child.tasks import find_task
from alibi_viz.child.telling import listen


def main() -> None:
    """Answers until there is nothing more to read."""
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


if __name__ == "__main__":
    main()
