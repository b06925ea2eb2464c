"""How far a task in the child is: what whoever waits is shown meanwhile."""

from collections.abc import Callable

Tell = Callable[[float, str], None]
"""Takes the share that is done, from 0 to 1, and a few words."""

_listening: list[Tell] = []


def listen(tell: Tell) -> None:
    """Has all that tasks tell from now on go there; a child has one listener.

    Args:
        tell: Where to.
    """
    _listening[:] = [tell]


def tell_asker(done: float, words: str = "") -> None:
    """Tells the listener, if there is one.

    Args:
        done: Share of the task, from 0 to 1.
        words: What is being done.
    """
    for listener in _listening:
        listener(done, words)
