"""What is said of ALiBi's variants, from their curves."""

import re

import pytest

from alibi_viz.exhibits import variants


def said(stretch):
    shown = variants.curves("interpolated", 64, 2, stretch, (1.0, 1.0))
    return variants.sentence("interpolated", shown, 2, stretch)


def test_a_divided_slope_is_told_beside_the_plain_one():
    # Slope 1/8 at distance 64: 8 nats; a quarter of that is 2.
    text = said(4)
    assert text.startswith(
        "with its slope divided by 4, head 3 (slope 1/8) has a bias of −2 nats at the far end, "
        "plain ALiBi −8; the own token's weight goes from "
    )
    plain, own = map(float, re.findall(r"0\.\d{3}", text))
    assert plain == pytest.approx(1 - 2.718281828**-0.125, abs=2e-3)
    assert own < plain / 2


def test_a_slope_that_is_not_divided_is_said_to_be_plain():
    assert said(1) == "head 3 (slope 1/8) has plain ALiBi's bias, −8 nats at the far end."
