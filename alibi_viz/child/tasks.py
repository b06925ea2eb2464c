"""What a child process does: functions from JSON to JSON, by name; the only list of them."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

_FOREIGN = "alibi_viz.inspection.foreign.tasks"
TASKS = {
    "typed_ending": "alibi_viz.evaluation.front_door:read_typed_ending",
    "foreign_ready": f"{_FOREIGN}:foreign_ready",
    "foreign_open": f"{_FOREIGN}:foreign_open",
    "foreign_see": f"{_FOREIGN}:foreign_see",
    "foreign_layers": f"{_FOREIGN}:foreign_layers",
    "foreign_overview": f"{_FOREIGN}:foreign_overview",
    "foreign_verdict": f"{_FOREIGN}:foreign_verdict",
}
"""Module and function of each; a module is imported when its function is asked for first."""


def find_task(name: str) -> Callable[..., Any]:
    """Returns the function of a task.

    Raises:
        ValueError: No task of that name.
    """
    if name not in TASKS:
        raise ValueError(f"task must be one of {', '.join(TASKS)}, got {name!r}")
    module, _, function = TASKS[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
