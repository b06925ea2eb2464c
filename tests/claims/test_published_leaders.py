from alibi_viz.claims.published_leaders import published_comparisons


def test_leaders_are_those_of_the_papers_tables():
    """By hand: 19.65 and 19.73 are level; all other leads are larger than a quarter."""
    assert [row.leaders for row in published_comparisons()] == [
        ("T5 bias", "ALiBi"),
        ("ALiBi",),
        ("KERPLE",),
        ("ALiBi",),
        ("NoPE",),
    ]


def test_numbers_are_said_as_printed_and_the_best_first():
    first, *_, last = published_comparisons()
    assert first.said == "T5 bias 19.65, ALiBi 19.73, sinusoidal 20.05, RoPE 20.07"
    assert last.said.startswith("NoPE 0.69, ")


def test_every_number_of_a_comparison_is_of_one_source():
    for row in published_comparisons():
        assert len({number.source for number in row.numbers.values()}) == 1
