"""What a run tells while it goes on, and how it is asked to stop."""

import json
import signal
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from alibi_viz.training.loop import Report

PROGRESS_FILE = "progress.jsonl"


def stop_when_asked() -> Callable[[], bool]:
    """Returns what says whether this process was asked to end, by a signal or from a keyboard.

    The signals no longer end it: whoever asks has to stop by itself.
    """
    stopped: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.append(number)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return lambda: bool(stopped)


def reporter(folder: Path, name: str) -> Callable[[Report], None]:
    """Returns what prints a report, and writes it as a line of the run's file.

    Args:
        folder: The run's folder.
        name: What the run is called in print.
    """
    path = folder / PROGRESS_FILE

    def show(report: Report) -> None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(report.to_json()) + "\n")
        minutes, seconds = divmod(round(report.seconds_left), 60)
        validation = "-" if report.validation_loss is None else f"{report.validation_loss:.3f}"
        print(
            f"{name}  step {report.step:,}/{report.steps:,}  {report.tokens / 1e6:.2f}M tokens  "
            f"{report.tokens_per_second:,.0f} tok/s  loss {report.loss:.3f}  "
            f"validation {validation}  {minutes}:{seconds:02d} left",
            flush=True,
        )

    return show
