import math
import re
from string import Formatter

import pytest

from alibi_viz.claims import CLAIMS
from alibi_viz.claims.claim import TOPICS, VERDICTS, Claim, PageState, quoted_numbers, shown
from alibi_viz.claims.derived import derived_numbers
from alibi_viz.claims.experiment import Experiment
from alibi_viz.maths.paired import published_word
from alibi_viz.published.cited import cited_numbers

NOTHING = Experiment([])


def claim(**changes):
    values = {
        "key": "k",
        "topic": "length",
        "statement": "s",
        "verdict": "open",
        "source": "t",
        "view": PageState("explore"),
    }
    return Claim(**(values | changes))


def test_texts_quote_the_cited_numbers():
    text = shown(claim(source="{alibi_512_512} and {rope_512_best.ratio:.2f}"), NOTHING).source
    assert text == "19.73 and 1.39"


def test_places_name_the_paper_and_its_tables_once():
    made = shown(claim(source="{alibi_512_512} {t5_512_512} {sinusoidal_512_1112}"), NOTHING)
    [(reference, place)] = made.places
    assert reference["id"] == "press2022alibi"
    assert place == "Table 5 (p. 19), Table 2 (p. 16)"


def test_a_derived_number_brings_the_places_of_its_figures():
    made = shown(claim(source="{gap_1_3b:.2f}"), NOTHING)
    assert made.source == "0.42"
    assert [(reference["id"], place) for reference, place in made.places] == [
        ("haviv2022nopos", "Table 2 (p. 3)")
    ]


def test_an_unknown_figure_or_reference_is_named():
    with pytest.raises(ValueError, match="no_such_figure"):
        shown(claim(source="{no_such_figure}"), NOTHING)
    with pytest.raises(ValueError, match="no reference is called 'nobody'"):
        shown(claim(cites=(("nobody", "p. 1"),)), NOTHING)


@pytest.mark.parametrize("item", CLAIMS, ids=lambda item: item.key)
def test_every_claim_is_whole(item):
    made = shown(item, NOTHING)
    assert made.places, "a claim needs a source"
    assert made.topic in TOPICS
    assert made.verdict in VERDICTS
    for text in (made.statement, made.source):
        assert text.endswith((".", "."))
        assert not re.search(r"[{}]|nan", text)


def test_no_measured_number_is_typed_into_a_text():
    for item in CLAIMS:
        literal = "".join(text for text, *_ in Formatter().parse(item.statement + item.source))
        # Models are called GPT-3.5, Claude-1.3 and 1.3B; 0.14 is what is wrongly said.
        typed = set(re.findall(r"(?<![-\w.])\d+\.\d+(?![\dB])", literal)) - {"0.14"}
        assert not typed, f"{item.key}: {typed}"


def test_keys_are_unique_and_every_verdict_and_topic_is_used():
    assert len({item.key for item in CLAIMS}) == len(CLAIMS)
    assert {item.verdict for item in CLAIMS} == set(VERDICTS)
    assert {item.topic for item in CLAIMS} == set(TOPICS)


def test_every_cited_number_is_quoted_by_some_claim():
    quoted = {number.name for item in CLAIMS for number in quoted_numbers(item)}
    assert quoted == set(cited_numbers())


def test_derived_numbers_by_hand():
    numbers = {name: derived.number for name, derived in derived_numbers().items()}
    assert numbers["gap_125m"] == pytest.approx(21.49 - 19.94)
    assert numbers["train_speed_low"] == pytest.approx((25.8 / 26.0 - 1) * 100)
    assert numbers["train_speed_high"] == pytest.approx((15.5 / 15.3 - 1) * 100)
    assert numbers["eval_speed_low"] == pytest.approx((76.4 / 77.8 - 1) * 100)
    assert numbers["eval_speed_high"] == pytest.approx((85.8 / 82.1 - 1) * 100)
    assert numbers["memory_high"] == pytest.approx((15.2 / 15.1 - 1) * 100)
    assert numbers["middle_mpt_range"] == pytest.approx(56.3 - 51.8)
    assert numbers["middle_claude_range"] == pytest.approx(60.1 - 55.9)
    assert numbers["rope_slower"] == pytest.approx((17.7 / 26.0 - 1) * 100)
    assert numbers["t5_slower"] == pytest.approx((13.0 / 26.0 - 1) * 100)
    assert numbers["memory_512_percent"] == pytest.approx((24.6 / 26.2 - 1) * 100)
    assert all(math.isfinite(number) for number in numbers.values())


def test_about_twelve_percent_is_told_as_a_length_beyond_training():
    source = shown(next(item for item in CLAIMS if item.key == "any-length"), NOTHING).source
    assert source.endswith("useful extrapolation only to about 12 % beyond the training length.")


def test_minus_signs_are_typographic():
    assert f"{derived_numbers()['rope_slower']:.0f}" == "−32"


def test_verdicts_that_rest_on_one_comparison_follow_from_it():
    figures = {name: figure for name, figure in cited_numbers().items()}
    number = {name: figures[name].number for name in figures if _is_number(figures[name])}
    # within-training-length: what its sentences say, by the rule for single runs.
    words = {
        ("sinusoidal_64_64", "alibi_64_64"): "ahead",
        ("sinusoidal_128_128", "alibi_128_128"): "level",
        ("t5_512_512", "alibi_512_512"): "level",
        ("t5_1024_1024", "alibi_1024_1024"): "level",
        ("t5_3072_3072", "alibi_3072_3072"): "behind",
        ("updates_sinusoidal_2048_2048", "updates_alibi_1024_2048"): "level",
        ("hours_sinusoidal_2048_2048", "hours_alibi_1024_2048"): "level",
    }
    words |= {
        (f"updates_sinusoidal_{n}_{n}", f"updates_alibi_{n}_{n}"): "level"
        for n in (512, 1024, 2048)
    }
    for (first, second), word in words.items():
        assert published_word(number[first], number[second]) == word, (first, second)
    # sweet-spot: on CC100 it ends above where it began.
    for length in (512, 1024):
        ends = [number[f"cc100_alibi_{length}_{end}"] for end in ("best", "first", "last")]
        assert ends == sorted(ends)
    # half-the-length: the winner depends on the budget.
    assert number["hours_alibi_1024_2048"] < number["hours_sinusoidal_2048_2048"]
    assert number["updates_alibi_1024_2048"] > number["updates_sinusoidal_2048_2048"]
    # ntk-beats-pi, interpolation-untrained, xpos-alone, kerple-ahead.
    assert number["llama_ntk_8192"] > number["llama_pi_8192"]
    assert number["llama_ntk_10240"] < number["llama_pi_10240"]
    assert number["pi_before"] > number["pi_after"]
    assert number["xpos_alone_4096"] > number["xpos_alibi_4096"] > number["xpos_4096"]
    assert number["kerple_log_16384"] < number["kerple_alibi_16384"]


def _is_number(figure):
    try:
        return bool(figure.number) or True
    except ValueError:
        return False
