"""Rules around the game: seats, host, options, countdown, rematch, idle rooms. Each returns events or Rejected.

Everything a person does here is a sign of life, stamped with the entry's time. Host rights belong to `room.host` alone, and
the view shows that same field as the label, so the two cannot differ.
"""

import msgspec

from engine.chain import FORMAT
from engine.game import Rejected, read_options
from engine.rng import commitment
from engine.room import events as ev
from engine.room.deadline import WARN_SHARE
from engine.room.state import LOBBY, OPENING, OVER, PLAYING, Room
from schemas import entry as cmd
from schemas.base import Detail, encode


def join(kit, room: Room, c: cmd.Join, at_ms: int) -> tuple | Rejected:
    if room.phase != LOBBY:
        return Rejected("not_in_lobby")
    if room.seat_of(c.player) is not None:
        return Rejected("already_seated")
    if c.player in room.banned:
        return Rejected("kicked")
    if room.settings.locked and c.player != room.host:
        return Rejected("locked")
    free = [index for index, seat in enumerate(room.seats) if seat is None]
    if not free:
        return Rejected("room_full", Detail(expected=f"at most {len(room.seats)} players"))
    seat = free[0] if c.seat is None else c.seat
    refused = _not_free(room, seat)
    if refused:
        return refused
    host = () if room.host else (ev.HostChanged(c.player, at_ms=at_ms),)
    return (ev.Seated(seat, c.player, c.nonce_hash or "", at_ms=at_ms), *host, *_stop(room, at_ms))


def _not_free(room: Room, seat: int) -> Rejected | None:
    if seat >= len(room.seats):
        return Rejected("seat_taken", Detail(field="seat", expected=f"0..{len(room.seats) - 1}", got=seat))
    if room.seats[seat] is not None:
        return Rejected("seat_taken", Detail(field="seat", got=seat))
    return None


def _stop(room: Room, at_ms: int) -> tuple:
    """A running countdown ends when seats change: what people agreed to start is not what would start."""
    return (ev.CountdownStopped(at_ms=at_ms),) if room.counting_ms else ()


def _seated(room: Room, player: str) -> int | Rejected:
    """The player's seat in the lobby."""
    if room.phase != LOBBY:
        return Rejected("not_in_lobby")
    seat = room.seat_of(player)
    return Rejected("no_seat") if seat is None else seat


def _not_host(room: Room, player: str) -> Rejected | None:
    if room.phase != LOBBY:
        return Rejected("not_in_lobby")
    return None if room.host == player else Rejected("not_host")


def _taken(room: Room, seat: int, field: str = "seat") -> Rejected | None:
    if seat < len(room.seats) and room.seats[seat] is not None:
        return None
    return Rejected("no_seat", Detail(field=field, expected="a taken seat", got=seat))


def leave(kit, room: Room, c: cmd.Leave, at_ms: int) -> tuple | Rejected:
    seat = _seated(room, c.player)
    if isinstance(seat, Rejected):
        return seat
    return free(room, seat, at_ms, kicked=False)


def free(room: Room, seat: int, at_ms: int, kicked: bool) -> tuple:
    """A seat becomes free, by its player or (kicked) by the host; host rights move on."""
    player = room.seats[seat].player
    events: tuple = (ev.Left(seat, player, kicked, at_ms=at_ms), *_stop(room, at_ms))
    if room.host == player:
        others = [s for s in room.seats if s is not None and s.player != player]
        heir = next((s.player for s in others if s.connected), others[0].player if others else "")
        events += (ev.HostChanged(heir, at_ms=at_ms),)
    return events


def kick(kit, room: Room, c: cmd.Kick, at_ms: int) -> tuple | Rejected:
    refused = _not_host(room, c.player) or _taken(room, c.seat)
    if refused:
        return refused
    if room.seats[c.seat].player == c.player:
        return Rejected("no_seat", Detail(field="seat", expected="somebody else's seat", got=c.seat))
    return free(room, c.seat, at_ms, kicked=True)


def transfer(kit, room: Room, c: cmd.Transfer, at_ms: int) -> tuple | Rejected:
    refused = _not_host(room, c.player) or _taken(room, c.seat)
    return refused or (ev.HostChanged(room.seats[c.seat].player, at_ms=at_ms),)


def move(kit, room: Room, c: cmd.Move, at_ms: int) -> tuple | Rejected:
    seat = _seated(room, c.player)
    if isinstance(seat, Rejected):
        return seat
    refused = _not_free(room, c.seat)
    return refused or (ev.SeatChanged(seat, c.seat, at_ms=at_ms), *_stop(room, at_ms))


def swap(kit, room: Room, c: cmd.Swap, at_ms: int) -> tuple | Rejected:
    refused = _not_host(room, c.player) or _taken(room, c.seat) or _taken(room, c.other, "other")
    if refused:
        return refused
    if c.seat == c.other:
        return Rejected("seat_taken", Detail(field="other", expected="another seat", got=c.other))
    return (ev.SeatChanged(c.seat, c.other, at_ms=at_ms), *_stop(room, at_ms))


def ready(kit, room: Room, c: cmd.Ready, at_ms: int) -> tuple | Rejected:
    seat = _seated(room, c.player)
    if isinstance(seat, Rejected):
        return seat
    changed = () if room.seats[seat].ready == c.ready else (ev.ReadySet(seat, c.ready, at_ms=at_ms),)
    return changed if c.ready else (*changed, *_stop(room, at_ms))


def promise(kit, room: Room, c: cmd.Promise, at_ms: int) -> tuple | Rejected:
    seat = _seated(room, c.player)
    if isinstance(seat, Rejected):
        return seat
    return (ev.Promised(seat, c.nonce_hash, at_ms=at_ms),)


def configure(kit, room: Room, c: cmd.Configure, at_ms: int) -> tuple | Rejected:
    refused = _not_host(room, c.player)
    if refused:
        return refused
    options = room.options if c.options is None else c.options
    read = read_options(kit.game, options)
    if isinstance(read, Rejected):
        return read
    settings = room.settings if c.settings is None else c.settings
    return (ev.Configured(options, settings, at_ms=at_ms), *_stop(room, at_ms))


def touch(kit, room: Room, c: cmd.Touch, at_ms: int) -> tuple | Rejected:
    if room.seat_of(c.player) is None and room.host != c.player:
        return Rejected("no_seat")
    return (ev.Touched(at_ms=at_ms),) if room.phase in (LOBBY, OVER) else ()


def start(kit, room: Room, c: cmd.Start, at_ms: int) -> tuple | Rejected:
    """The Start record at once, or a countdown to it; starting again during the countdown changes nothing."""
    refused = _not_host(room, c.player)
    if refused:
        return refused
    started = start_record(kit, room, at_ms)
    if isinstance(started, Rejected) or not room.settings.countdown_s:
        return started
    if room.counting_ms:
        return ()
    return (ev.CountdownStarted(at_ms + room.settings.countdown_s * 1000, at_ms=at_ms),)


def start_record(kit, room: Room, at_ms: int) -> tuple | Rejected:
    """The `started` event for the people seated now, or why they cannot start."""
    taken = tuple(index for index, seat in enumerate(room.seats) if seat is not None)
    if len(taken) < kit.game.seats_min:
        counts = tuple(range(kit.game.seats_min, kit.game.seats_max + 1))
        return Rejected("not_enough_players", Detail(field="seats", expected=counts, got=len(taken)))
    options = read_options(kit.game, room.options, taken)
    if isinstance(options, Rejected):
        return options
    seats = [room.seats[index] for index in taken]
    started = ev.Started(
        room.id,
        at_ms,
        room.game,
        room.rules_version,
        room.options,
        room.settings,
        tuple(seat.player for seat in seats),
        room.commitment,
        tuple(seat.nonce_hash for seat in seats),
        room.format,
    )
    return (started,)


def counted_down(kit, room: Room, at_ms: int) -> tuple:
    """The countdown is over: start, or stop when that became impossible."""
    started = start_record(kit, room, at_ms)
    return (ev.CountdownStopped(at_ms=at_ms),) if isinstance(started, Rejected) else started


def idle(kit, room: Room, at_ms: int) -> tuple:
    """Nobody did anything for long: first a warning, then the end."""
    if room.closes_ms:
        return (ev.Closed("idle"),)
    return (ev.IdleWarned(at_ms + room.settings.idle_s * 1000 // WARN_SHARE),)


def rematch(kit, room: Room, c: cmd.Rematch, at_ms: int) -> tuple | Rejected:
    """A vote; agreed when all players who are connected want it and they are enough for the game."""
    if room.phase != OVER:
        return Rejected("not_over")
    seat = room.seat_of(c.player)
    if seat is None:
        return Rejected("no_seat")
    if room.next_seated or room.seats[seat].rematch == c.want:
        return ()
    voted = ev.RematchVoted(seat, c.want, at_ms=at_ms)
    seats = [
        msgspec.structs.replace(s, rematch=c.want, connected=True) if i == seat else s for i, s in enumerate(room.seats)
    ]
    return (voted, *_agreed(kit, room, seats, at_ms))


def _agreed(kit, room: Room, seats, at_ms: int) -> tuple:
    here = [s for s in seats if s.connected]
    wanting = [s.player for s in here if s.rematch]
    if len(wanting) < len(here) or len(wanting) < kit.game.seats_min:
        return ()
    host = room.host if room.host in wanting else wanting[0]
    return (ev.RematchAgreed(host, tuple(wanting), at_ms=at_ms),)


def listed(room: Room | None, now_ms: int) -> bool:
    """Does this room belong on the list of public rooms? While it can be joined or watched.

    One that spectators see late stays until they have seen the end, or the list would tell it to them.
    """
    if room is None or not room.settings.public:
        return False
    if room.phase in (LOBBY, OPENING, PLAYING):
        return True
    late_ms = room.settings.delay_s * 1000
    return late_ms > 0 and now_ms < room.active_ms + late_ms


def reopening(kit, room: Room, secret: bytes) -> bytes:
    """The Open entry of the next game of a room that agreed on a rematch: same options and people, a new secret.

    It is played by the rules and written in the format of today.
    """
    command = cmd.Open(
        room.host,
        room.game,
        kit.game.rules_version,
        room.options,
        room.settings,
        commitment(secret),
        room.next_seated,
        room.banned,
        FORMAT,
        room.silenced,
        room.expelled,
    )
    return encode(command)


def agreed_by_presence(kit, room: Room, seat: int, connected: bool, at_ms: int) -> tuple:
    """Somebody left whose vote was waited for, or came back who had voted before: they may all have agreed now."""
    if room.phase != OVER or room.next_seated:
        return ()
    seats = [msgspec.structs.replace(s, connected=connected) if i == seat else s for i, s in enumerate(room.seats)]
    return _agreed(kit, room, seats, at_ms) if any(s.rematch for s in seats) else ()
