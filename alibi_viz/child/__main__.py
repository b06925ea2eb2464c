"""The child: a task with its arguments a line of JSON in, its answer a line of JSON out."""

import json
import os
import sys

from alibi_viz.child.tasks import find_task


def main() -> None:
    """Answers until there is nothing more to read."""
    # What tasks or libraries print must not come between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = {"answer": find_task(asked["task"])(**asked["arguments"])}
        except ValueError as error:
            answer = {"refused": str(error)}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
