import math

import pytest

from alibi_viz.lessons.answers import parse_number, read_number, spell_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.25", 0.25),
        (" 1/256 ", 1 / 256),
        ("2^-8", 2**-8),
        ("2**-0.5", 2**-0.5),
        ("-2", -2.0),
        ("−2", -2.0),
        ("1/sqrt(2)", 2**-0.5),
        ("√(2)", 2**0.5),
        ("e^-2", math.exp(-2)),
        ("1 - exp(-1/2)", 1 - math.exp(-0.5)),
        ("cos(3)", math.cos(3)),
        ("16,384", 16384.0),
        ("1,024.5", 1024.5),
        ("0,375", 0.375),
        ("3,5", 3.5),
        ("12.2 %", 12.2),
        ("1e-3", 0.001),
        ("1/2", 0.5),
        ("½", 0.5),
        ("2⁻⁸", 2**-8),
        ("10^(-4)", 1e-4),
        ("1/√2", 2**-0.5),
        ("≈ 0,35", 0.35),
        ("ln 4", math.log(4)),
        ("about 2.8 nats", 2.8),
        ("5.4 x 10^-4", 5.4e-4),
        ("16 384 tokens", 16384.0),
        ("2.5x", 2.5),
        ("= 007", 7.0),
    ],
)
def test_a_number_may_be_written_in_many_ways(text, number):
    assert parse_number(text) == pytest.approx(number, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "unit", "slack", "digits"),
    [
        ("0.39", "", 0.005, 2),
        ("50 %", "%", 0.5, 2),
        ("-2.80 nats", "nats", 0.005, 3),
        ("1,024 token", "tokens", 0.5, 4),
        ("5e-4", "", 0.5e-4, 1),
        ("0.0010", "", 0.00005, 2),
        ("770", "", 5.0, 2),
        ("20", "", 0.5, 2),
        ("1/256", "", 0.0, 15),
    ],
)
def test_unit_and_precision_are_read_off_what_was_typed(text, unit, slack, digits):
    typed = read_number(text)
    assert (typed.unit, typed.digits) == (unit, digits)
    assert typed.slack == pytest.approx(slack)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "six",
        "True",
        "1/0",
        "9^9^9^9",
        "sqrt(-1)",
        "(1).__class__",
        "[1]",
        "__import__('os')",
        "exp(10000)",
        "1" * 61,
        "-" * 59 + "1" * 9,
        "1 if 1 else 2",
        "nan",
        "%",
        "2 apples",
    ],
)
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="number"):
        parse_number(text)


@pytest.mark.parametrize(
    ("number", "text"),
    [(442.0, "442"), (-0.25, "−0.25"), (256.5, "256.5"), (1e-9, "1e−09"), (0.0, "0")],
)
def test_numbers_are_spelled_with_the_digits_they_are_worth(number, text):
    assert spell_number(number) == text
