"""The hash chain over a game: every decided entry is a link, refused ones too (docs/design.md 6).

h(0) = SHA-256 of the bytes of the `started` event; h(n) = SHA-256(h(n-1), entry id, entry bytes, outcome code, blind, event
bytes), every part after its 4 byte length. The entry that started the game is link 1. Hashes are over the stored bytes.
Only the head is stored; anyone with the log recomputes the links. Private fields are not hashed here: the commitments in
`started` bind them.

The blind is HMAC-SHA256(secret, "noripan/2:blind:" + entry id). Every client gets the head after each entry, also one that
hid something from it; without a part that nobody knows before the end, a hidden die would be found by trying six. The
`revealed` event opens all blinds. Games of format 1 have none: their links go without that part.
"""

import base64
import hashlib

from engine.rng import hmac_sha256, prefixed

FORMAT = 2  # of new games; written in their `open` entry, `opened` and `started` (absent: 1)


def start(started: bytes) -> bytes:
    """h(0), from the stored bytes of the `started` event."""
    return hashlib.sha256(started).digest()


def blind(format: int, secret: bytes, entry_id: bytes) -> bytes:
    """The part of an entry's link that is unknown until `secret` is revealed; b"" in format 1."""
    return hmac_sha256(secret, b"noripan/2:blind:" + entry_id) if format >= 2 else b""


def link(head: bytes, entry_id: bytes, entry: bytes, code: str, blind: bytes, events: list[bytes]) -> bytes:
    """The head after one more decided entry. `code` is "ok" or the reject code; `blind` b"" in format 1."""
    if blind:
        return hashlib.sha256(prefixed(head, entry_id, entry, code.encode(), blind, *events)).digest()
    return hashlib.sha256(prefixed(head, entry_id, entry, code.encode(), *events)).digest()


def text(head: bytes) -> str:
    """How a head is shown in receipts: base64url without padding (43 characters; empty before Start)."""
    return base64.urlsafe_b64encode(head).rstrip(b"=").decode()
