import csv

import pytest

from alibi_viz.paths import ASSETS
from alibi_viz.published.cited import CITED, Figure, cited_figures

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
# Every published figure that the app holds, read cell by cell by somebody else.
ALL_FIGURES = ASSETS / "published" / "figures.csv"


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def figure(**changes):
    values = dict.fromkeys(COLUMNS, "") | {"name": "x", "train_length": None, "eval_length": None}
    return Figure(**(values | changes))


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
        cited_figures(path)


def test_the_notes_own_numbers_are_there():
    figures = cited_figures()
    assert figures["sinusoidal_512_15512"].value == "406.01"
    assert figures["alibi_1024_best"].number == 17.92
    assert figures["rope_512_best"].ratio == pytest.approx(1.39, abs=0.005)


@pytest.mark.skipif(not ALL_FIGURES.exists(), reason="the full list is not part of this checkout")
def test_every_quoted_number_is_in_the_full_list_of_published_figures():
    everything = {tuple(row[column] for column in COLUMNS) for row in rows_of(ALL_FIGURES)}
    for row in rows_of(CITED):
        assert tuple(row[column] for column in COLUMNS) in everything, row["id"]


@pytest.mark.skipif(not ALL_FIGURES.exists(), reason="the full list is not part of this checkout")
@pytest.mark.parametrize("name", ["rope_512_best", "rope_1024_best", "t5_512_best"])
def test_what_is_called_best_is_the_lowest_of_its_table(name):
    best = cited_figures()[name]
    values = {
        int(row["eval_length"]): float(row["value"])
        for row in rows_of(ALL_FIGURES)
        if (row["table"], row["method"], row["metric"]) == (best.table, best.method, "perplexity")
        and row["value"] != "OOM"
    }
    assert values[best.eval_length] == best.number == min(values.values())
