"""What every message, entry and event shares: the tag, the bounds, the encoder.

One record is one msgspec Struct with its snake_case name written out under `type`. Integers are bounded everywhere, so
that a number which a browser cannot hold exactly, or which would blow up a script, is refused at the door.
"""

import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def snake(name: str) -> str:
    """The tag of a class: `TurnChanged` -> `turn_changed`."""
    return _HUMP.sub("_", name).lower()


class Record(Struct, frozen=True, omit_defaults=True, tag_field="type", tag=snake):
    """A stored or sent record. New fields must have defaults, so that old logs stay readable."""


# The end of a pattern: Python's `$` alone would let a line break follow, and JSON Schema has no `\Z`.
END = r"$(?!\n)"

# 2**53 - 1 is the largest integer that every JSON reader (browsers included) keeps exactly.
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
ActionId = Annotated[int, Meta(ge=1, le=2**53 - 1, description="the client session's own number of this action")]
Millis = Annotated[int, Meta(ge=0, le=2**53 - 1, description="milliseconds since 1970, by the Redis server's clock")]
SeatNo = Annotated[int, Meta(ge=0, le=31, description="index of a seat at the table")]
PlayerId = Annotated[str, Meta(min_length=1, max_length=24, pattern=r"^[0-9A-Za-z_-]+" + END)]
SessionId = Annotated[
    str,
    Meta(min_length=4, max_length=24, pattern=r"^[0-9A-Za-z_-]+" + END, description="one tab or program of a player"),
]
ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # of codes: nothing that one could take for something else
RoomCode = Annotated[str, Meta(min_length=6, max_length=6, pattern=r"^[2-9A-HJ-NP-Z]{6}" + END)]
AnyRoomCode = Annotated[
    str,
    Meta(
        min_length=6,
        max_length=6,
        pattern="^[2-9A-HJ-NP-Za-hj-np-z]{6}" + END,
        description="small letters mean the large",
    ),
]
GameName = Annotated[str, Meta(min_length=1, max_length=32, pattern=r"^[a-z][a-z0-9_]*" + END)]
Hex32 = Annotated[str, Meta(min_length=64, max_length=64, pattern=r"^[0-9a-f]{64}" + END, description="32 bytes, hex")]

encode = msgspec.json.Encoder().encode


class Detail(Struct, frozen=True, omit_defaults=True):
    """Why something was refused: where, what was expected, what was got. Never a secret, never a stack.

    beside: other options, as they stand, that `field` does not go with.
    """

    field: str = ""
    expected: Any = None
    got: Any = None
    at: str = ""
    beside: dict[str, Any] = {}
