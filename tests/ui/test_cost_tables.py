import pytest

from alibi_viz.ui.cost_tables import cost_sentence, measured_table, paper_table


def row(method, work, window, speed, over, parameters=0):
    return {
        "method": method, "work": work, "window": window, "tokens_per_second": speed,
        "speed_over_sinusoidal": over, "megabytes": 7.0, "parameters": parameters,
        "machine": "x", "command": "python",
    }  # fmt: skip


ROWS = [
    row("sinusoidal", "training", 128, 1000, 1.0),
    row("alibi", "training", 128, 980, 0.98),
    row("t5", "training", 128, 500, 0.5, 256),
    row("sinusoidal", "evaluation", 512, 300, 1.0),
    row("alibi", "evaluation", 512, 900, 3.0),
    row("t5", "evaluation", 512, 150, 0.5, 256),
]


def test_a_method_is_a_row_with_its_training_and_each_evaluation():
    table = measured_table(ROWS).set_index("method")
    assert list(table.index) == ["ALiBi", "Sinusoidal", "T5 bias"]
    assert table.loc["T5 bias", "parameters"] == 256
    assert table.loc["ALiBi", "training, tokens/s"] == 980
    assert table.loc["ALiBi", "evaluation at 512, of sinusoidal"] == 3.0


def test_the_paper_is_quoted_as_printed():
    table = paper_table().set_index("method")
    assert table.loc["ALiBi"].tolist() == [25_800, 76_400, 19.3]
    assert table.loc["T5 bias"].tolist() == [13_000, 20_200, 20.9]
    assert table.loc["RoPE"].tolist() == [17_700, 39_400, 22.8]


def test_the_sentence_turns_speeds_into_times_of_a_step():
    said = cost_sentence(ROWS)
    assert (
        "ALiBi takes 1.02 times one of sinusoidal positions, one of T5 bias, the slowest, 2.00"
        in said
    )
    assert "512 tokens are evaluated at 3.0 times the speed of sinusoidal positions: only" in said


@pytest.mark.parametrize("speed", [1.0, 0.8])
def test_nothing_is_claimed_that_was_not_measured(speed):
    rows = [*ROWS[:4], row("alibi", "evaluation", 512, 300, speed), ROWS[5]]
    assert cost_sentence(rows).endswith(f"{speed:.1f} times the speed of sinusoidal positions.")
