from alibi_viz.charts.measured.curves import bundled_models, comparable
from alibi_viz.evaluation.records import Record
from alibi_viz.evaluation.store import load_records
from alibi_viz.ui.extrapolation import provenance
from tests.made_up_trials import trial
from tests.pages.measured import records, write_checkpoint, write_results

BUDGET = {"tokens": 614_400}
TRIALS = [
    trial("alibi", 0.001, 4.31, **BUDGET),
    trial("alibi", 0.002, 4.06, **BUDGET),
    trial("alibi", 0.004, 4.12, **BUDGET),
    trial("t5", 0.002, 4.5, factor=1.0, **BUDGET),
    trial("t5", 0.002, 4.1, factor=10.0, **BUDGET),
    trial("alibi", 0.002, 2.68, tokens=8_192_000),
]
AMPLITUDES = [
    trial("sinusoidal", 0.004, loss, amplitude=amplitude, tokens=8_192_000)
    for amplitude, loss in ((0.5, 2.9), (1.0, 2.8), (2.0, 2.7))
]


def test_the_sweep_has_a_row_for_each_budget_method_and_setting_and_a_column_for_each_rate():
    table = provenance.sweep_table(TRIALS)
    names = ["training tokens", "method", "of its own", "0.001", "0.002", "0.004"]
    assert list(table.columns) == names
    assert table["method"].tolist() == ["ALiBi", "T5 bias", "T5 bias", "ALiBi"]
    assert table["of its own"].tolist()[1:3] == ["position's rate 1×", "position's rate 10×"]
    # Short and long trials are never averaged.
    assert table["0.002"].tolist() == [4.06, 4.5, 4.1, 2.68]
    assert table["0.001"].notna().sum() == 1


def test_amplitudes_of_sinusoids_have_rows_of_their_own():
    table = provenance.sweep_table(AMPLITUDES)
    assert table["of its own"].tolist() == ["amplitude 0.5", "amplitude 1", "amplitude 2"]
    assert "Sinusoidal 0.004 with amplitude 2." in provenance.sweep_note(AMPLITUDES)


def test_the_note_names_the_best_rate_of_each_method_for_each_budget():
    note = provenance.sweep_note(TRIALS)
    assert (
        "Best after 614,400 training tokens: ALiBi 0.002, T5 bias 0.002 with position's rate 10×."
        in note
    )
    assert "where several rates lie within 0.01 nats of the best, the lowest of them." in note
    # One trial alone is no comparison.
    assert "8,192,000" not in note


def test_the_note_says_where_the_best_rate_is_the_highest_of_several_tried():
    # T5 bias and sinusoids were tried at one rate only.
    assert "No higher rate" not in provenance.sweep_note([*TRIALS, *AMPLITUDES])
    both = [*TRIALS, trial("alibi", 0.004, 2.60, tokens=8_192_000)]
    note = provenance.sweep_note(both)
    assert "Best after 8,192,000 training tokens: ALiBi 0.004." in note
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
    chosen = comparable(load_records(Record, write_results(tmp_path / "r.json", records())))
    text = provenance.measured_on(chosen)
    assert "`python-stdlib 3.11.14` (SHA-256 `95be95be95be…`)" in text
    assert "nonoverlapping 32,768, sliding window 8,192" in text
    assert "move by 32 tokens" in text
    assert "Seeds: 0, 1." in text
