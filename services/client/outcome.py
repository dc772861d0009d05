"""What can become of an ask."""

import asyncio
import unicodedata
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from schemas import wire


class Rejected(Exception):
    """The server said no. Nothing changed."""

    def __init__(self, reject: wire.Reject) -> None:
        super().__init__(reject.code)
        self.code, self.text = reject.code, reject.text
        self.detail = None if reject.detail is msgspec.UNSET else reject.detail


class Closed(Exception):
    """The client was closed, or the room or player is not known (`reason`): the outcome stays unknown."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Done(NamedTuple):
    """Accepted: it is part of the game at `version`."""

    version: int
    entry: str


class Receipt(NamedTuple):
    """What the server showed of its log: chain head after the entry. Kept against a log that is rewritten later."""

    game: str
    version: int
    entry: str
    head: str


@dataclass
class Pending:
    """An ask whose outcome is not known. entry: its id once acknowledged; refused: how often it was put off."""

    frame: bytes
    outcome: asyncio.Future
    entry: str = ""
    sent_at: float = 0.0
    refused: int = 0


def plain(kind: str, body: str) -> Any:
    """What was said without the differences of spelling that the server takes out, to know it again."""
    if kind == "suggest":
        try:
            return msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeEncodeError):
            return body
    return unicodedata.normalize("NFC", body).split()
