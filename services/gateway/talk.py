"""What people say at a table: an emote, a line of chat, a suggested action. Not in the game's log and never mixed with it.

Everybody in a room may use emotes and chat; whom a viewer does not want to hear is the viewer's own affair. A suggestion is
an action of the room's game, in the spelling the log would have. How often is the store's to count, per player in the
whole room, so that a second tab or gateway gives no second voice.
"""

import msgspec

from engine.game import Rejected
from engine.kit import Kit
from schemas import wire
from schemas.base import Detail, encode
from services.gateway.commands import explained
from services.gateway.facts import Seats
from services.gateway.names import clean_line

CHAT_MAX = 120


def said(ask: wire.Say, player: str, seats: Seats, k: Kit, now_ms: int) -> bytes | Rejected:
    """The `said` frame of what `player` says. `Detail.field` of a refusal tells it from one of another ask."""
    body: str | None = ask.body
    if ask.kind == "emote":
        if body not in wire.EMOTES:
            return Rejected("bad_message", Detail("body", list(wire.EMOTES)))
    elif ask.kind == "chat":
        body = clean_line(ask.body, CHAT_MAX)
        if body is None:
            return Rejected("bad_message", Detail("body", f"1..{CHAT_MAX} visible characters"))
    else:
        if player not in seats.values():
            return Rejected("no_seat", Detail("body"))
        try:
            body = encode(k.decode_action(ask.body.encode())).decode()
        except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError) as error:
            return Rejected("bad_action", explained(error, "body"))
    return encode(wire.Said(player, ask.kind, body, now_ms))
