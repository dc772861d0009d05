"""What a host may do about people, in every phase of a room: close the door, send somebody away, silence somebody.

Somebody sent away may neither sit, watch nor talk; whom a host takes from a seat (`lobby.kick`) may still watch. The gateways
see to watching and talking. What was done stays for the room's next games.
"""

from engine.game import Rejected
from engine.room import events as ev
from engine.room.lobby import free
from engine.room.state import LOBBY, Room
from schemas import entry as cmd
from schemas.base import Detail


def _refused(room: Room, player: str, target: str = "") -> Rejected | None:
    if room.host != player:
        return Rejected("not_host")
    if target == player:
        return Rejected("no_seat", Detail(field="target", expected="somebody else"))
    return None


def lock(kit, room: Room, c: cmd.Lock, at_ms: int) -> tuple | Rejected:
    """Nobody new comes in, or may again."""
    refused = _refused(room, c.player)
    if refused:
        return refused
    return () if room.settings.locked == c.locked else (ev.Locked(c.locked, at_ms=at_ms),)


def expel(kit, room: Room, c: cmd.Expel, at_ms: int) -> tuple | Rejected:
    """For good. Who plays cannot be sent away; in the lobby the seat is freed."""
    refused = _refused(room, c.player, c.target)
    if refused:
        return refused
    seat = room.seat_of(c.target)
    if seat is not None:
        if room.phase != LOBBY:
            return Rejected("not_in_lobby", Detail("target"))
        return (*free(room, seat, at_ms, kicked=True), ev.Expelled(c.target, at_ms=at_ms))
    return () if c.target in room.expelled else (ev.Expelled(c.target, at_ms=at_ms),)


def silence(kit, room: Room, c: cmd.Silence, at_ms: int) -> tuple | Rejected:
    """Their talk is refused in this room, or no more."""
    refused = _refused(room, c.player, c.target)
    if refused:
        return refused
    return () if (c.target in room.silenced) == c.silent else (ev.Silenced(c.target, c.silent, at_ms=at_ms),)
