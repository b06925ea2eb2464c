"""Numbers as a student types them: 1/256, 2⁻⁸, ≈ 0.39, 50 %, 2.8 nats, -2; and their spelling."""

import ast
import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

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
SPELLINGS = {
    **{"−": "-", "–": "-", "^": "**", "·": "*", "×": "*", "√": "sqrt", "π": "pi"},
    **{"½": "(1/2)", "¼": "(1/4)", "¾": "(3/4)", "⅛": "(1/8)"},
}
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
# What may stand before a number, and the units that may stand behind it, as their plural. A browser
# that has no server to ask takes these too.
ABOUT = re.compile(r"^(?:≈|~|=|about|approximately|approx\.?|around|roughly|circa|ca\.?)\s*", re.I)
UNITS = {
    **{"%": "%", "percent": "%", "per cent": "%", "×": "times", "x": "times", "times": "times"},
    **{"nat": "nats", "nats": "nats", "nats per token": "nats", "nats/token": "nats"},
    **{"bit": "bits", "bits": "bits", "token": "tokens", "tokens": "tokens"},
    **{"radian": "radians", "radians": "radians"},
    **{"pairs": "", "heads": "", "terms": "", "parameters": "", "numbers": ""},
}
UNIT = re.compile(
    rf"(?<=[\d\s).])({'|'.join(sorted(map(re.escape, UNITS), key=len, reverse=True))})\.?$", re.I
)
_PLAIN = re.compile(r"-?(\d*)\.?(\d*)(?:e([+-]?\d+))?", re.I)


@dataclass(frozen=True)
class Typed:
    """A number as it was typed, with its unit and how precisely it was given."""

    number: float
    unit: str
    """As in the plural, "%" or "times"; empty for none."""
    slack: float = 0.0
    """Half a unit of its last digit: what rounding may have moved it by; 0 for a calculation."""
    digits: int = 15
    """Significant digits."""


def parse_number(text: str) -> float:
    """Returns the number that a text means, as `read_number` finds it: 95 % is 95."""
    return read_number(text).number


def read_number(text: str) -> Typed:
    """Returns the number that a text means.

    Sums, products, fractions, powers, sqrt, exp, ln and cos are worked out. Commas and spaces
    between thousands are dropped, a comma elsewhere is a decimal comma.

    >>> [read_number(text).number for text in ("1/256", "2⁻⁸", "1,024", "−0.5", "≈ 0,35")]
    [0.00390625, 0.00390625, 1024.0, -0.5, 0.35]
    >>> read_number("12.2 %")
    Typed(number=12.2, unit='%', slack=0.05, digits=3)

    Args:
        text: What was typed.

    Raises:
        ValueError: Not a number, or too large to be one.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"not a number: {text[:MAX_CHARACTERS]!r}")
    wanted = ABOUT.sub("", text.strip())
    unit = UNIT.search(wanted)
    wanted = _spelled_out(wanted[: unit.start()] if unit else wanted)
    try:
        number = _value(ast.parse(wanted, mode="eval").body)
    except (SyntaxError, ArithmeticError, ValueError, RecursionError):
        raise ValueError(f"not a number: {text!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"not a finite number: {text!r}")
    plain = _PLAIN.fullmatch(wanted)
    named = UNITS[unit[1].lower()] if unit else ""
    if plain is None:
        return Typed(number, named)
    whole, decimals, power = plain[1], plain[2], int(plain[3] or 0)
    digits = len((whole + decimals).lstrip("0"))
    zeros = len(whole) - len(whole.rstrip("0"))
    if "." not in wanted and digits - zeros > 1:
        # 770 may be 767, rounded to two digits.
        digits, power = digits - zeros, power + zeros
    return Typed(number, named, 0.5 * 10.0 ** (power - len(decimals)), digits)


def _spelled_out(text: str) -> str:
    """Returns a calculation as Python spells it."""
    text = re.sub("[⁻⁰¹²³⁴-⁹]+", lambda raised: f"^({raised[0].translate(_RAISED)})", text)
    text = re.sub(r"√\s*(\d+)", r"√(\1)", text.strip())
    text = re.sub(r"\b(ln|log|sqrt|exp|cos)\s+([\d.]+)", r"\1(\2)", text)
    text = re.sub(r"(?<=\d)\s*x\s*(?=\d)", "*", text)
    text = re.sub(r"(?<=\d)[\s\u202f](?=\d{3}\b)", "", text)
    for sign, spelled in SPELLINGS.items():
        text = text.replace(sign, spelled)
    if re.fullmatch(r"-?[1-9]\d{0,2}(,\d{3})+(\.\d*)?", text):
        return text.replace(",", "")
    # Digits may begin with a zero, "007", which Python takes for no number.
    return re.sub(r"(?<![\d.])0+(?=\d)", "", text.replace(",", "."))


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
