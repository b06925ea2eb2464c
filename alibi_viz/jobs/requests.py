"""What may be asked of a server: a model to train, what to evaluate, a recall model.

A request is checked when it is made, whoever makes it, and becomes arguments of the command line,
never text for a shell. Two equal requests have the same key and so are one job.
"""

import hashlib
import json
from pathlib import Path
from typing import Any, ClassVar, Protocol

from alibi_viz.jobs.evaluate_request import EvaluateRequest
from alibi_viz.jobs.recall_request import RecallRequest
from alibi_viz.jobs.train_request import TrainRequest


class Request(Protocol):
    """What a job does."""

    kind: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        """Returns the parameters as JSON can hold them."""

    def texts(self) -> tuple[str, ...]:
        """Returns the ids of the visitors' texts that it reads."""

    def commands(self, folder: Path) -> list[list[str]]:
        """Returns the arguments of `python -m alibi_viz`, one list a command, to run in order.

        Args:
            folder: The job's own folder, for what it makes.
        """


def request_key(request: Request) -> str:
    """Returns 16 hexadecimal digits that equal requests share."""
    text = json.dumps([request.kind, request.to_json()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_request(content: dict[str, Any]) -> Request:
    """Returns the request that a job's folder holds.

    Raises:
        ValueError: Another kind, or parameters that this version does not take.
    """
    try:
        kind, parameters = content["kind"], dict(content["parameters"])
        if kind == TrainRequest.kind:
            return TrainRequest(**parameters)
        if kind == RecallRequest.kind:
            return RecallRequest(**parameters)
        if kind == EvaluateRequest.kind:
            for name in ("checkpoints", "lengths"):
                parameters[name] = tuple(parameters[name])
            return EvaluateRequest(**parameters)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a request of this version: {error}") from None
    raise ValueError(f"unknown kind of job: {kind!r}")
