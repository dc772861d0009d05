"""Golden logs: whole games as they were decided once, to be decided again by every later release.

    python -m tests.golden.make [GAME …]        write the logs of these games (of all) for their present rules version

A game's folder holds `cases.json` (what to play; without it one game with default options) and a log for each case,
rules version and format, `<case>.v<rules version>.f<format>.jsonl` (without the format: 1). Everything in a log comes from
its case's name: secret, nonces, times, moves; so regenerating changes nothing unless the game has changed. A log that
changes under the same rules version means that running games would be decided otherwise: raise `rules_version` and keep
the old file. The diff is for a person to read.

Lines of a log: one head, one for each entry with what came of it, one foot. `data` and `events` are the stored bytes
themselves, set into the line as they are.
"""

import hashlib
import importlib
import sys
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

import engine.games
from engine import chain
from engine.fold import Entry
from engine.rng import Rng, commitment
from engine.room.deadline import Due, due
from schemas import entry as cmd
from schemas.base import encode
from tests.engine.room_kit import Table

HERE = Path(__file__).parent
ENTRIES_MAX = 5_000


class Case(Struct, frozen=True, forbid_unknown_fields=True):
    """What to play. `timeouts`, `drops`, `slips`: in a hundred steps, how many let the deadline pass, lose a connection
    (or get it back), or are refused. concede: after that many steps this seat gives up. withheld: seats that promise a
    nonce and do not open it. keen: moves are chosen by the folder's `keen.choose(state, moves)` and not by lot. salt:
    another game of the same kind, for cases that need luck.
    """

    name: str
    options: dict[str, Any] = {}
    players: int = 2
    keep_order: bool = False
    timeouts: int = 0
    drops: int = 0
    slips: int = 3
    concede: dict[str, int] = {}
    withheld: tuple[int, ...] = ()
    keen: bool = False
    salt: int = 0


class Head(Struct, frozen=True):
    game: str
    id: str
    rules_version: int


class Line(Struct, frozen=True, omit_defaults=True):
    """One entry and its outcome."""

    entry: str
    data: Raw
    code: str
    events: tuple[Raw, ...] = ()
    private: str = ""


class Foot(Struct, frozen=True):
    version: int
    head: str


class Log(Struct, frozen=True):
    head: Head
    lines: tuple[Line, ...]
    foot: Foot

    @property
    def entries(self) -> list[Entry]:
        return [Entry(one.entry.encode(), bytes(one.data), one.private.encode()) for one in self.lines]

    @property
    def events(self) -> list[bytes]:
        return [bytes(event) for one in self.lines for event in one.events]


def read(path: Path) -> Log:
    first, *middle, last = path.read_bytes().splitlines()
    lines = tuple(msgspec.json.decode(line, type=Line) for line in middle)
    return Log(msgspec.json.decode(first, type=Head), lines, msgspec.json.decode(last, type=Foot))


def cases(game: str) -> tuple[Case, ...]:
    path = HERE / game / "cases.json"
    if path.exists():
        return msgspec.json.decode(path.read_bytes(), type=tuple[Case, ...])
    return (Case("default", players=max(2, engine.games.find(game).seats_min)),)


def path_of(game: str, case: Case) -> Path:
    return HERE / game / f"{case.name}.v{engine.games.find(game).rules_version}.f{chain.FORMAT}.jsonl"


def play(game: str, case: Case) -> bytes:
    """The log of one case, the same bytes whenever and wherever it is played."""
    seed = f"{game}/{case.name}/{case.salt}".encode()
    table = Table(game, case.options, keep_order=case.keep_order, secret=hashlib.sha256(seed + b" secret").digest())
    players = [f"player{index}" for index in range(case.players)]
    nonces = {player: hashlib.sha256(seed + player.encode()).digest() for player in players}
    for index, player in enumerate(players):
        table.send(cmd.Join(player, None, commitment(nonces[player]) if index != 1 else None), table.now + 700)
    table.start()
    for index, player in enumerate(players):
        if index != 1 and index not in case.withheld:
            table.nonce(player, nonces[player], table.now + 40)
    if table.room.phase == "opening":
        table.timeout()
    chance = Rng(hashlib.sha256(seed + b" moves").digest())
    for number in range(ENTRIES_MAX):
        if table.room.phase == "over":
            return _written(table)
        step(table, case, chance, number)
    raise AssertionError(f"{game}/{case.name} does not end")


def step(table: Table, case: Case, chance: Rng, number: int) -> None:
    now = due(table.kit, table.room)
    assert now is not None
    for seat, after in case.concede.items():
        if number == after:
            table.act(int(seat), b'{"type":"concede"}', table.now + 1)
            return
    kind = chance.below(100)
    at = table.now + 400 + chance.below(1_600)
    if now.at_ms is not None and at >= now.at_ms:
        at = now.at_ms
        kind = 0 if not case.timeouts else kind
    if now.at_ms is not None and (kind < case.timeouts or at == now.at_ms):
        table.timeout()
    elif kind < case.timeouts + case.drops:
        seat = chance.below(len(table.room.seats))
        player = table.room.seats[seat]
        (table.drop if player.connected else table.back)(player.player, at)
    elif kind < case.timeouts + case.drops + case.slips:
        table.act(chance.below(len(table.room.seats)), b'{"type":"no_such_move"}', at)
    else:
        move(table, case, now, chance, at)


def move(table: Table, case: Case, now: Due, chance: Rng, at: int) -> None:
    """A legal move: each kind of action equally likely, giving up excepted."""
    seat = now.seats[chance.below(len(now.seats))]
    moves = table.game.legal(table.room.state, seat)
    if case.keen:
        keen = importlib.import_module(f"tests.golden.{table.game.name}.keen")
        table.act(seat, keen.choose(table.room.state, moves), at, now.turn)
        return
    kinds: dict[str, list] = {}
    for action in moves:
        kinds.setdefault(type(action).__struct_config__.tag, []).append(action)
    kinds.pop("concede", None)
    if not kinds:
        table.timeout(max(at, now.at_ms or at))
        return
    actions = kinds[sorted(kinds)[chance.below(len(kinds))]]
    table.act(seat, actions[chance.below(len(actions))], at, now.turn)


def _written(table: Table) -> bytes:
    lines = [encode(Head(table.game.name, table.game_id, table.game.rules_version))]
    for _, one, _ in table.log:
        assert not one.why, f"{one.entry} was parked: {one.why}"
        events = tuple(Raw(data) for data in one.event_bytes)
        lines.append(
            encode(Line(one.entry.id.decode(), Raw(one.entry.data), one.code, events, one.entry.private.decode()))
        )
    lines.append(encode(Foot(table.room.version, chain.text(table.at.head))))
    return b"\n".join(lines) + b"\n"


def main(names: list[str]) -> int:
    known = engine.games.games()
    if strange := [name for name in names if name not in known]:
        print(f"no such game: {', '.join(strange)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    for game in names or known:
        (HERE / game).mkdir(exist_ok=True)
        for case in cases(game):
            path, log = path_of(game, case), play(game, case)
            state = "new" if not path.exists() else "same" if path.read_bytes() == log else "CHANGED"
            path.write_bytes(log)
            print(f"{path.relative_to(HERE)}: {state}, {len(log)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
