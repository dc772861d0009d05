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
_LOBBYS = (*_HOSTS, wire.Join, wire.Leave, wire.Move, wire.Ready, wire.Promise)


def stranger(ask: wire.AnyDeed, player: str, facts: Facts, current: bool, seats_max: int) -> str:
    """What append.lua is told: "", "unless noticed", "when long", "surely".

    current: the facts are of the game that is asked about. In a lobby a Join may be right although it looks hopeless from
    here, since a seat may be free by now; only where a log is long already it is not tried any more ("when long").
    """
    if not facts.phase or player == facts.host or player in facts.seats.values():
        return ""
    if type(ask) is wire.Join and (not current or facts.phase == LOBBY):
        return "when long" if current and _hopeless(ask, player, facts, seats_max) else ""
    return "surely" if current and facts.phase != LOBBY else "unless noticed"


def _hopeless(ask: wire.Join, player: str, facts: Facts, seats_max: int) -> bool:
    taken = len(facts.seats) >= seats_max if ask.seat is None else str(ask.seat) in facts.seats
    return taken or facts.locked or player in facts.banned


def refusal(ask: wire.AnyDeed, player: str, facts: Facts) -> Rejected:
    """What the log would have said to a stranger."""
    kind, phase = type(ask), facts.phase
    if phase == CLOSED:
        return Rejected("room_closed")
    if kind is wire.Act:
        return Rejected("not_your_seat", Detail("seat", got=ask.seat)) if phase == PLAYING else Rejected("not_playing")
    if kind is wire.Join and phase == LOBBY:
        if player in facts.banned:
            return Rejected("kicked")
        if facts.locked:
            return Rejected("locked")
        return Rejected("room_full") if ask.seat is None else Rejected("seat_taken", Detail("seat", got=ask.seat))
    if phase != LOBBY and kind in _LOBBYS:
        return Rejected("not_in_lobby")
    if kind in _HOSTS or kind in _ALWAYS_HOSTS:
        return Rejected("not_host")
    return Rejected("not_over" if kind is wire.Rematch and phase != OVER else "no_seat")
