"""The jobs that wait in one server process: one a visitor, and the addresses take turns."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from alibi_viz.jobs.store import JobFolder


@dataclass(frozen=True)
class Ticket:
    """A waiting job."""

    folder: JobFolder
    """Its files."""
    held: IO[bytes]
    """The lock that says that somebody has it."""
    submitted: float
    """When it was asked for, in seconds since the epoch."""
    session: str
    """Who asked."""
    address: str
    """Where from."""


class Queue:
    """Tickets; the caller lets one thread in at a time."""

    def __init__(self) -> None:
        self._tickets: list[Ticket] = []
        # Jobs that were taken for each address since the queue was last empty.
        self._served: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._tickets)

    def __iter__(self) -> Iterator[Ticket]:
        """Gives the tickets in the order in which they will be taken."""
        left, served = list(self._tickets), self._served.copy()
        while left:
            ticket = min(left, key=lambda ticket: served[ticket.address])
            left.remove(ticket)
            served[ticket.address] += 1
            yield ticket

    def add(self, ticket: Ticket) -> None:
        """Puts a ticket behind those of the same address."""
        if not self._tickets:
            self._served.clear()
        self._tickets.append(ticket)

    def take(self) -> Ticket:
        """Takes the next ticket out."""
        ticket = next(iter(self))
        self._tickets.remove(ticket)
        self._served[ticket.address] += 1
        return ticket

    def remove(self, folder: JobFolder) -> Ticket | None:
        """Takes a job's ticket out, wherever it stands; None where it has none."""
        found = next((ticket for ticket in self._tickets if ticket.folder == folder), None)
        if found is not None:
            self._tickets.remove(found)
        return found
