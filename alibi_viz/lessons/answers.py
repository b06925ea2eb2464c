"""Numbers as a student types them: 1/256, 2^-8, 0.39 %, 1/sqrt(2), -2; and how they are spelled."""

import ast
import math
import operator
import re
from collections.abc import Callable

MAX_CHARACTERS = 60

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[float], float]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "ln": math.log,
    "log": math.log,
    "cos": math.cos,
}
_CONSTANTS = {"e": math.e, "pi": math.pi}
_SPELLINGS = {"−": "-", "–": "-", "^": "**", "·": "*", "×": "*", "√": "sqrt", "π": "pi"}


def parse_number(text: str) -> float:
    """Returns the number that a text means.

    Sums, products, fractions, powers, sqrt, exp, ln and cos are worked out; a comma between
    thousands and a percent sign at the end are dropped: 95 % is 95.

    >>> [parse_number(text) for text in ("1/256", "2^-8", "1,024", "−0.5", "12 %")]
    [0.00390625, 0.00390625, 1024.0, -0.5, 12.0]

    Args:
        text: What was typed.

    Raises:
        ValueError: Not a number, or too large to be one.
    """
    wanted = text.strip().removesuffix("%").strip()
    for sign, spelled in _SPELLINGS.items():
        wanted = wanted.replace(sign, spelled)
    wanted = _without_thousands(wanted)
    if not wanted or len(wanted) > MAX_CHARACTERS:
        raise ValueError(f"not a number: {text[:MAX_CHARACTERS]!r}")
    try:
        number = _value(ast.parse(wanted, mode="eval").body)
    except (SyntaxError, ArithmeticError, ValueError, RecursionError):
        raise ValueError(f"not a number: {text!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"not a finite number: {text!r}")
    return number


def _without_thousands(text: str) -> str:
    """Drops commas that part thousands; a comma elsewhere is a decimal comma."""
    if re.fullmatch(r"-?[1-9]\d{0,2}(,\d{3})+(\.\d*)?", text):
        return text.replace(",", "")
    return text.replace(",", ".")


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.UnaryOp(op=sign, operand=inside) if type(sign) in _UNARY:
            return _UNARY[type(sign)](_value(inside))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            return _BINARY[type(sign)](_value(left), _value(right))
        case ast.Call(func=ast.Name(id=name), args=[inside], keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](_value(inside))
    raise ValueError("neither a number nor a calculation")


def spell_number(number: float) -> str:
    """Returns a number as lessons write it: whole numbers whole, others with three digits or more.

    >>> [spell_number(number) for number in (442, 16384.0, 256.5, 0.39347, -2.0, 0.000537)]
    ['442', '16,384', '256.5', '0.393', '−2', '0.000537']
    """
    rounded = round(number)
    whole = abs(number - rounded) < 1e-9 and (rounded != 0 or number == 0)
    text = f"{rounded:,}" if whole else f"{number:.3g}" if abs(number) < 100 else f"{number:,.1f}"
    return text.replace("-", "−")
