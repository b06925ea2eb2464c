import pytest

from alibi_viz import rates
from alibi_viz.rates import Allowance


@pytest.fixture
def clock():
    return [0.0]


@pytest.fixture
def allowance(clock):
    return Allowance(3, 0.5, clock=lambda: clock[0])


def test_so_many_at_once_and_then_one_in_a_while(allowance, clock):
    assert [allowance.take("a") for _ in range(5)] == [True, True, True, False, False]
    clock[0] = 2.0
    assert [allowance.take("a") for _ in range(2)] == [True, False]


def test_each_has_a_share_of_its_own(allowance):
    for _ in range(3):
        allowance.take("a")
    assert not allowance.has("a")
    assert allowance.has("b")


def test_asking_costs_nothing(allowance):
    assert all(allowance.has("a") for _ in range(10))


def test_idling_saves_no_more_than_the_burst(allowance, clock):
    clock[0] = 1000.0
    assert [allowance.take("a") for _ in range(4)] == [True, True, True, False]


def test_memory_is_bounded(monkeypatch, allowance):
    monkeypatch.setattr(rates, "MAX_KEYS", 7)
    for key in range(100):
        allowance.take(str(key))
    assert len(allowance._buckets) == 7


@pytest.mark.parametrize("odd", ["", "unix:", "300.1.1.1", "a::b::c", "testclient"])
def test_what_is_no_address_counts_as_it_is(odd):
    assert rates.network_of(odd) == odd


def test_the_addresses_of_one_customer_count_as_one():
    given = ("2001:db8::1", "2001:DB8:0:0:ffff::9", "2001:db8::1%eth0", "2001:db8:0:1::1")
    assert [rates.network_of(address) for address in given] == [
        *("2001:db8::/64",) * 3,
        "2001:db8:0:1::/64",
    ]
