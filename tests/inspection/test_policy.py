import os

import pytest

from alibi_viz.inspection.errors import UnreadableModel
from alibi_viz.inspection.loading.policy import FOLDER_VARIABLE, HUB_VARIABLE, ModelsPolicy


@pytest.fixture
def policy(tmp_path):
    """A folder with one model, beside a directory that is nobody's business."""
    for directory in ("models/tiny", "secret"):
        (tmp_path / directory).mkdir(parents=True)
        (tmp_path / directory / "config.json").write_text("{}")
    (tmp_path / "models/empty").mkdir()
    (tmp_path / "models/link").symlink_to(tmp_path / "secret")
    (tmp_path / "models/alias").symlink_to(tmp_path / "models/tiny")
    return ModelsPolicy(tmp_path / "models")


def test_nothing_is_open_unless_someone_opened_it(monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.delenv(HUB_VARIABLE, raising=False)
    closed = ModelsPolicy.from_environment()
    assert closed == ModelsPolicy(None, False)
    assert closed.offered() == []
    with pytest.raises(UnreadableModel, match=FOLDER_VARIABLE):
        closed.directory("tiny")
    with pytest.raises(UnreadableModel, match=HUB_VARIABLE):
        closed.hub_name("bigscience/bloom-560m")


def test_the_environment_opens_folder_and_hub(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setenv(HUB_VARIABLE, "1")
    assert ModelsPolicy.from_environment() == ModelsPolicy(tmp_path.resolve(), True)


def test_a_folder_that_is_not_there_is_told_at_once(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(UnreadableModel, match="no directory"):
        ModelsPolicy.from_environment()


def test_models_inside_the_folder_are_offered(policy):
    assert policy.offered() == ["alias", "tiny"]
    assert policy.directory("tiny") == policy.folder / "tiny"
    assert policy.directory("alias") == policy.folder / "tiny"


@pytest.mark.parametrize(
    "name",
    ["../secret", "link", "tiny/../../secret", "/etc", "", ".", "..", "nowhere", "tiny\0", "a/b"],
)
def test_nothing_outside_the_folder_is_reached(name, policy):
    with pytest.raises(UnreadableModel, match="holds no directory"):
        policy.directory(name)


def test_hub_names_have_the_hubs_form():
    policy = ModelsPolicy(None, allow_hub=True)
    assert policy.hub_name("bigscience/bloom-560m") == "bigscience/bloom-560m"
    for name in ("../x", "a/b/c", "a b", "", "/etc/passwd", "a/..", "https://x/y"):
        with pytest.raises(UnreadableModel, match="no hub name"):
            policy.hub_name(name)


def test_a_folder_whose_name_is_no_text_or_that_is_closed_hides_no_other(policy):
    for name in (b"caf\xe9", b"loop"):
        (policy.folder / os.fsdecode(name)).mkdir()
        (policy.folder / os.fsdecode(name) / "config.json").write_text("{}")
    (policy.folder / "itself").symlink_to("itself")
    assert policy.offered() == ["alias", "loop", "tiny"]
