import csv

import pytest

from alibi_viz.positions import METHODS
from alibi_viz.published.curves import FIGURES, METHOD_KEYS, published_curves


def curve(method, train_length, *, sliding=False, corpus="WikiText-103"):
    found = [
        c
        for c in published_curves()
        if (c.method, c.train_length, c.is_sliding, c.corpus)
        == (method, train_length, sliding, corpus)
    ]
    assert len(found) == 1
    return found[0]


def at(found, length):
    return found.perplexities[found.lengths.index(length)]


def test_the_paper_s_numbers_are_those_of_its_tables():
    # arXiv:2108.12409v2, Tables 2, 3, 13-15 and Figure 6, as read from the paper.
    assert at(curve("sinusoidal", 512), 15512) == 406.01
    assert at(curve("alibi", 512), 512) == 19.73
    assert at(curve("alibi", 512), 15512) == 18.31
    assert at(curve("rope", 1024), 16024) == 106.99
    assert at(curve("t5", 1024), 12024) == 33.35
    assert at(curve("alibi", 512, sliding=True), 3072) == 18.3
    assert at(curve("sinusoidal", 1024, sliding=True), 3072) == 393.71
    assert at(curve("alibi", 512, corpus="CC100+RoBERTa"), 10512) == 9.96


def test_t5_ends_where_the_paper_ran_out_of_memory():
    t5 = curve("t5", 512)
    assert t5.lengths[-1] == 12512
    assert t5.out_of_memory_from == 13512
    assert curve("alibi", 512).out_of_memory_from is None


def test_every_row_of_the_file_is_in_one_curve_and_each_has_a_source_and_a_table():
    with FIGURES.open(encoding="utf-8", newline="") as file:
        numbers = [row for row in csv.DictReader(file) if row["value"] != "OOM"]
    assert sum(len(c.lengths) for c in published_curves()) == len(numbers)
    for c in published_curves():
        assert c.source == "arXiv:2108.12409v2"
        assert c.table.startswith(("Table", "Figure"))
        assert list(c.lengths) == sorted(set(c.lengths))


def test_methods_have_the_keys_of_the_registry():
    assert set(METHOD_KEYS.values()) <= set(METHODS)


@pytest.mark.parametrize(
    ("method", "value", "message"),
    [("KERPLE", "23.9", "got 'KERPLE'"), ("ALiBi", "n/a", "could not convert")],
)
def test_a_row_that_cannot_be_read_is_refused(tmp_path, method, value, message):
    path = tmp_path / "figures.csv"
    path.write_text(
        "source,table,dataset,method,train_length,eval_length,metric,value\n"
        f"arXiv:1,Table 1,Pile valid,{method},512,512,perplexity,{value}\n"
    )
    with pytest.raises(ValueError, match=message):
        published_curves(path)
