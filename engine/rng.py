"""Chance anyone can check (docs/design.md 6): a counter generator keyed once per game.

rng() number n of a game = first 8 bytes, big-endian, of HMAC-SHA256(key, "noripan/1:" + decimal n), shifted right by 11,
times 2^-53; n counts from 0. The key comes from the server's committed secret and every seat's committed nonce, so that
neither side can choose it alone. How many values an event used is written in the event (`draws`).
"""

import hashlib
import hmac
import struct
from functools import lru_cache
from typing import Any

_SCALE = 2.0**-53
_length = struct.Struct(">I").pack
NO_NONCE = bytes(32)  # stands for a nonce that was never promised, or withheld after Start


@lru_cache(maxsize=4096)
def _pads(key: bytes) -> tuple[Any, Any]:
    """SHA-256 after the inner and the outer block of HMAC (RFC 2104) for a key of at most 64 bytes; to be copied."""
    block = key.ljust(64, b"\0")
    return hashlib.sha256(bytes(b ^ 0x36 for b in block)), hashlib.sha256(bytes(b ^ 0x5C for b in block))


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA256 with a key of at most 64 bytes. Spelt out over prepared blocks: a third of the time of hmac.digest."""
    inner, outer = _pads(key)
    message_hash, result = inner.copy(), outer.copy()
    message_hash.update(message)
    result.update(message_hash.digest())
    return result.digest()


def unit(digest: bytes) -> float:
    """First 8 bytes, big-endian, shifted right by 11, times 2^-53: in [0, 1), never 1."""
    return (int.from_bytes(digest[:8], "big") >> 11) * _SCALE


class Rng:
    """The values from number `n` on. `n` after a decision tells how many were drawn."""

    __slots__ = ("key", "n")

    def __init__(self, key: bytes, n: int = 0) -> None:
        self.key = key
        self.n = n

    def next(self) -> float:
        """The next value in [0, 1): a multiple of 2^-53, never 1."""
        digest = hmac_sha256(self.key, b"noripan/1:%d" % self.n)
        self.n += 1
        return unit(digest)

    def below(self, bound: int) -> int:
        """An integer in [0, bound), floor(rng() * bound); one draw."""
        return int(self.next() * bound)

    def die(self) -> int:
        """1..6, one draw (000 8.4)."""
        return 1 + int(self.next() * 6)

    def shuffle(self, items: list) -> None:
        """Fisher-Yates in place, from the last index down to 1; len - 1 draws (000 8.4)."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


def prefixed(*parts: bytes) -> bytes:
    """Each part after its length as 4 bytes big-endian: no two different lists give the same bytes."""
    return b"".join([_length(len(part)) + part for part in parts])


def commitment(value: bytes) -> str:
    """What is shown of a secret or nonce before it is opened: SHA-256, hex."""
    return hashlib.sha256(value).hexdigest()


def derive_key(secret: bytes, game_id: str, nonces: tuple[bytes, ...]) -> bytes:
    """HMAC-SHA256(secret, game id, then each seat's nonce in seat order, every part length-prefixed)."""
    return hmac.digest(secret, prefixed(game_id.encode(), *nonces), "sha256")
