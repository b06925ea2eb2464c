import pytest

from alibi_viz import policy


def test_visitors_may_train_and_upload_but_not_reach_the_hub_unless_told(monkeypatch):
    for name in ("TRAINING", "UPLOADS", "HUB"):
        monkeypatch.delenv(f"ALIBI_VIZ_{name}", raising=False)
    assert policy.training_is_allowed()
    assert policy.uploads_are_allowed()
    assert not policy.hub_is_allowed()


@pytest.mark.parametrize(("text", "expected"), [("0", False), ("off", False), ("TRUE", True)])
def test_each_switch_reads_its_own_variable(monkeypatch, text, expected):
    for name, asked in (
        ("TRAINING", policy.training_is_allowed),
        ("UPLOADS", policy.uploads_are_allowed),
        ("HUB", policy.hub_is_allowed),
    ):
        monkeypatch.setenv(f"ALIBI_VIZ_{name}", text)
        assert asked() is expected
        monkeypatch.delenv(f"ALIBI_VIZ_{name}")


def test_a_value_that_is_neither_on_nor_off_is_refused(monkeypatch):
    monkeypatch.setenv("ALIBI_VIZ_HUB", "perhaps")
    with pytest.raises(ValueError, match=r"ALIBI_VIZ_HUB must be one of .* got 'perhaps'"):
        policy.hub_is_allowed()


@pytest.mark.parametrize("name", ["TRAINING", "UPLOADS", "HUB"])
def test_every_switch_is_checked(monkeypatch, name):
    policy.check_switches()
    monkeypatch.setenv(f"ALIBI_VIZ_{name}", "yes")
    with pytest.raises(ValueError, match=f"ALIBI_VIZ_{name} must be one of"):
        policy.check_switches()
