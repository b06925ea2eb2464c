import csv

import pytest

from alibi_viz.paths import ASSETS
from alibi_viz.published.cited import CITED, CitedNumber, cited_numbers

COLUMNS = [
    "source",
    "table",
    "dataset",
    "method",
    "train_length",
    "eval_length",
    "metric",
    "value",
]
# Whole tables of perplexity against length, which the charts draw.
ALL_FIGURES = ASSETS / "published" / "figures.csv"


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def figure(**changes):
    values = dict.fromkeys(COLUMNS, "") | {"name": "x", "train_length": None, "eval_length": None}
    return CitedNumber(**(values | changes))


def test_a_value_stands_in_a_text_as_printed():
    assert f"{figure(value='18.40')}" == "18.40"
    assert f"{figure(value='18.40'):.1f}" == "18.4"


def test_thousands_are_read_and_words_are_not_numbers():
    assert figure(value="26.0k").number == 26_000
    with pytest.raises(ValueError, match="around ten"):
        _ = figure(value="around ten").number


def test_ratio_is_evaluation_over_training_length():
    assert figure(train_length=512, eval_length=1024).ratio == 2
    with pytest.raises(ValueError, match="x has no training and evaluation length"):
        _ = figure(train_length=512).ratio


def test_two_rows_of_one_name_are_refused(tmp_path):
    path = tmp_path / "figures.csv"
    header = ",".join(["id", *COLUMNS])
    path.write_text(f"{header}\na,s,t,d,m,1,2,p,3\na,s,t,d,m,1,2,p,4\n")
    with pytest.raises(ValueError, match="two rows called 'a'"):
        cited_numbers(path)


# Typed from a second reading of the papers, not from the file.
SECOND_READING = {
    "haviv_wikitext_sinusoidal": 20.16,
    "haviv_wikitext_learned": 20.42,
    "haviv_wikitext_alibi": 19.71,
    "sinusoidal_512_512": 20.05,
    "rope_512_512": 20.07,
    "t5_512_512": 19.65,
    "alibi_512_512": 19.73,
    "sinusoidal_512_1112": 50.36,
    "sinusoidal_512_15512": 406.01,
    "alibi_1024_1024": 18.66,
    "alibi_1024_best": 17.92,
    "alibi_1024_last": 17.98,
    "cc100_alibi_512_first": 9.79,
    "cc100_alibi_512_best": 9.30,
    "cc100_alibi_512_last": 9.96,
    "hours_alibi_1024_2048": 8.92,
    "hours_sinusoidal_2048_2048": 9.01,
    "updates_sinusoidal_2048_2048": 8.83,
    "haviv_pile_alibi": 12.51,
    "haviv_pile_sinusoidal": 12.93,
    "haviv_pile_nopos": 13.10,
    "haviv_pile_learned": 13.05,
    "train_speed_sinusoidal_1024": 26_000,
    "train_speed_alibi_1024": 25_800,
    "train_speed_rope_1024": 17_700,
    "eval_speed_alibi_1024": 76_400,
    "memory_alibi_1024": 19.3,
    "stride1_alibi_512_512": 17.98,
    "stride1_alibi_512_3072": 18.3,
    "alibi_512_3072": 18.40,
    "middle_mpt_0": 53.7,
    "middle_mpt_4": 51.8,
    "middle_mpt_9": 52.2,
    "middle_mpt_14": 52.7,
    "middle_mpt_19": 56.3,
    "rank_nope": 0.69,
    "rank_t5": 0.55,
    "rank_alibi": 0.50,
    "rank_rope": 0.33,
    "rank_absolute": 0.22,
    "kerple_log_512": 23.9,
    "kerple_log_16384": 21.4,
    "kerple_alibi_16384": 22.5,
    "kerple_t5_16384": 31.4,
    "kerple_rope_16384": 269,
    "xpos_1024": 23.31,
    "xpos_4096": 20.73,
    "xpos_alibi_1024": 24.99,
    "xpos_alibi_4096": 24.26,
    "xpos_rope_4096": 294.45,
    "pi_before": 16.10,
    "pi_after": 7.12,
    "llama_ntk_8192": 3.59,
    "llama_pi_8192": 3.34,
    "llama_yarn_8192": 3.35,
    "llama_pi_10240": 8.07,
    "llama_ntk_10240": 6.24,
    "sinusoidal_1024_last": 453.32,
    "rope_1024_last": 106.99,
    "t5_1024_1024": 18.80,
    "t5_1024_best": 18.30,
    "t5_1024_4024": 19.44,
    "t5_1024_12024": 33.35,
    "retrieval_plain": 2,
    "retrieval_interpolated": 74,
    "retrieval_ntk": 96,
}


@pytest.mark.parametrize("name", SECOND_READING)
def test_a_second_reading_found_the_same_number(name):
    assert cited_numbers()[name].number == SECOND_READING[name]


@pytest.mark.parametrize(
    ("name", "ratio"),
    [
        ("rope_512_best", 1.39),
        ("rope_1024_best", 1.10),
        ("t5_512_best", 2.17),
        ("t5_1024_best", 1.78),
    ],
)
def test_best_lengths_are_where_they_were_read(name, ratio):
    assert round(cited_numbers()[name].ratio, 2) == ratio


def test_tables_that_the_app_holds_in_full_have_every_number_quoted_from_them():
    everything = {tuple(row[column] for column in COLUMNS) for row in rows_of(ALL_FIGURES)}
    in_full = {(row[0], row[1]) for row in everything}
    quoted = [row for row in rows_of(CITED) if (row["source"], row["table"]) in in_full]
    assert len(quoted) > 10
    for row in quoted:
        assert tuple(row[column] for column in COLUMNS) in everything, row["id"]


@pytest.mark.parametrize("name", ["rope_512_best", "rope_1024_best", "t5_512_best", "t5_1024_best"])
def test_what_is_called_best_is_the_lowest_of_its_table(name):
    best = cited_numbers()[name]
    values = {
        int(row["eval_length"]): float(row["value"])
        for row in rows_of(ALL_FIGURES)
        if (row["table"], row["method"], row["metric"]) == (best.table, best.method, "perplexity")
        and row["value"] != "OOM"
    }
    assert values[best.eval_length] == best.number == min(values.values())
