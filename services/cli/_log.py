"""What the commands that read logs share: the way to Redis, names of games on the command line, words for events.

Words come from three places: the room's own events from here, a game's from an optional module `text` in its folder, and
what has neither is shown by its tag and fields. `text.line(event)` says one event, `text.board(view, options)` draws the
table. Both get only what the viewer may see: masked events, the game's view. A game without `text` can be replayed too.
"""

import asyncio
import importlib
import re
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from types import ModuleType
from typing import Any, NamedTuple

import click
import msgspec
from redis.exceptions import RedisError

from engine.game import Event
from engine.kit import Kit
from services.games import load_games
from services.settings import Settings, load_or_exit, redis_url_of
from services.store.check import complaint
from services.store.redis import Caller, Unreachable, connect

_ROOMS = "{p[0-9][0-9]}:r:??????"  # all rooms' hashes, for SCAN
_NAME = re.compile(r"([2-9A-HJ-NP-Z]{6})(?:/([1-9]\d{0,8}))?")


class Usage(click.ClickException):
    """What was asked for cannot be done: there is no such room, game or seat, or no server."""

    exit_code = 2


class GameName(NamedTuple):
    """n None: the room's current game."""

    room: str
    n: int | None

    def __str__(self) -> str:
        return self.room if self.n is None else f"{self.room}/{self.n}"


class GameNameType(click.ParamType):
    """K7Q2MX, or K7Q2MX/3 for its third game."""

    name = "CODE[/N]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> GameName:
        if isinstance(value, GameName):
            return value
        match = _NAME.fullmatch(value.strip().upper())
        if match is None:
            self.fail(f"{value!r}: expected a room code like K7Q2MX, or K7Q2MX/2 for its second game", param, ctx)
        return GameName(match[1], int(match[2]) if match[2] else None)


def run(job: Callable[[Caller, Settings], Awaitable[int]]) -> None:
    """Run a command's coroutine against the installation's Redis and end the process with what it returns."""
    settings = load_or_exit()
    load_games(settings)
    url = redis_url_of(settings)

    async def connected() -> int:
        caller = Caller(connect(url))
        try:
            return await job(caller, settings)
        finally:
            await caller.close()

    try:
        code = asyncio.run(connected())
    except (RedisError, *Unreachable) as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise Usage(complaint(error)) from None
    sys.exit(code)


async def all_rooms(caller: Caller) -> list[str]:
    """Codes of all rooms that are in the store, in order."""
    found = set()
    cursor = b"0"
    while True:
        cursor, page = await caller.call("SCAN", cursor, "MATCH", _ROOMS, "COUNT", 1000)
        found.update(name.rpartition(b":")[2].decode() for name in page)
        if cursor == b"0":
            return sorted(found)


def when(at_ms: int) -> str:
    """Stream time for people, in UTC."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(sep=" ", timespec="milliseconds")[:-6] + "Z"


def plain(text: str) -> str:
    """Text that other people wrote, safe for a terminal."""
    return "".join(letter if letter.isprintable() else "�" for letter in text)


def text_of(game: str, modules: tuple[str, ...]) -> ModuleType | None:
    """The game's `text` module; `modules` are the host's further games."""
    for package in (f"engine.games.{game}", *modules):
        name = f"{package}.text"
        try:
            if package in modules and importlib.import_module(package).GAME.name != game:
                continue
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name not in (name, package):
                raise
    return None


def _seats(seats: tuple[int, ...]) -> str:
    return ("seat " if len(seats) == 1 else "seats ") + ", ".join(map(str, seats))


_ROOM_WORDS: dict[str, Callable[[Any], str]] = {
    "opened": lambda e: f"lobby opened by {e.player}: {e.game}, rules version {e.rules_version}, {_json(e.options)}",
    "seated": lambda e: f"seat {e.seat} taken by {e.player}" + (" (with a nonce)" if e.nonce_hash else ""),
    "left": lambda e: f"seat {e.seat} left by {e.player}" + (" (sent away by the host)" if e.kicked else ""),
    "host_changed": lambda e: f"host is {e.player or 'whoever sits down next'}",
    "configured": lambda e: f"options are {_json(e.options)}, settings {_json(e.settings)}",
    "started": lambda e: f"game started: {', '.join(f'{i} {p}' for i, p in enumerate(e.seats))}; {e.commitment[:16]}…",
    "nonce_opened": lambda e: f"seat {e.seat} opened its nonce",
    "began": lambda e: "the dice are fixed" + (f"; {_seats(e.withheld)} kept the nonce" if e.withheld else ""),
    "connected": lambda e: f"seat {e.seat} is back",
    "disconnected": lambda e: f"seat {e.seat} lost the connection",
    "timed_out": lambda e: (
        f"turn {e.turn} of {_seats(e.seats)} ended by {'time' if e.cause == 'deadline' else 'absence'}"
        + (f"; away: {_seats(e.away)}" if e.away else "")
    ),
    "back": lambda e: f"seat {e.seat} plays again",
    "game_over": lambda e: f"game over: {_json(e.result)}",
    "revealed": lambda e: f"revealed: secret {e.secret}, nonces {', '.join(nonce[:16] + '…' for nonce in e.nonces)}",
}
_UNSAID = {"type", "draws", "auto", "at_ms"}


def words(event: Any, text: ModuleType | None) -> str:
    """One event as a line for people."""
    tag = event.__struct_config__.tag
    if isinstance(event, Event):
        line = _generic(tag, event) if text is None else text.line(event)
        return plain(line + (" (automatic)" if event.auto else ""))
    told = _ROOM_WORDS.get(tag)
    return plain(_generic(tag, event) if told is None else told(event))


def _generic(tag: str, event: Any) -> str:
    fields = msgspec.to_builtins(event)
    said = [f"{name}={_json(value)}" for name, value in fields.items() if name not in _UNSAID]
    return " ".join([tag.replace("_", " "), *said])


def drawing(k: Kit, view: Any, text: ModuleType | None, options: dict[str, Any]) -> str:
    """A RoomView for people: the game's own drawing of the table, else the view as JSON."""
    if text is not None and view.table is not msgspec.UNSET:
        return text.board(view.table, k.options(options))
    return msgspec.json.format(msgspec.json.encode(view), indent=2).decode()


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
