import pytest

from alibi_viz.evaluation.records import CostRecord
from alibi_viz.ui.extrapolation.costs import cost_sentence, measured_table, paper_table


def row(method, work, window, speed, over, parameters=0):
    return CostRecord(
        method, work, window, speed, over, 7.0, parameters, "a machine", "python -m benchmarks.cost"
    )


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
        "ALiBi step takes 1.02× as long as a sinusoidal one; T5 bias, the slowest, takes 2.00×"
        in said
    )
    assert "512 tokens ALiBi is evaluated at 3.0× the speed of sinusoidal positions, bec" in said
    assert "mean nothing" not in said


def test_what_equal_work_differs_by_is_said_to_be_noise():
    # 1 / 0.8 over 1 / 1.25 = 1.5625.
    rows = [*ROWS, row("nope", "training", 128, 800, 0.8), row("learned", "training", 128, 9, 1.25)]
    assert "differ by up to 56 % here: smaller differences mean nothing." in cost_sentence(rows)


def test_shorter_windows_are_told_beside_the_longest():
    shorter = [row("alibi", "evaluation", 64, 1, 0.856), row("alibi", "evaluation", 128, 1, 0.98)]
    assert cost_sentence([*ROWS, *shorter]).endswith("; at 64 to 128 tokens at 0.86 to 0.98.")


@pytest.mark.parametrize("speed", [1.0, 0.8])
def test_nothing_is_claimed_that_was_not_measured(speed):
    rows = [*ROWS[:4], row("alibi", "evaluation", 512, 300, speed), ROWS[5]]
    assert cost_sentence(rows).endswith(f"{speed:.1f}× the speed of sinusoidal positions.")
