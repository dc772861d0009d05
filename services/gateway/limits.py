"""What a stranger may send, and from where: depth, rates, addresses, origins. All cheap, all before anything is decoded."""

import re
from collections.abc import Iterable

from schemas.wire import DEPTH_MAX

ADDRESSES_MAX = 20_000  # rate limits remembered at once
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
    """`per_minute` each, by a name that a stranger may choose: an address, a player."""

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._buckets: dict[str, Bucket] = {}

    def take(self, name: str, now: float) -> bool:
        bucket = self._buckets.get(name)
        if bucket is None:
            if len(self._buckets) >= ADDRESSES_MAX:
                self._buckets.clear()  # kind to everybody for a moment rather than unbounded
            bucket = self._buckets[name] = Bucket(self._per_minute / 60, self._per_minute, now)
        return bucket.take(now)


class Addresses:
    """Sockets (or connections, for `door`) held and rooms made per client address, in this gateway."""

    def __init__(self, sockets_max: int, rooms_per_minute: int) -> None:
        self._sockets_max = sockets_max
        self._sockets: dict[str, int] = {}
        self._rooms = Buckets(rooms_per_minute)

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


def client_address(client: tuple[str, int] | None, headers: dict[bytes, bytes], hops: int) -> str:
    """The peer's address, or what the outermost of `hops` trusted proxies saw."""
    peer = client[0] if client else "unknown"
    if not hops:
        return peer
    seen = [part.strip() for part in headers.get(b"x-forwarded-for", b"").decode("latin-1").split(",")]
    seen = [part for part in seen if part]
    return seen[-hops][:64] if len(seen) >= hops else peer


def is_https(scheme: str, headers: dict[bytes, bytes], hops: int) -> bool:
    if hops and b"x-forwarded-proto" in headers:
        return headers[b"x-forwarded-proto"].split(b",")[-1].strip() == b"https"
    return scheme in ("https", "wss")


def origin_allowed(headers: dict[bytes, bytes], allowed: tuple[str, ...], hops: int) -> bool | None:
    """Whether the page that asks is ours. None: no Origin; on a GET it may be any page all the same."""
    origin = headers.get(b"origin")
    if origin is None:
        return None
    text = origin.decode("latin-1")
    if text in allowed:
        return True
    hosts = {headers.get(b"host", b"").lower()}
    if hops and b"x-forwarded-host" in headers:
        hosts.add(headers[b"x-forwarded-host"].split(b",")[-1].strip().lower())
    scheme, mark, host = text.partition("://")
    return bool(mark and host) and scheme in ("http", "https") and host.lower().encode("latin-1") in hosts
