"""How what did not come to its end is told: an error in a line, a stop in an exit status."""

# Exit status of a command that was stopped, its state saved; the same command goes on. The value is
# EX_TEMPFAIL of sysexits.h.
EXIT_STOPPED = 75


def first_lines(error: BaseException, count: int = 1) -> str:
    r"""Returns the first lines of an error's message, or its kind where it has none.

    >>> first_lines(OSError("no route\n to host\nand so on"), 2), first_lines(KeyError())
    ('no route to host', 'KeyError')

    Args:
        error: What was raised.
        count: Lines at most; they become one.
    """
    lines = str(error).strip().splitlines()
    return " ".join(line.strip() for line in lines[:count]) if lines else type(error).__name__
