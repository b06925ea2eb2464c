import pytest

from alibi_viz.evaluation.store import add_records
from alibi_viz.retrieval.records import CopyRecord
from tests.made_up_records import copied

GAINS = {"alibi": 1.5, "t5": 2.0, "rope": 1.6}


@pytest.fixture(scope="session")
def copying_file(tmp_path_factory):
    """Made-up records of copying: what is measured of it changes nothing here."""
    path = tmp_path_factory.mktemp("results") / "copying.json"
    add_records(
        [
            copied(f"{method}-L128", seed, distance, (gain + 0.1 * seed) * 24 / distance, kind)
            for method, gain in GAINS.items()
            for distance in (24, 128, 512)
            for seed in (0, 1)
            for kind in ("real", "random")
        ],
        path,
    )
    return path


@pytest.fixture(autouse=True)
def made_up_copying(copying_file, monkeypatch):
    monkeypatch.setattr(CopyRecord, "file", copying_file)
