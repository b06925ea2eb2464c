import pytest

from alibi_viz.charts.measured.read import own_records
from tests.made_up_records import made_up
from tests.pages.measured import write_results


def test_no_file_is_no_record_and_a_damaged_one_is_named(tmp_path):
    assert own_records(tmp_path / "none.json") == ()
    (tmp_path / "records.json").write_text('{"schema": 1, "records": [')
    with pytest.raises(ValueError, match=r"records\.json is not JSON"):
        own_records(tmp_path / "records.json")


def test_a_changed_file_is_read_again(tmp_path):
    path = write_results(tmp_path / "records.json", [made_up("alibi", 128, 13.0)])
    assert len(own_records(path)) == 1
    write_results(path, [made_up("alibi", 128, 13.0), made_up("t5", 128, 12.0)])
    assert len(own_records(path)) == 2
