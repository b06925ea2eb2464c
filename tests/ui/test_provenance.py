from alibi_viz.evaluation.records import load_records
from alibi_viz.exhibits.measured import bundled_models, comparable
from alibi_viz.ui import provenance
from tests.pages.measured import records, write_checkpoint, write_results


def trial(method, rate, loss, factor=1.0, tokens=614_400):
    return {
        "method": method,
        "learning_rate": rate,
        "position_learning_rate_factor": factor,
        "validation_loss": loss,
        "tokens": tokens,
    }


TRIALS = [
    trial("alibi", 0.001, 4.31),
    trial("alibi", 0.002, 4.06),
    trial("alibi", 0.004, 4.12),
    trial("t5", 0.002, 4.5, factor=1.0),
    trial("t5", 0.002, 4.1, factor=10.0),
    trial("alibi", 0.002, 2.68, tokens=8_192_000),
]


def test_the_sweep_has_a_row_for_each_budget_method_and_factor_and_a_column_for_each_rate():
    table = provenance.sweep_table(TRIALS)
    names = ["training tokens", "method", "position's rate, times", "0.001", "0.002", "0.004"]
    assert list(table.columns) == names
    assert table["method"].tolist() == ["ALiBi", "T5 bias", "T5 bias", "ALiBi"]
    # Short and long trials are never averaged.
    assert table["0.002"].tolist() == [4.06, 4.5, 4.1, 2.68]
    assert table["0.001"].notna().sum() == 1


def test_the_note_names_the_best_rate_of_each_method_for_each_budget():
    note = provenance.sweep_note(TRIALS)
    assert (
        "Best after 614,400 training tokens: ALiBi 0.002, T5 bias 0.002 with position's at 10×; of "
        "rates within 0.01 nats of the lowest loss the lowest one." in note
    )
    # One trial alone is no comparison.
    assert "8,192,000" not in note


def test_the_note_says_where_the_best_rate_is_the_highest_tried():
    assert "No higher rate was tried for T5 bias." in provenance.sweep_note(TRIALS)
    both = [*TRIALS, trial("alibi", 0.004, 2.60, tokens=8_192_000)]
    note = provenance.sweep_note(both)
    assert "Best after 8,192,000 training tokens: ALiBi 0.004;" in note
    assert note.endswith("No higher rate was tried for ALiBi.")


def test_models_tell_budget_recipe_result_and_command(tmp_path):
    write_checkpoint(tmp_path, "t5", seed=1, final=2.51)
    row = provenance.model_table(bundled_models(tmp_path)).iloc[0]
    assert row["method"] == "T5 bias"
    assert row["seed"] == 1
    assert row["parameters"] == 921_000
    assert row["training tokens"] == 8_192_000
    assert row["validation loss, nats/token"] == 2.51
    assert row["training time, minutes"] == 12.6
    assert row["command"] == "python -m alibi_viz train --position t5"


def test_what_was_measured_is_told_with_text_tokens_stride_and_seeds(tmp_path):
    chosen = comparable(load_records(write_results(tmp_path / "r.json", records())))
    text = provenance.measured_on(chosen)
    assert "`python-stdlib 3.11.14` (SHA-256 `95be95be95be…`)" in text
    assert "nonoverlapping 32,768, sliding window 8,192" in text
    assert "move by 32 tokens" in text
    assert "Seeds: 0, 1." in text
