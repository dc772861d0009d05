"""A room for tests, in memory: given some commands, when one more comes at a time, then these events or this refusal.

`Table` keeps what the streams would keep (entries with their private parts, stored event bytes, parked records, chain
head), so that every test can also ask whether the log re-executes. Time stands still until a test moves it.
"""

import hashlib
from typing import Any

import msgspec
from msgspec.structs import replace

import engine.games
from engine.chain import FORMAT
from engine.fold import Decided, Entry, Position, Report, advance, entry_ms, fold, verify
from engine.game import Game, Viewer
from engine.kit import Kit, kit
from engine.rng import commitment
from engine.room import events as ev
from engine.room.deadline import Due, due
from engine.room.state import Room
from engine.room.view import RoomView, room_view
from schemas import entry as cmd
from schemas.base import encode

engine.games.add("tests.games.duel")

T0 = 1_750_000_000_000
SECRET = bytes(range(32))
CODE = "K7Q2MX"


def nonce_of(player: str) -> bytes:
    """The 32 bytes that a player's client drew."""
    return hashlib.sha256(f"nonce of {player}".encode()).digest()


class Table:
    """Game `n` of a room, opened by ann. `send` is the only way in; `at` moves the clock to that time first."""

    def __init__(
        self,
        game: str | Kit = "yacht",
        options: dict[str, Any] | None = None,
        *,
        keep_order: bool = True,
        secret: bytes = SECRET,
        n: int = 1,
        host: str = "ann",
        format: int = FORMAT,
    ) -> None:
        self.kit = kit(game) if isinstance(game, str) else game
        self.game: Game = self.kit.game
        self.game_id = f"{CODE}/{n}"
        self.at = Position()
        self.now, self.seq = T0, -1
        self.entries: list[Entry] = []
        self.events: list[bytes] = []
        self.parked: dict[bytes, str] = {}
        self.log: list[tuple[Position, Decided, Position]] = []
        self.secret = secret
        opened = cmd.Open(
            host,
            self.game.name,
            self.game.rules_version,
            options or {},
            cmd.Settings(keep_order=keep_order),
            commitment(secret),
            format=format,
        )
        self.opened = self.send(opened, private=secret)

    # --- when

    def send(
        self, command: cmd.AnyCommand | bytes, at: int | None = None, private: bytes = b"", origin: str = ""
    ) -> Decided:
        """Decide one command (or raw entry bytes)."""
        if at is not None and at != self.now:
            assert at > self.now, "the log's time never goes back"
            self.now, self.seq = at, -1
        self.seq += 1
        data = command if isinstance(command, bytes) else encode(command)
        entry = Entry(b"%d-%d" % (self.now, self.seq), data, private.hex().encode(), origin.encode())
        before = self.at
        self.at, (decided,) = advance(self.kit, before, (entry,), self.game_id)
        self.entries.append(entry)
        self.events += decided.event_bytes
        if decided.why:
            self.parked[entry.id] = decided.why
        self.log.append((before, decided, self.at))
        return decided

    def join(self, player: str, seat: int | None = None, nonce: bool = False, at: int | None = None) -> Decided:
        promise = commitment(nonce_of(player)) if nonce else None
        return self.send(cmd.Join(player, seat, promise), at)

    def start(self, player: str = "ann", at: int | None = None) -> Decided:
        return self.send(cmd.Start(player), at)

    def nonce(self, player: str, value: bytes | None = None, at: int | None = None) -> Decided:
        return self.send(cmd.Nonce(player), at, nonce_of(player) if value is None else value)

    def act(
        self, seat: int, action: Any, at: int | None = None, turn: int | None = None, after: int | None = None
    ) -> Decided:
        """An action of whoever holds `seat`, sent by that player."""
        raw = action if isinstance(action, bytes) else encode(action)
        return self.send(cmd.Act(self.room.seats[seat].player, seat, msgspec.Raw(raw), turn, after), at)

    def timeout(self, at: int | None = None, turn: int | None = None) -> Decided:
        """What the scheduler appends: for the turn that is due, at its time, unless told otherwise."""
        now = self.due
        if at is None and now is not None and now.at_ms is not None and now.at_ms > self.now:
            at = now.at_ms
        return self.send(cmd.Timeout(now.turn if turn is None else turn), at)

    def drop(self, player: str, at: int | None = None) -> Decided:
        return self.send(cmd.Disconnected(player), at)

    def back(self, player: str, at: int | None = None) -> Decided:
        return self.send(cmd.Connected(player), at)

    def seat_all(self, *players: str, nonce: bool = False) -> "Table":
        for player in players:
            assert self.join(player, nonce=nonce).code == "ok"
        return self

    def begin(self, *players: str) -> "Table":
        """Everyone sits down without a nonce, and the host starts."""
        self.seat_all(*players)
        assert self.start().code == "ok" and self.room.phase == "playing"
        return self

    # --- then

    @property
    def room(self) -> Room:
        assert self.at.room is not None
        return self.at.room

    @property
    def due(self) -> Due | None:
        return due(self.kit, self.at.room)

    def view(self, viewer: Viewer) -> RoomView:
        return room_view(self.kit, self.room, viewer)

    def verify(self, **changed: Any) -> Report:
        """Re-execute the log; `changed` replaces entries, events, parked or head by tampered ones."""
        log = {"entries": self.entries, "events": self.events, "parked": self.parked, "head": self.at.head} | changed
        return verify(self.kit, self.game_id, log["entries"], log["events"], log["parked"], log["head"])

    def check(self) -> None:
        """The log re-executes, and the state folded from stored events or a stored snapshot is the live one."""
        report = self.verify()
        assert report.ok, report
        assert report.room == self.at.room
        assert fold(self.kit, self.events) == self.at.room
        stored = self.kit.encode_room(self.room)
        loaded = self.kit.decode_room(stored)
        assert loaded == self.at.room and self.kit.encode_room(loaded) == stored


def tags(decided: Decided) -> list[str]:
    """Names of the events of an accepted entry."""
    assert decided.code == "ok", (decided.code, decided.detail)
    return [type(event).__struct_config__.tag for event in decided.events]


def said(decided: Decided) -> tuple:
    """The events of an accepted entry without the time of day that signs of life carry (which must be the entry's)."""
    assert decided.code == "ok", (decided.code, decided.detail)
    signs = [event for event in decided.events if isinstance(event, ev.Sign)]
    assert {event.at_ms for event in signs} <= {entry_ms(decided.entry.id)}
    return tuple(replace(event, at_ms=0) if event in signs else event for event in decided.events)
