"""What a stranger may send, and from where: depth, rates, addresses, origins. All cheap, all before anything is decoded."""

import ipaddress
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import lru_cache

import structlog

from schemas.wire import DEPTH_MAX

log = structlog.get_logger()

ADDRESSES_MAX = 20_000  # rate limits remembered at once
ADDRESS_CHARS_MAX = 64
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


def too_deep(data: bytes) -> bool:
    """Whether JSON nests deeper than DEPTH_MAX. Almost every message is done after two counts."""
    if data.count(b"{") + data.count(b"[") <= DEPTH_MAX:
        return False
    depth = 0
    for byte in _STRING.sub(b"", data):
        if byte in b"{[":
            depth += 1
            if depth > DEPTH_MAX:
                return True
        elif byte in b"}]":
            depth -= 1
    return False


class Bucket:
    """`rate` a second, `burst` at once."""

    __slots__ = ("_at", "_left", "burst", "rate")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self.rate = rate
        self.burst = burst
        self._left = float(burst)
        self._at = now

    def take(self, now: float, count: float = 1.0) -> bool:
        """All `count` or none."""
        left = min(self.burst, self._left + (now - self._at) * self.rate)
        self._at = now
        if left < count:
            self._left = left
            return False
        self._left = left - count
        return True


class Buckets:
    """One for each name that a stranger may choose (an address, a player): `rate` a second, `burst` at once.

    Of too many names the one that was used least lately is forgotten: its bucket has had the most time to fill again.
    """

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    @classmethod
    def per_minute(cls, count: int) -> "Buckets":
        """`count` a minute, as many at once."""
        return cls(count / 60, count)

    def take(self, name: str, now: float, count: float = 1.0) -> bool:
        bucket = self._buckets.get(name)
        if bucket is None:
            if len(self._buckets) >= ADDRESSES_MAX:
                self._buckets.popitem(last=False)
            bucket = self._buckets[name] = Bucket(self._rate, self._burst, now)
        else:
            self._buckets.move_to_end(name)
        return bucket.take(now, count)


class Rarely:
    """Warnings that strangers can cause: each (by event and setting) once in `every_s`, with how many were not written."""

    def __init__(self, every_s: float = 60.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._every_s, self._clock = every_s, clock
        self._said: dict[tuple[str, str], tuple[float, int]] = {}

    def warn(self, event: str, setting: str, **fields: object) -> None:
        now, name = self._clock(), (event, setting)
        at, kept = self._said.get(name, (-self._every_s, 0))
        if now - at < self._every_s:
            self._said[name] = (at, kept + 1)
            return
        self._said[name] = (now, 0)
        log.warning(event, setting=setting, **({"before": kept} if kept else {}), **fields)


rarely = Rarely()
REACHED = "limit per client address reached"


class Addresses:
    """Sockets (or connections, for `door`) held and rooms made per client address, in this gateway."""

    def __init__(self, sockets_max: int, rooms_per_minute: int) -> None:
        self._sockets_max = sockets_max
        self._sockets: dict[str, int] = {}
        self._rooms = Buckets.per_minute(rooms_per_minute)

    def enter(self, address: str) -> bool:
        """Count one more socket; False when that is too many (then it is not counted)."""
        held = self._sockets.get(address, 0)
        if held >= self._sockets_max:
            return False
        self._sockets[address] = held + 1
        return True

    def leave(self, address: str) -> None:
        held = self._sockets.pop(address) - 1
        if held:
            self._sockets[address] = held

    def may_create(self, address: str, now: float) -> bool:
        return self._rooms.take(address, now)


def header_map(raw: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers by lower-case name; repeated ones joined as HTTP has it."""
    found: dict[bytes, bytes] = {}
    for name, value in raw:
        name = name.lower()
        found[name] = found[name] + (b"; " if name == b"cookie" else b", ") + value if name in found else value
    return found


@lru_cache(maxsize=4096)
def named(address: str) -> str:
    """What a client's address is counted under, the same for all that one client may call itself.

    The port is off, as some proxies write it (`1.2.3.4:5`, `[::1]:5`); IPv4 inside IPv6 is IPv4; of IPv6 the /64, which is
    what a household is given. What is no address is its own name, cut.
    """
    bare = address
    if address.startswith("["):
        bare = address[1:].partition("]")[0]
    elif address.count(":") == 1:
        bare = address.partition(":")[0]
    try:
        found = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return address[:ADDRESS_CHARS_MAX]
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(found) >> 64 << 64, 64)))


def client_address(client: tuple[str, int] | None, headers: dict[bytes, bytes], hops: int) -> str:
    """The name of the peer's address, or of what the outermost of `hops` trusted proxies saw."""
    peer = client[0] if client else "unknown"
    if not hops:
        if b"x-forwarded-for" in headers:
            rarely.warn(
                "X-Forwarded-For is there and not believed: all behind a proxy count as one", "NORIPAN_PROXY_HOPS"
            )
        return named(peer)
    seen = [part.strip() for part in headers.get(b"x-forwarded-for", b"").decode("latin-1").split(",")]
    seen = [part for part in seen if part]
    return named(seen[-hops] if len(seen) >= hops else peer)


def is_https(scheme: str, headers: dict[bytes, bytes], hops: int) -> bool:
    if hops and b"x-forwarded-proto" in headers:
        return headers[b"x-forwarded-proto"].split(b",")[-1].strip() == b"https"
    return scheme in ("https", "wss")
