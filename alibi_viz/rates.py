"""How often somebody may do something: so many at once, and then one in a while."""

import time
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Network, ip_address

# Keys that are remembered; the longest idle is forgotten, which gives it its whole share again.
MAX_KEYS = 10_000


def network_of(address: str) -> str:
    """Returns what an address counts as: itself, or of version 6 the 64 bits that one customer has.

    >>> network_of("192.0.2.7"), network_of("2001:db8:1:2:3:4:5:6"), network_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:1:2::/64', '192.0.2.7')

    Args:
        address: As the server heard it; what is none counts as it is.
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv4Address):
        return str(found)
    return str(found.ipv4_mapped or IPv6Network((found, 64), strict=False))


class Allowance:
    """Buckets of tokens, one a key, that fill at a steady rate."""

    def __init__(
        self, burst: int, per_second: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Fills all buckets.

        Args:
            burst: What somebody who was idle may do at once.
            per_second: What comes back, and so the rate in the long run.
            clock: Time in seconds.
        """
        self._burst, self._per_second, self._clock = burst, per_second, clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, key: str) -> bool:
        """Returns whether `key` may do it once more, and counts it."""
        left = self._left(key)
        allowed = left >= 1
        self._buckets.pop(key, None)
        self._buckets[key] = (left - allowed, self._clock())
        while len(self._buckets) > MAX_KEYS:
            del self._buckets[next(iter(self._buckets))]
        return allowed

    def has(self, key: str) -> bool:
        """Returns whether `key` could do it now, without counting."""
        return self._left(key) >= 1

    def _left(self, key: str) -> float:
        left, since = self._buckets.get(key, (float(self._burst), self._clock()))
        return min(float(self._burst), left + (self._clock() - since) * self._per_second)
