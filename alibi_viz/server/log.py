"""Logs that cannot fill a disk: what repeats is told a few times a minute, then counted.

A server out of descriptors told the same thing 47 megabytes a minute.
"""

import logging
import time

# Records a minute that are told of one message, and of all.
PER_MESSAGE = 5
IN_ALL = 120
WINDOW_SECONDS = 60.0


class Sparing(logging.Filter):
    """Lets a few records through in each minute."""

    def __init__(self, per_message: int = PER_MESSAGE, in_all: int = IN_ALL) -> None:
        super().__init__()
        self._per_message, self._in_all = per_message, in_all
        self._since = time.monotonic()
        self._told: dict[tuple[str, str], int] = {}
        self._dropped = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Returns whether to tell this one; the first of a minute says how many were left out."""
        now = time.monotonic()
        if now - self._since >= WINDOW_SECONDS:
            if self._dropped:
                record.msg = f"{record.msg} ({self._dropped} records before it were left out)"
            self._since, self._told, self._dropped = now, {}, 0
        # By its beginning: messages that differ in an address or a path are one message.
        key = (record.name, str(record.msg)[:40])
        count = self._told.get(key, 0)
        if count >= self._per_message or sum(self._told.values()) >= self._in_all:
            self._dropped += 1
            return False
        self._told[key] = count + 1
        return True


def bound_logs() -> None:
    """Puts one filter on every logger that there is, and on those that come."""
    sparing = Sparing()

    class SparingLogger(logging.Logger):
        def __init__(self, name: str, level: int = logging.NOTSET) -> None:
            super().__init__(name, level)
            self.addFilter(sparing)

    logging.setLoggerClass(SparingLogger)
    for logger in (logging.root, *map(logging.getLogger, list(logging.root.manager.loggerDict))):
        logger.addFilter(sparing)
