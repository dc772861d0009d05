"""What the options form of the web client must agree with: which options go together, and how many may play by them.

    python -m tests.engine.options_table      write services/web/tests/fixtures/options.json

The engine is asked about every value of every option, alone and beside every value of every other one. The client, which
is given nothing but GET /api/games, has to offer all that is taken here and nothing of what is refused.
"""

from itertools import combinations, product
from pathlib import Path
from typing import Any

import msgspec

from engine.game import Game, Rejected, read_options
from engine.games import find
from schemas.base import encode
from services.gateway.api import infos

FIXTURE = Path(__file__).parents[2] / "services/web/tests/fixtures/options.json"
GAMES = ("yacht", "yut")
USED = ("name", "seats_min", "seats_max", "options", "defaults", "fits", "seatings")  # by the form


def values(game: Game) -> dict[str, list]:
    """The values of every option by its name on the wire, without null."""
    properties = msgspec.json.schema(game.Options)["$defs"]["Options"]["properties"]
    return {name: [value for value in _of(schema) if value is not None] for name, schema in properties.items()}


def _of(schema: dict[str, Any]) -> list:
    if "anyOf" in schema:
        return [value for branch in schema["anyOf"] for value in _of(branch)]
    if "enum" in schema:
        return schema["enum"]
    if schema["type"] == "integer":
        return list(range(schema["minimum"], schema["maximum"] + 1))
    return {"boolean": [True, False], "null": []}[schema["type"]]


def choices(game: Game) -> list[dict[str, Any]]:
    """Every value alone, and every pair of values of two options."""
    known = values(game)
    alone = [{name: value} for name, listed in known.items() for value in listed]
    pairs = [{a: x, b: y} for a, b in combinations(known, 2) for x, y in product(known[a], known[b])]
    return alone + pairs


def counts(game: Game, options: dict[str, Any]) -> list[int]:
    """How many may start by these options."""
    seated = [tuple(range(n)) for n in range(game.seats_min, game.seats_max + 1)]
    return [len(seats) for seats in seated if not isinstance(read_options(game, options, seats), Rejected)]


def fixture() -> bytes:
    games = []
    for name in GAMES:
        game, tried = find(name), choices(find(name))
        refused = [one for one in tried if isinstance(read_options(game, one), Rejected)]
        seats = [[one, counts(game, one)] for one in tried if len(one) == 1 and one not in refused]
        told = msgspec.to_builtins(next(info for info in infos() if info.name == name))
        needed = {field: told[field] for field in USED}
        lines = b",\n".join(map(encode, refused))
        games.append(b'{"info": %s,\n"refused": [\n%s],\n"seats": %s}' % (encode(needed), lines, encode(seats)))
    return b"[" + b",\n".join(games) + b"]\n"


if __name__ == "__main__":
    FIXTURE.write_bytes(fixture())
    print(f"{FIXTURE}: {FIXTURE.stat().st_size} bytes")
