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


def test_numbers_have_defaults_and_bounds(monkeypatch):
    for name in ("JOB_MINUTES", "QUEUE_PLACES"):
        monkeypatch.delenv(f"ALIBI_VIZ_{name}", raising=False)
    assert (policy.job_minutes(), policy.queue_places()) == (60, 30)
    monkeypatch.setenv("ALIBI_VIZ_JOB_MINUTES", "5")
    assert policy.job_minutes() == 5
    for text in ("0", "-1", "many", "1e9"):
        monkeypatch.setenv("ALIBI_VIZ_JOB_MINUTES", text)
        with pytest.raises(ValueError, match="ALIBI_VIZ_JOB_MINUTES must be a whole number"):
            policy.check_switches()


def test_who_may_frame_the_app_is_a_list_of_origins(monkeypatch):
    monkeypatch.delenv("ALIBI_VIZ_FRAMED_BY", raising=False)
    assert policy.framed_by() == "'self'"
    monkeypatch.setenv("ALIBI_VIZ_FRAMED_BY", "'self'  https://*.example.org:8080")
    assert policy.framed_by() == "'self' https://*.example.org:8080"
    for text in ("'self'; script-src *", "example.org", "javascript:x"):
        monkeypatch.setenv("ALIBI_VIZ_FRAMED_BY", text)
        with pytest.raises(ValueError, match="ALIBI_VIZ_FRAMED_BY must list origins"):
            policy.check_switches()


def test_origins_of_a_proxy_are_origins(monkeypatch):
    monkeypatch.setenv("ALIBI_VIZ_ORIGINS", "https://viz.example.org http://b:81")
    assert policy.other_origins() == ("https://viz.example.org", "http://b:81")
    monkeypatch.setenv("ALIBI_VIZ_ORIGINS", "*")
    with pytest.raises(ValueError, match="ALIBI_VIZ_ORIGINS"):
        policy.check_switches()
