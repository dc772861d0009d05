"""The hash chain over a game: every decided entry is a link, refused ones too (docs/design.md 6).

h(0) = SHA-256 of the bytes of the `started` event; h(n) = SHA-256(h(n-1), entry id, entry bytes, outcome code, event
bytes), every part after its 4 byte length. The entry that started the game is link 1. Hashes are over the stored bytes.
Only the head is stored; anyone with the log recomputes the links. Private fields are not hashed here: the commitments in
`started` bind them.
"""

import base64
import hashlib

from engine.rng import prefixed


def start(started: bytes) -> bytes:
    """h(0), from the stored bytes of the `started` event."""
    return hashlib.sha256(started).digest()


def link(head: bytes, entry_id: bytes, entry: bytes, code: str, events: list[bytes]) -> bytes:
    """The head after one more decided entry. `code` is "ok" or the reject code."""
    return hashlib.sha256(prefixed(head, entry_id, entry, code.encode(), *events)).digest()


def text(head: bytes) -> str:
    """How a head is shown in receipts: base64url without padding (43 characters; empty before Start)."""
    return base64.urlsafe_b64encode(head).rstrip(b"=").decode()
