"""What the gateway itself has to know of a room: who sits where, who has to act, and who may watch, and how late.

All of it is public. It is read with the room and then followed from the public patches that touch it, so that routing an
update costs no read and hardly ever a decode.
"""

from typing import NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType

from engine.audience import PUBLIC
from engine.kit import Kit
from engine.room.deadline import due
from engine.room.state import LOBBY, OPENING, PLAYING, Room
from schemas.entry import Settings
from services.store.publication import Publication

Seats = dict[str, str]  # seat -> player


class Facts(NamedTuple):
    """`acting`: seats that have to act now. spectators, delay_s, locked: as in the room's settings.

    banned: who may not sit or talk; expelled: who may not watch either; silenced: whose talk is refused.

    host: when the room was read, and not followed; `strangers` needs no more.
    """

    seats: Seats
    acting: tuple[int, ...] = ()
    phase: str = ""
    spectators: bool = True
    delay_s: int = 0
    host: str = ""
    locked: bool = False
    banned: frozenset[str] = frozenset()
    expelled: frozenset[str] = frozenset()
    silenced: frozenset[str] = frozenset()

    @property
    def seated_only(self) -> bool:
        """Nobody without a seat may look. In the lobby all may, or nobody could join."""
        return not self.spectators and self.phase != LOBBY

    def bars(self, people: tuple[str, ...], seated: bool, new: bool) -> str:
        """The close code for a connection that may not be here, "" for all others. new: it comes in just now."""
        if seated:
            return ""
        if self.seated_only:
            return "no_spectators"
        if self.expelled and self.expelled.issuperset(people):
            return "kicked"
        return "locked" if new and self.locked and self.host not in people else ""

    @property
    def late(self) -> bool:
        """People without a seat see the room later than it happens."""
        return self.delay_s > 0 and self.phase != LOBBY


NOTHING = Facts({})


def number(game_id: str) -> int:
    """2 of `K7Q2MX/2`."""
    return int(game_id.partition("/")[2])


def facts_of(k: Kit, state: Room) -> Facts:
    """The facts of a room that was read."""
    seats = {str(seat): held.player for seat, held in enumerate(state.seats) if held is not None}
    now = due(k, state) if state.phase in (PLAYING, OPENING) else None
    settings = state.settings
    acting = now.seats if now is not None else ()
    return Facts(
        seats,
        acting,
        state.phase,
        settings.spectators,
        settings.delay_s,
        state.host,
        settings.locked,
        frozenset(state.banned),
        frozenset(state.expelled),
        frozenset(state.silenced),
    )


class _Seat(Struct):
    player: str | UnsetType = UNSET


class _Settings(Struct):
    spectators: bool | None | UnsetType = UNSET
    delay_s: int | None | UnsetType = UNSET
    locked: bool | None | UnsetType = UNSET


class _Patch(Struct):
    seats: dict[str, _Seat | None] | UnsetType = UNSET
    acting: tuple[int, ...] | None | UnsetType = UNSET
    phase: str | UnsetType = UNSET
    settings: _Settings | UnsetType = UNSET
    banned: tuple[str, ...] | None | UnsetType = UNSET
    expelled: tuple[str, ...] | None | UnsetType = UNSET
    silenced: tuple[str, ...] | None | UnsetType = UNSET


class _Update(Struct):
    patch: _Patch


_patch_of = msgspec.json.Decoder(_Update).decode
_TOUCHED = (b'"seats":', b'"acting":', b'"phase":', b'"settings":', b'"banned":', b'"expelled":', b'"silenced":')
_DEFAULT = Settings()


def follow_facts(facts: Facts, publication: Publication) -> Facts:
    """The facts after a publication; the same object when nothing about them changed."""
    frame = publication.updates.get(PUBLIC, b"")
    if not any(name in frame for name in _TOUCHED):
        return facts
    patch = _patch_of(frame).patch
    changed: dict = {}
    if patch.seats is not UNSET:
        seats = _reseated(facts.seats, patch.seats)
        if seats != facts.seats:
            changed["seats"] = seats
    if patch.acting is not UNSET:
        changed["acting"] = patch.acting or ()
    if patch.phase is not UNSET:
        changed["phase"] = patch.phase
    if patch.settings is not UNSET:
        for name in ("spectators", "delay_s", "locked"):
            value = getattr(patch.settings, name)
            if value is not UNSET:
                changed[name] = getattr(_DEFAULT, name) if value is None else value
    for name in ("banned", "expelled", "silenced"):
        people = getattr(patch, name)
        if people is not UNSET:
            changed[name] = frozenset(people or ())
    return facts._replace(**changed) if changed else facts


def _reseated(seats: Seats, changes: dict[str, _Seat | None]) -> Seats:
    after = dict(seats)
    for seat, change in changes.items():
        if change is None:
            after.pop(seat, None)
        elif change.player is not UNSET:
            after[seat] = change.player
    return after
