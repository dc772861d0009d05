"""Rules of the table: command + room -> events or Rejected. Pure; time is the entry's, chance the game's key."""

from collections.abc import Callable
from typing import Any

import msgspec

from engine.chain import FORMAT
from engine.game import Ctx, Rejected, read_options
from engine.rng import NO_NONCE, Rng, commitment, derive_key
from engine.room import events as ev
from engine.room import host, lobby
from engine.room.deadline import AWAY_AFTER, due
from engine.room.state import CLOSED, LOBBY, OPENING, PLAYING, Chance, Room
from schemas import entry as cmd
from schemas.base import Detail, encode

AUTOMATIC_MAX = 10_000  # turns that are played to end a game whose log is full: far more than any game has

# (events, chance after) or Rejected
Outcome = tuple[tuple, Chance] | Rejected


def decide(kit, room: Room | None, chance: Chance, command: Any, private: bytes, at_ms: int, game_id: str) -> Outcome:
    """Judge one command. `private` is the decoded private field of its entry (b"" when none)."""
    if room is not None and room.phase == CLOSED:
        return Rejected("room_closed")
    if type(command) is cmd.Act:
        return _act(kit, room, chance, command, at_ms)
    if type(command) is cmd.Open:
        return _open(kit, room, chance, command, private, at_ms, game_id)
    if room is None:
        return Rejected("no_room")
    if type(command) is cmd.Nonce:
        return _nonce(kit, room, chance, command, private, at_ms)
    if type(command) is cmd.Timeout:
        return _timeout(kit, room, chance, command, at_ms)
    if type(command) is cmd.LogFull:
        return _log_full(kit, room, chance, at_ms)
    events = _PLAIN[type(command)](kit, room, command, at_ms)
    if isinstance(events, Rejected):
        return events
    if type(command) is cmd.Start:
        return _begin_if_ready(kit, room, chance, events, at_ms)
    return events, chance


def _drawn(events: tuple, ctx: Ctx, before: int) -> tuple:
    """The game's events, after checking that they record every value they drew. Raises AssertionError: a bug in the game."""
    drawn = 0
    for event in events:
        drawn += event.draws
    if drawn != ctx.rng.n - before:
        raise AssertionError(f"events record {drawn} draws, the decision used {ctx.rng.n - before}")
    return events


def _open(kit, room, chance, c: cmd.Open, private: bytes, at_ms: int, game_id: str) -> Outcome:
    if room is not None:
        return Rejected("not_in_lobby")
    options = read_options(kit.game, c.options)
    if isinstance(options, Rejected):
        return options
    if not kit.game.decides(c.rules_version):
        return Rejected("no_rules", Detail("rules_version", kit.game.rules_version, c.rules_version))
    if c.format > FORMAT:
        return Rejected("no_rules", Detail("format", FORMAT, c.format))
    if commitment(private) != c.commitment:
        return Rejected("bad_nonce", Detail(field="commitment"))
    opened = ev.Opened(
        game_id,
        c.player,
        kit.game.name,
        c.rules_version,
        c.options,
        c.settings,
        c.commitment,
        c.banned,
        c.format,
        c.silenced,
        c.expelled,
        at_ms=at_ms,
    )
    seated = tuple(ev.Seated(i, player, at_ms=at_ms) for i, player in enumerate(c.seated[: kit.game.seats_max]))
    return (opened, *seated), Chance(secret=private)


def _nonce(kit, room: Room, chance: Chance, c: cmd.Nonce, private: bytes, at_ms: int) -> Outcome:
    seat = room.seat_of(c.player)
    if seat is None:
        return Rejected("no_seat")
    if room.phase != OPENING or room.seats[seat].opened:
        return Rejected("not_opening")
    if at_ms >= due(kit, room).at_ms:
        return Rejected("deadline_passed")
    if commitment(private) != room.seats[seat].nonce_hash:
        return Rejected("bad_nonce")
    chance = msgspec.structs.replace(chance, nonces={**chance.nonces, seat: private})
    return _begin_if_ready(kit, room, chance, (ev.NonceOpened(seat),), at_ms)


def _begin_if_ready(kit, room: Room, chance: Chance, events: tuple, at_ms: int, force: bool = False) -> Outcome:
    """Append `began` and the deal once every promised nonce is open, or the time for it is over (`force`)."""
    after = kit.evolve(room, events)
    if after.phase != OPENING:
        return events, chance
    waiting = due(kit, after).seats
    if waiting and not force:
        return events, chance
    nonces = tuple(chance.nonces.get(index, NO_NONCE) for index in range(len(after.seats)))
    key = derive_key(chance.secret, room.id, nonces)
    chance = msgspec.structs.replace(chance, key=key)
    options = kit.options(room.options)
    ctx = _ctx(room, key, 0, at_ms)
    deal = _drawn(kit.game.start(options, len(after.seats), ctx), ctx, 0)
    return (*events, ev.Began(waiting), *deal), chance


def _ctx(room: Room, key: bytes, draws: int, at_ms: int) -> Ctx:
    return Ctx(at_ms, Rng(key, draws), room.settings.keep_order, room.rules_version)


def _act(kit, room: Room | None, chance: Chance, c: cmd.Act, at_ms: int) -> Outcome:
    if room is None or room.phase != PLAYING:
        return Rejected("not_playing")
    seat = c.seat
    if seat >= len(room.seats) or room.seats[seat].player != c.player:
        return Rejected("not_your_seat", Detail(field="seat", got=seat))
    now = due(kit, room)
    try:
        action = kit.decode_action(c.action)
    except msgspec.MsgspecError as error:
        action = Rejected("bad_action", Detail(field="action", expected=str(error)))
    # Giving up is never too late for a turn. In format 1 it was, and those logs are decided as they were.
    if room.format < 2 or type(action) not in kit.game.any_time:
        if c.turn is not None and c.turn != now.turn:
            return Rejected("stale_turn", Detail(field="turn", expected=now.turn, got=c.turn))
        if c.after is not None and c.after < room.changed[seat]:
            return Rejected("stale_view", Detail(field="after", expected=room.changed[seat], got=c.after))
    if now.at_ms is not None and at_ms >= now.at_ms and seat in now.seats:
        return Rejected("deadline_passed")
    if isinstance(action, Rejected):
        return action
    ctx = _ctx(room, chance.key, room.draws, at_ms)
    events = kit.game.decide(room.state, seat, action, ctx)
    if isinstance(events, Rejected):
        return events
    _drawn(events, ctx, room.draws)
    if room.seats[seat].autos:
        events = (ev.Back(seat), *events)
    return events, chance


def _connected(kit, room: Room, c: cmd.Connected, at_ms: int) -> tuple | Rejected:
    seat = room.seat_of(c.player)
    if seat is None:
        return Rejected("no_seat")
    if room.seats[seat].connected:
        return ()
    return (ev.Connected(seat), *lobby.agreed_by_presence(kit, room, seat, True, at_ms))


def _disconnected(kit, room: Room, c: cmd.Disconnected, at_ms: int) -> tuple | Rejected:
    seat = room.seat_of(c.player)
    if seat is None:
        return Rejected("no_seat")
    if not room.seats[seat].connected:
        return ()
    return (ev.Disconnected(seat, at_ms), *lobby.agreed_by_presence(kit, room, seat, False, at_ms))


def _timeout(kit, room: Room, chance: Chance, c: cmd.Timeout, at_ms: int) -> Outcome:
    """A deadline may be over: judge whether it is, then do what it was set for."""
    now = due(kit, room)
    if now is None or c.turn != now.turn:
        return Rejected("stale_turn", Detail(field="turn", got=c.turn))
    if now.at_ms is None or at_ms < now.at_ms:
        return Rejected("not_due")
    if room.phase == PLAYING:
        away = tuple(i for i in now.seats if room.seats[i].autos + 1 >= AWAY_AFTER and not room.seats[i].away)
        timed_out = ev.TimedOut(now.turn, now.seats, "absent" if now.absent else "deadline", away)
        ctx = _ctx(room, chance.key, room.draws, at_ms)
        return (timed_out, *_drawn(kit.game.timeout(room.state, ctx), ctx, room.draws)), chance
    if room.phase == OPENING:
        return _begin_if_ready(kit, room, chance, (), at_ms, force=True)
    if room.phase == LOBBY and room.counting_ms:
        return _begin_if_ready(kit, room, chance, lobby.counted_down(kit, room, at_ms), at_ms)
    if room.next_seated:
        return (), chance  # whoever commits this opens the next game
    return lobby.idle(kit, room, at_ms), chance


def _house_away(kit, room: Room, c: cmd.HouseAway, at_ms: int) -> tuple | Rejected:
    """Clocks start anew. A countdown stops: those who wanted to start may not be here any more."""
    to_ms = min(c.to_ms, at_ms)
    if to_ms <= room.back_ms:
        return ()
    stopped = (ev.CountdownStopped(at_ms=at_ms),) if room.counting_ms and room.phase == LOBBY else ()
    return (ev.HouseAway(min(c.from_ms, to_ms), to_ms), *stopped)


def _log_full(kit, room: Room, chance: Chance, at_ms: int) -> Outcome:
    """The log is as long as it may get: what is left of the game is played automatically, and the room is over."""
    if room.phase != PLAYING:
        return (ev.Closed("log_full"),), chance
    game, state = kit.game, room.state
    ctx = _ctx(room, chance.key, room.draws, at_ms)
    events: list = [ev.LogFull()]
    for _ in range(AUTOMATIC_MAX):
        if game.result(state) is not None:
            return tuple(events), chance
        before = ctx.rng.n
        for event in _drawn(game.timeout(state, ctx), ctx, before):
            events.append(event)
            state = game.evolve(state, event)
    raise RuntimeError(f"{game.name} goes on after {AUTOMATIC_MAX} automatic turns")


def ending(kit, room: Room, chance: Chance, at_ms: int) -> tuple:
    """The events that follow when a game has its result or a room was closed; () otherwise. Every ending reveals the secret."""
    if room.phase == PLAYING:
        result = kit.game.result(room.state)
        if result is None:
            return ()
        # Through JSON, so that the live room equals the one folded from the stream (lists there, not tuples).
        return ev.GameOver(msgspec.json.decode(encode(result)), at_ms=at_ms), _revealed(room, chance)
    if room.phase == CLOSED and room.revealed is None:
        return (_revealed(room, chance),)
    return ()


def _revealed(room: Room, chance: Chance) -> ev.Revealed:
    seats = range(len(room.seats)) if room.state is not None else ()
    return ev.Revealed(chance.secret.hex(), tuple(chance.nonces.get(index, NO_NONCE).hex() for index in seats))


_PLAIN: dict[type, Callable[..., Any]] = {
    cmd.Join: lobby.join,
    cmd.Leave: lobby.leave,
    cmd.Configure: lobby.configure,
    cmd.Move: lobby.move,
    cmd.Swap: lobby.swap,
    cmd.Ready: lobby.ready,
    cmd.Promise: lobby.promise,
    cmd.Kick: lobby.kick,
    cmd.Transfer: lobby.transfer,
    cmd.Touch: lobby.touch,
    cmd.Rematch: lobby.rematch,
    cmd.Start: lobby.start,
    cmd.Lock: host.lock,
    cmd.Expel: host.expel,
    cmd.Silence: host.silence,
    cmd.Connected: _connected,
    cmd.Disconnected: _disconnected,
    cmd.HouseAway: _house_away,
}
