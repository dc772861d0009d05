"""Games that need no thinking: the same legal actions in every room, so that a bench measures the server and not a player."""

import secrets
from collections.abc import Iterator

import msgspec

from engine.fold import Entry, Position, advance
from engine.kit import Kit, kit
from engine.rng import commitment
from schemas import entry as cmd
from schemas.base import encode

T0 = 1_800_000_000_000
PLAYERS = ("bench-player-1", "bench-player-2")
BOXES = "ones twos threes fours fives sixes choice fourKind fullHouse smallStraight largeStraight yacht".split()
SETTINGS = cmd.Settings(keep_order=True)
OPTIONS = {"turnSeconds": None}


def opening(game: str = "yacht") -> tuple[bytes, str]:
    """(data, private) of an Open entry."""
    secret = secrets.token_bytes(32)
    command = cmd.Open(PLAYERS[0], game, kit(game).game.rules_version, OPTIONS, SETTINGS, commitment(secret))
    return encode(command), secret.hex()


def lobby() -> Iterator[tuple[int, bytes]]:
    """(seat, data) of the entries that seat two players and start."""
    yield 0, encode(cmd.Join(PLAYERS[0]))
    yield 1, encode(cmd.Join(PLAYERS[1]))
    yield 0, encode(cmd.Start(PLAYERS[0]))


def yacht_actions() -> Iterator[tuple[int, bytes]]:
    """(seat, data) of a whole two-player Yacht game: roll, hold, roll, score; 96 actions."""
    for box in BOXES:
        for seat, player in enumerate(PLAYERS):
            for action in (
                b'{"type":"roll"}',
                b'{"type":"set_hold","held":[true,true,false,false,false]}',
                b'{"type":"roll"}',
                b'{"type":"score","category":"%s"}' % box.encode(),
            ):
                yield seat, encode(cmd.Act(player, seat, msgspec.Raw(action)))


def started(game: str) -> tuple[Kit, Position, str]:
    """A game of two that has just been dealt, without Redis."""
    k = kit(game)
    data, private = opening(game)
    entries = [Entry(b"%d-0" % T0, data, private.encode())]
    entries += [Entry(b"%d-%d" % (T0, i + 1), data) for i, (_, data) in enumerate(lobby())]
    at, _ = advance(k, Position(), entries, "BENCH2/1")
    return k, at, "BENCH2/1"
