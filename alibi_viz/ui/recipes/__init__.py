"""The programs behind the figures: a state in, the text of a short Python script out.

Every script takes the project's own functions, computes the numbers again from the state and ends
with the figure. The tests run each of them and compare the figure with the one on the page.
"""

import math
from typing import Any

_LONGEST_LINE = 88


def script(imports: dict[str, str], body: str) -> str:
    """Returns a program: its imports in order, and what it does with them.

    >>> print(script({"numpy": "as np", "alibi_viz.maths.slopes": "alibi_slopes"}, "go()"))
    import numpy as np
    <BLANKLINE>
    from alibi_viz.maths.slopes import alibi_slopes
    <BLANKLINE>
    go()
    <BLANKLINE>

    Args:
        imports: Names, separated by commas, by the module that has them; "as np" renames a module,
            and nothing imports it as it is.
        body: The rest, which ends with `figure.show()`.
    """
    ours = {name for name in imports if name.startswith("alibi_viz")}
    groups = [
        "\n".join(_import_line(name, imports[name]) for name in sorted(group))
        for group in (set(imports) - ours, ours)
        if group
    ]
    return "\n\n".join([*groups, body.strip("\n")]) + "\n"


def _import_line(module: str, names: str) -> str:
    if not names or names.startswith("as "):
        return f"import {module} {names}".strip()
    parts = sorted(name.strip() for name in names.split(","))
    line = f"from {module} import {', '.join(parts)}"
    if len(line) <= _LONGEST_LINE:
        return line
    return f"from {module} import (\n" + "".join(f"    {part},\n" for part in parts) + ")"


def literal(value: Any) -> str:
    """Returns a value as Python spells it: whole floats keep their point, arrays become lists.

    >>> literal(8.0), literal("alibi"), literal((1, 2.5)), literal(float("nan"))
    ('8.0', "'alibi'", '(1, 2.5)', "float('nan')")
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value)


def block(text: str) -> str:
    r"""Returns a long text as one literal, a line of it a line of the program.

    >>> print(block("one\ntwo"))
    (
        'one\n'
        'two'
    )
    """
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return repr(text)
    return "(\n" + "\n".join(f"    {line!r}" for line in lines) + "\n)"
