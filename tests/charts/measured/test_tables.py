import numpy as np
import pytest

from alibi_viz.charts.measured.tables import MARK, markdown, measured_part, with_measured
from alibi_viz.evaluation import comparisons
from alibi_viz.evaluation.records import Record
from alibi_viz.figures.measured.extrapolation import MethodCurve
from tests.made_up_records import made_up, made_up_stretch
from tests.pages.measured import records, write_results


def curve(label, lengths, values):
    values = [np.array(seeds) for seeds in values]
    return MethodCurve(
        "alibi",
        label,
        np.array(lengths),
        np.array([seeds.mean() for seeds in values]),
        np.array([seeds.min() for seeds in values]),
        np.array([seeds.max() for seeds in values]),
        np.array([len(seeds) for seeds in values]),
    )


def test_a_table_gives_mean_and_range_over_seeds():
    curves = [
        curve("ALiBi", [53, 1009], [[3.0, 4.0, 8.0], [250.0, 150.0]]),
        curve("Learned", [53], [[7.125]]),
    ]
    assert markdown(["ALiBi", "Learned"], curves, [53, 1009]).splitlines() == [
        "| | 53 | 1,009 |",
        "|---|--:|--:|",
        "| ALiBi | 5.00 (3.00-8.00) | 200.0 (150.0-250.0) |",
        "| Learned | 7.12 | - |",
    ]


def test_what_was_measured_is_replaced_and_everything_above_kept():
    text = f"# Found\n\nWords.\n\n{MARK}\nold\n"
    assert with_measured(text, "new\n") == f"# Found\n\nWords.\n\n{MARK}\nnew\n"
    assert with_measured(with_measured(text, "new\n"), "old\n") == text
    with pytest.raises(ValueError, match="to put what was measured below"):
        with_measured("# Found\n", "new\n")


def test_every_text_has_words_and_tables_and_slopes_come_last(tmp_path, monkeypatch):
    monkeypatch.setattr(comparisons, "named_stretch", made_up_stretch)
    about = {"text": "prose", "corpus": "state-of-the-union 1 sha256:" + "ab" * 32}
    prose = [
        made_up(key, 128, 30.0, checkpoint=f"assets/checkpoints/prose-{key}-L128-s0", **about)
        for key in ("alibi", "nope")
    ]
    steep = {"variant": "e4", "checkpoint": "assets/checkpoints/alibi-e4-L128-s0"}
    made = [*records(), *prose, made_up("alibi", 128, 13.3 * 1.1, **steep)]
    monkeypatch.setattr(Record, "file", write_results(tmp_path / "records.json", made))
    part = measured_part()
    assert part.index("## Measured on code") < part.index("## Measured on prose")
    assert "| T5 bias | -5.0 % (-5.0 to -5.0), ahead | -5.3 % (-5.3 to -5.3), ahead |" in part
    assert "| NoPE | +0.0 % (+0.0 to +0.0), level |" in part
    assert (
        "* Nonoverlapping windows, 64 tokens: ahead of ALiBi: T5 bias (\N{MINUS SIGN}5.0 %)" in part
    )
    assert "ALiBi 2.0 and 2 %" in part
    row = part.index("| e4 | +10.0 % (+10.0 to +10.0), behind |")
    assert part.index("## Measured on prose") < row < part.index("## Measured stretched")
