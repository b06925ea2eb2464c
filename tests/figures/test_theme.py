import math
from itertools import combinations

import pytest

from alibi_viz.figures import theme
from alibi_viz.positions import METHODS


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
        *(style.dark if dark else style.light for style in theme.METHOD_STYLES.values()),
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
    widths = {method: theme.method_style(method).width for method in METHODS}
    assert max(widths, key=widths.get) == "alibi"


def test_every_method_has_a_style_of_its_own_and_some_are_free():
    named = [method.style for method in METHODS.values()]
    assert len(set(named)) == len(named)
    assert set(named) <= set(theme.METHOD_STYLES)
    assert len(theme.METHOD_STYLES) >= len(named) + 3


def test_an_unknown_method_is_named_with_the_known_ones():
    with pytest.raises(ValueError, match="unknown position method 'rotary'; known are alibi, sin"):
        theme.method_colour("rotary")


def test_a_method_without_a_style_is_told_which_there_are(monkeypatch):
    monkeypatch.setattr(METHODS["nope"], "style", "plaid")
    with pytest.raises(ValueError, match=r"one of vermilion, blue, .* that of nope is 'plaid'"):
        theme.method_colour("nope")
