"""A game step by step, as one person may see it: what replay asks for (P6).

The view after n events is that of the fold of the first n stored events, and nothing else is folded: a game of older rules
is told like one of today's, as long as its events can still be read. A page begins at any event; where the last ones ended
is remembered, so that going on costs a page and not the game. Between pages and chunks other work gets its turn.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec import UNSET, Raw

from engine.audience import shown
from engine.fold import fold
from engine.game import SPECTATOR, Rejected, Seated, Viewer
from engine.games import games
from engine.kit import Kit, kit
from engine.patch import diff
from engine.room.events import Sign
from engine.room.state import LOBBY, Room
from engine.room.view import RoomView, room_view
from schemas.base import Detail
from schemas.bodies import STEPS_MAX, GameStep, GameSteps
from services.store.delayed import May, Readers, always, end_hidden, shown_by, shown_late
from services.store.evidence import decide_again, evidence, is_over
from services.store.keys import key
from services.store.read import Head, events_between, from_snapshot, game_of, read_head, read_log
from services.store.redis import Caller

FOLDED_TOGETHER = 500  # events folded between two looks at other work: some milliseconds
LANDMARK = 4 * FOLDED_TOGETHER
VIEWED_TOGETHER = 25  # and events of which views are made
KEPT_MAX = 256
AT_ONCE = 4


class Unreadable(Exception):
    """Stored events of which the rules at hand can make no state or no view; its cause is the fault."""


class Folded:
    """Where games were folded to lately, by (game, version). States are frozen, so any number of readers may go on from one."""

    def __init__(self) -> None:
        self._rooms: OrderedDict[tuple[str, int], Room] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rooms)

    def nearest(self, game_id: str, version: int) -> Room | None:
        """The latest known state of a game at or before `version`."""
        known = [place for place in self._rooms if place[0] == game_id and place[1] <= version]
        if not known:
            return None
        place = max(known)
        self._rooms.move_to_end(place)
        return self._rooms[place]

    def keep(self, game_id: str, room: Room) -> None:
        place = game_id, room.version
        self._rooms[place] = room
        self._rooms.move_to_end(place)
        if len(self._rooms) > KEPT_MAX:
            self._rooms.popitem(last=False)


class Seen(NamedTuple):
    """A game and what one person may see of it: events 1 … `upto` of `last`. state: after the last; seat: theirs, or None."""

    kit: Kit
    state: Room
    seat: int | None
    upto: int
    last: int


class History:
    """One per gateway. now_ms: the Redis server's time.

    All methods raise RedisError or Unreachable (see Caller), and Unreadable; with `may` (see Readers) TooManyReaders, too.
    """

    def __init__(self, caller: Caller, readers: Readers, now_ms: Callable[[], int]) -> None:
        self._caller = caller
        self._readers = readers
        self._now_ms = now_ms
        self._folded = Folded()
        self._turn = asyncio.Semaphore(AT_ONCE)

    def forget(self) -> None:
        """The server was away, and what it said last may be lost: nothing is remembered of it."""
        self._folded = Folded()
        self._readers.forget()

    async def steps(self, room: str, n: int, after: int, player: str = "", may: May = always) -> GameSteps | Rejected:
        """The steps after event `after` of game `n`, as `player` may see them; "" is nobody."""
        async with self._turn:
            return await self._steps(room, n, after, player, may)

    async def evidence(self, room: str, n: int, player: str = "", may: May = always) -> list[bytes] | Rejected:
        """The evidence of a finished game (docs/format.md) as lines, for whoever may see it to its end.

        Raises NotSound beside the others: the log does not re-execute.
        """
        async with self._turn:
            seen = await self._seen(room, n, player, may)
            if isinstance(seen, Rejected):
                return seen
            if not is_over(seen.state) or seen.upto < seen.last:
                return Rejected("not_over")
            log = await read_log(self._caller, room, n)
            if log is None:
                return _no_game(n)
            decided, report = await asyncio.to_thread(decide_again, log, seen.state)
            return evidence(log, seen.state, decided, report)

    async def _steps(self, room: str, n: int, after: int, player: str, may: May) -> GameSteps | Rejected:
        seen = await self._seen(room, n, player, may)
        if isinstance(seen, Rejected):
            return seen
        if after > seen.upto:
            return Rejected("bad_message", Detail("from", f"0 … {seen.upto}", after))
        return await self._page(seen.kit, f"{room}/{n}", after, seen.upto, seen.seat)

    async def _seen(self, room: str, n: int, player: str, may: May) -> "Seen | Rejected":
        head = await read_head(self._caller, room)
        if head is None or (head.n == 1 and not head.version):
            return Rejected("no_room")
        if not head.version:  # between two games nothing says how late the last one is to be seen
            return Rejected("unavailable")
        if head.game not in games():
            return _without_rules(head.game)
        k = kit(head.game)
        live = from_snapshot(k, head.snapshot, head.version)
        if live is None:
            live = await self._at(k, f"{room}/{head.n}", head.version)
        if n == head.n:
            own, last, state = k, head.version, live
        else:
            past = await self._past(f"{room}/{n}") if 1 <= n < head.n else None
            if past is None:
                return _no_game(n)
            name, last = past
            if name not in games():
                return _without_rules(name)
            own = kit(name)
            state = await self._at(own, f"{room}/{n}", last)

        seat = state.seat_of(player) if player else None
        upto = last
        if seat is None:
            if _closed_to(player, live) or _closed_to(player, state):
                return Rejected("no_spectators")
            upto = min(last, await self._shown(room, head, k, live, n, may))
            if not upto:
                return _no_game(n)
        return Seen(own, state, seat, upto, last)

    async def _past(self, game_id: str) -> tuple[str, int] | None:
        """Name and last version of a game that the room has left behind; None: nothing is kept of it."""
        events = key("e", game_id)
        first = await self._caller.call("XRANGE", events, "1-0", "1-0")
        last = await self._caller.call("XREVRANGE", events, "+", "-", "COUNT", 1)
        if not first:
            return None
        return game_of([first[0][1][1]], ""), int(last[0][0].partition(b"-")[0])

    async def _shown(self, room: str, head: Head, k: Kit, live: Room, n: int, may: May) -> int:
        """How many events of game `n` people without a seat in it may see now, if it has so many."""
        now_ms = self._now_ms()
        if await shown_late(self._caller, room, head, k, live, now_ms):
            reader = self._readers.of(room, may)
            await reader.advance(now_ms)
            upto = await shown_by(reader, n, now_ms)
            if upto is not None:
                return upto
        elif n < head.n and await end_hidden(self._caller, room, n, k, now_ms):
            return 0
        return 2**53

    async def _at(self, k: Kit, game_id: str, version: int) -> Room:
        room = self._folded.nearest(game_id, version)
        at = 0 if room is None else room.version
        while at < version:
            upto = min(version, at - at % FOLDED_TOGETHER + FOLDED_TOGETHER)
            room = _pure(fold, k, await events_between(self._caller, game_id, at, upto), room)
            at = upto
            if not at % LANDMARK:  # whoever asks backwards does not make each page cost the whole game
                self._folded.keep(game_id, room)
        assert room is not None
        self._folded.keep(game_id, room)
        return room

    async def _page(self, k: Kit, game_id: str, after: int, upto: int, seat: int | None) -> GameSteps:
        viewer = SPECTATOR if seat is None else Seated(seat)
        room = await self._at(k, game_id, after) if after else None
        base = None if room is None else _pure(room_view, k, room, viewer)
        seen = base
        steps: list[GameStep] = []
        for data in await events_between(self._caller, game_id, after, min(upto, after + STEPS_MAX)):
            room, seen, step = _pure(_step, k, room, seen, data, viewer)
            steps.append(step)
            if not len(steps) % VIEWED_TOGETHER:
                await asyncio.sleep(0)
        if room is not None:
            self._folded.keep(game_id, room)
        whose = UNSET if seat is None else seat
        return GameSteps(game_id, upto, after, tuple(steps), UNSET if base is None else base, whose)


def _pure(made: Callable[..., Any], *given: Any) -> Any:
    """What the rules make of stored events. They may be other rules than those that made the events."""
    try:
        return made(*given)
    except Exception as error:
        raise Unreadable from error


def _step(
    k: Kit, room: Room | None, seen: RoomView | None, data: bytes, viewer: Viewer
) -> tuple[Room, RoomView, GameStep]:
    """One event further: the room, its view and what is told of the step."""
    event = k.decode_event(data)
    after = k.evolve(room, (event,))
    view = room_view(k, after, viewer, None if room is None or seen is None else (room, seen))
    at_ms = event.at_ms if isinstance(event, Sign) and event.at_ms else UNSET
    told = tuple(map(Raw, shown(k, (event,), [data], viewer)))
    return after, view, GameStep(after.version, view if seen is None else diff(seen, view), told, at_ms)


def _closed_to(player: str, state: Room) -> bool:
    """Whether a game lets nobody watch and this is nobody who plays it. A lobby is open, or nobody could join."""
    return not state.settings.spectators and state.phase != LOBBY and state.seat_of(player) is None


def _no_game(n: int) -> Rejected:
    return Rejected("no_game", Detail("n", "the number of a game of this room", n))


def _without_rules(name: str) -> Rejected:
    return Rejected("no_rules", Detail("game", list(games()), name))
