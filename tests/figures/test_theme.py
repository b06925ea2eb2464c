import math
from itertools import combinations

import pytest

from alibi_viz.figures import theme


def luminance(colour):
    """Relative luminance by WCAG 2.2."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_every_line_stands_out_from_the_page(dark):
    background = theme.surface(dark).background
    lines = [
        *theme.head_colours(64, dark),
        *(theme.method_colour(m, dark) for m in theme.METHOD_STYLES),
    ]
    # WCAG 1.4.11 asks 3:1 of graphics.
    assert min(contrast(colour, background) for colour in lines) >= 3


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read(dark):
    look = theme.surface(dark)
    assert contrast(look.text, look.background) >= 7
    for colour in (look.muted, look.accent, look.literal):
        assert contrast(colour, look.background) >= 4.5
        assert contrast(colour, look.panel) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
def test_heads_darken_or_lighten_evenly_from_steep_to_flat(dark):
    shades = [luminance(colour) for colour in theme.head_colours(17, dark)]
    assert shades == sorted(shades, reverse=True)
    assert len(set(theme.head_colours(64, dark))) == 64


def test_colours_follow_the_rank_of_the_slope_not_the_order_of_the_heads():
    steep, middle, flat = theme.head_colours(3)
    assert theme.colours_by_slope([0.25, 0.0039, 0.7071]) == [middle, flat, steep]


def test_the_highest_value_of_a_map_is_its_brightest_colour():
    shades = [luminance(colour) for colour in theme.map_stops()]
    assert shades == sorted(shades)
    places = [place for place, _ in theme.map_colourscale()]
    assert (places[0], places[-1]) == (0, 1)
    assert math.isclose(places[1], 1 / (len(places) - 1))


def test_no_two_methods_share_a_colour_symbol_or_dash():
    for one, other in combinations(theme.METHOD_STYLES.values(), 2):
        assert one.light != other.light
        assert one.dark != other.dark
        assert one.symbol != other.symbol
        assert one.dash != other.dash or "solid" in (one.dash, other.dash)


def test_alibi_is_the_strongest_line():
    widths = {method: style.width for method, style in theme.METHOD_STYLES.items()}
    assert max(widths, key=widths.get) == "alibi"


def test_an_unknown_method_is_named_with_the_known_ones():
    message = (
        "method must be one of alibi, sinusoidal, learned, rope, t5, kerple, nope, got 'rotary'"
    )
    with pytest.raises(ValueError, match=message):
        theme.method_colour("rotary")
