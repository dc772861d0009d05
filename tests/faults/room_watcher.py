"""What must be true of a room after every step, seen as a client, a reader and an auditor see it.

The client has nothing but what was published and merges it; the reader takes the snapshot; the auditor folds the events.
All three must come to the same view for every audience, and no secret may have reached the client before the end.
"""

import json
import time
from collections import Counter

from engine.fold import fold, verify
from engine.game import SPECTATOR, Seated
from engine.kit import Kit, kit
from engine.patch import merge
from engine.room import events as ev
from engine.room.deadline import due
from engine.room.lobby import listed
from engine.room.state import Room
from engine.room.view import room_view
from schemas.base import encode
from services.cli.audit import audit_room
from services.store.keys import key, part_key
from services.store.listing import public_rooms
from services.store.publication import decode_publication
from services.store.read import events_between, read_log, read_room
from tests.store.party import Party

SEATS = range(5)
AUDIENCES = ("public", *map(str, SEATS))


class Game:
    """One game as far as the log has been read, and as a client that was told everything holds it."""

    def __init__(self) -> None:
        self.version = 0
        self.room: Room | None = None
        self.held: dict[str, dict] = {audience: {} for audience in AUDIENCES}
        self.told = 0
        self.left: set[str] = set()
        self.secret = ""


class Watcher:
    """outcomes: `<session>:<number>` -> "ok" or the reject code, as published."""

    def __init__(self, party: Party, since) -> None:
        self.party, self.since = party, since
        self.games: dict[str, Game] = {}
        self.waiting: dict[str, str] = {}
        self.outcomes: dict[str, str] = {}
        self.counts: Counter = Counter()

    def appended(self, origin: str, entry: str) -> None:
        assert origin not in self.waiting and origin not in self.outcomes
        self.waiting[origin] = entry

    def _decided(self, origin: str, code: str) -> None:
        assert origin in self.waiting, (origin, "decided twice, or never appended")
        del self.waiting[origin]
        self.outcomes[origin] = code
        self.counts[code] += 1

    async def look(self) -> None:
        """Everything is decided now; is it as it must be?"""
        p = self.party
        for data in await self.since():
            if not data.startswith((b"names", b"people ", b"said ")):
                await self._published(data)
        head, k, room = await read_room(p.caller, p.room)
        name = f"{p.room}/{head.n}"
        game = self.games.setdefault(name, Game())
        stream = await p.stream("a", head.n)
        assert head.cursor == stream[-1][0] and head.decided == len(stream), "entries are left undecided"
        assert not self.waiting, ("never answered", self.waiting)
        fresh = await events_between(p.caller, name, game.version, head.version)
        game.room, game.version = fold(k, fresh, game.room), head.version
        for event in map(k.decode_event, fresh):
            if isinstance(event, ev.Left):
                game.left.add(event.player)
        assert game.room == room, "the snapshot is not the fold of the events"
        self._views(k, game, name)
        self._people(game, room)
        now = due(k, room)
        score = await p.caller.call("ZSCORE", part_key("due", p.part), p.room)
        assert (None if score is None else int(float(score))) == (None if now is None else now.at_ms)
        wanted = [p.room] if listed(room, int(time.time() * 1000)) else []
        assert [code for code, _ in await public_rooms(p.caller)] in (wanted, [])

    async def _published(self, data: bytes) -> None:
        one = decode_publication(data)
        game = self.games.setdefault(one.game, Game())
        if not game.secret:
            (first,) = await self.party.caller.call("XRANGE", key("a", one.game), "-", "+", "COUNT", 1)
            game.secret = dict(zip(first[1][::2], first[1][1::2], strict=True))[b"p"].decode()
        if b'"type":"revealed"' not in data and "revealed" not in game.held["public"]:
            assert game.secret.encode() not in data, "the secret before the end"
        for session, frames in one.rejects.items():
            for frame in map(json.loads, frames):
                self._decided(f"{session}:{frame['id']}", frame["code"])
        if not one.updates:
            return
        assert one.from_version == game.told, (one.game, one.from_version, game.told, "a gap in what was published")
        game.told = one.version
        for audience in AUDIENCES:
            update = json.loads(one.updates.get(audience) or one.updates["public"])
            assert (update["from"], update["version"], update["game"]) == (one.from_version, one.version, one.game)
            game.held[audience] = merge(game.held[audience], update["patch"])
            if audience == "public":
                for session, number in update.get("done", ()):
                    self._decided(f"{session}:{number}", "ok")

    def _views(self, k: Kit, game: Game, name: str) -> None:
        assert game.told == game.version, (name, game.told, game.version, "not everything was published")
        for audience in AUDIENCES[: 1 + len(game.room.seats)]:
            viewer = SPECTATOR if audience == "public" else Seated(int(audience))
            view = json.loads(encode(room_view(k, game.room, viewer)))
            assert game.held[audience] == view, (name, audience)

    def _people(self, game: Game, room: Room) -> None:
        seated = [seat.player for seat in room.seats if seat is not None]
        view = game.held["public"]
        assert len(seated) == len(set(seated)), "somebody sits twice"
        assert [view["seats"][number]["player"] for number in sorted(view["seats"], key=int)] == seated
        assert view["host"] == room.host, "label and rights differ"
        assert not set(seated) & set(room.banned) and room.host not in room.banned
        gone = game.left - set(seated)
        assert room.host not in gone, "who left has the rights"
        assert room.phase in ("lobby", "closed") or None not in room.seats
        if room.next_seated:
            assert room.host in room.next_seated and set(room.next_seated) <= set(seated)

    async def finish(self) -> Counter:
        """The whole room once more, as an auditor who comes afterwards."""
        p = self.party
        n = int(await p.n)
        assert sorted(self.games) == sorted(f"{p.room}/{one}" for one in range(1, n + 1))
        last = b"0-0"
        for one in range(1, n + 1):
            log = await read_log(p.caller, p.room, one)
            assert not log.parked, (log.parked, [e for e in log.entries if e.id in log.parked])
            report = verify(log.kit, log.game_id, log.entries, log.events, log.parked, log.head)
            assert report.ok and log.head is not None, report
            self.counts.update(type(log.kit.decode_event(data)).__name__ for data in log.events)
            game = self.games[log.game_id]
            if game.version != len(log.events):  # the room moved on in the same step
                game.room, game.version = report.room, len(log.events)
            self._views(kit(report.room.game), game, log.game_id)
            ids = [entry.id for entry in log.entries]
            assert ids == sorted(ids, key=_order) and _order(last) < _order(ids[0]), "ids rise over the games of a room"
            last = ids[-1]
            assert [entry.data for entry in log.entries if b'"type":"open"' in entry.data] == [log.entries[0].data]
        for finding in await audit_room(p.caller, p.room, None, {}):
            assert finding.ok, finding
        self.counts["games"] += n
        return self.counts


def _order(entry_id: bytes) -> tuple[int, int]:
    ms, _, seq = entry_id.partition(b"-")
    return int(ms), int(seq)
