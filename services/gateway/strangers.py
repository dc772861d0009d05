"""Asks of people who have no seat: kept out of the log, where it is sure that they would be refused there.

What a gateway knows of a room may be old, and a Join may be in the log that nobody has decided. Three facts make it sure
all the same. The seats of a game are fixed once its lobby is over. Who has a seat, or asked for one and is not decided yet,
stands in the room's hash, written by the same script call as the commit or the Join (append.lua looks). And a host without a
seat has been host since the room was opened, so that every gateway has seen it. The script looks for a repeat first: an ask
that is in the log already gets the outcome it has, whatever its sender has become since (P3).
"""

from engine.game import Rejected
from engine.room.state import CLOSED, LOBBY, OVER, PLAYING
from schemas import wire
from schemas.base import Detail
from services.gateway.facts import Facts

_HOSTS = (wire.Configure, wire.Swap, wire.Kick, wire.Transfer, wire.Start)
_ALWAYS_HOSTS = (wire.Lock, wire.Expel, wire.Silence)
_LOBBYS = (*_HOSTS, wire.Leave, wire.Move, wire.Ready, wire.Promise)


def stranger(ask: wire.AnyDeed, player: str, facts: Facts, current: bool) -> str:
    """What append.lua is told: "", "unless noticed", "surely". current: the facts are of the game that is asked about."""
    if not facts.phase or type(ask) is wire.Join or player == facts.host or player in facts.seats.values():
        return ""
    return "surely" if current and facts.phase != LOBBY else "unless noticed"


def refusal(ask: wire.AnyDeed, phase: str) -> Rejected:
    """What the log would have said to a stranger in this phase."""
    kind = type(ask)
    if phase == CLOSED:
        return Rejected("room_closed")
    if kind is wire.Act:
        return Rejected("not_your_seat", Detail("seat", got=ask.seat)) if phase == PLAYING else Rejected("not_playing")
    if phase != LOBBY and kind in _LOBBYS:
        return Rejected("not_in_lobby")
    if kind in _HOSTS or kind in _ALWAYS_HOSTS:
        return Rejected("not_host")
    return Rejected("not_over" if kind is wire.Rematch and phase != OVER else "no_seat")
