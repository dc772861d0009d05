"""What people say at a table: an emote, a line of chat, a suggested action. Not in the game's log and never mixed with it.

Everybody in a room may use emotes and chat; whom a viewer does not want to hear is the viewer's own affair. A suggestion is
an action of the room's game, in the spelling the log would have. It is for the own side alone: who is on it is settled when
it is said, and written into it (`Said.to`), so that whoever passes it on, now or to a late comer, has nothing to find out.
How often is the store's to count, per player in the whole room, so that a second tab or gateway gives no second voice.
"""

import msgspec

from engine.game import Rejected
from engine.kit import Kit
from engine.room.state import PLAYING, Room
from schemas import wire
from schemas.base import Detail, encode
from services.gateway.commands import explained
from services.gateway.names import clean_line

CHAT_MAX = 120


def cleaned(ask: wire.Say, k: Kit) -> str | Rejected:
    """What is said, in its one spelling. `Detail.field` of a refusal tells it from one of another ask."""
    if ask.kind == "emote":
        if ask.body in wire.EMOTES:
            return ask.body
        return Rejected("bad_message", Detail("body", list(wire.EMOTES)))
    if ask.kind == "chat":
        return clean_line(ask.body, CHAT_MAX) or Rejected(
            "bad_message", Detail("body", f"1..{CHAT_MAX} visible characters")
        )
    try:
        return encode(k.decode_action(ask.body.encode())).decode()
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError) as error:
        return Rejected("bad_action", explained(error, "body"))


def side_of(player: str, k: Kit, room: Room | None) -> tuple[str, ...] | Rejected:
    """The players who hear a suggestion of `player`, the speaker among them."""
    seat = None if room is None else room.seat_of(player)
    if seat is None:
        return Rejected("no_seat", Detail("body"))
    if room.phase != PLAYING:  # before that, sides are not settled
        return Rejected("not_playing", Detail("body"))
    allies = k.game.allies(k.options(room.options), tuple(range(len(room.seats))), seat)
    if not set(allies) - {seat}:
        return Rejected("no_team", Detail("body"))
    return tuple(room.seats[index].player for index in sorted({*allies, seat}))


def frame_of(player: str, kind: str, body: str, now_ms: int, to: tuple[str, ...] = ()) -> bytes:
    """The `said` frame."""
    return encode(wire.Said(player, kind, body, now_ms, to))


class Remark:
    """A `said` frame as it came from the store, with those whom it is for."""

    __slots__ = ("at_ms", "frame", "player", "to")

    def __init__(self, frame: bytes, said: wire.Said) -> None:
        self.frame, self.player, self.at_ms, self.to = frame, said.player, said.at_ms, frozenset(said.to)

    def reaches(self, people: tuple[str, ...]) -> bool:
        """Whether these people may hear it."""
        return not self.to or not self.to.isdisjoint(people)


def remark_of(frame: bytes) -> Remark | None:
    """None: it is nothing that was said."""
    try:
        said = wire.decode_tell(frame)
    except msgspec.MsgspecError:
        return None
    return Remark(frame, said) if isinstance(said, wire.Said) else None
