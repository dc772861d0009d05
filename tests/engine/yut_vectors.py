"""What the drawn table of the web client must agree with: every way over the board, and the moves of whole positions.

    python -m tests.engine.yut_vectors      write services/web/tests/fixtures/yut_moves.json

Positions come from games of random play with fixed seeds, so writing again changes nothing unless the game has changed. The
client has no part in the rules; it works out moves only where the server gives none (suggestions), and these hold it to them.
"""

import random
from pathlib import Path

import msgspec

from engine.game import SPECTATOR, Ctx, Seated
from engine.games.yut import GAME
from engine.games.yut.board import PATHS
from engine.games.yut.moves import automatic, moves
from engine.games.yut.types import Move, Options, Throw
from engine.rng import Rng
from schemas.base import encode

FIXTURE = Path(__file__).parents[2] / "services/web/tests/fixtures/yut_moves.json"
TABLES = (
    ({}, 2),
    ({"finishRule": "reach", "backdoFromDo": "finish", "stickModel": "fair"}, 3),
    ({"mode": "team", "pieces": 5, "stickModel": "fair"}, 4),
    ({"backdo": False, "pieces": 3}, 4),
)
POSITIONS_MAX = 60  # of one kind of table
AT_MS = 1_750_000_000_000


def positions(raw: dict, seats: int, seed: int) -> list[dict]:
    """Tables of one game as everybody sees them, each with the moves that only the seat in turn is told."""
    rnd = random.Random(seed)
    options = msgspec.convert(raw, Options)
    ctx = Ctx(AT_MS, Rng(rnd.randbytes(32)))
    state, events, found = GAME.new(options, seats), GAME.start(options, seats, ctx), []
    while len(found) < POSITIONS_MAX:
        for event in events:
            state = GAME.evolve(state, event)
        if state.phase == "finished":
            break
        if state.phase == "throw":
            action = Throw()
        else:
            told = moves(state)
            view = GAME.view(state, Seated(state.seat))
            assert view.legal_moves == tuple(told)
            found.append({"options": raw, "table": GAME.view(state, SPECTATOR), "moves": told})
            # Mostly as a timeout would, for captures and stacks; sometimes anything, for odd places.
            one = told[automatic(state, told)] if rnd.random() < 0.6 else rnd.choice(told)
            action = Move(one.throw_index, one.from_)
        events = GAME.decide(state, state.seat, action, ctx)
    return found


def fixture() -> bytes:
    paths = [
        {"from": start, "steps": steps, "path": ways[steps]} for start, ways in PATHS.items() for steps in range(1, 6)
    ]
    tables = [one for number, (raw, seats) in enumerate(TABLES) for one in positions(raw, seats, number)]
    lines = [b'{"paths": [']
    lines += [b",\n".join(map(encode, paths)), b'], "tables": [', b",\n".join(map(encode, tables)), b"]}"]
    return b"\n".join(lines) + b"\n"


if __name__ == "__main__":
    FIXTURE.parent.mkdir(exist_ok=True)
    FIXTURE.write_bytes(fixture())
    print(f"{FIXTURE}: {FIXTURE.stat().st_size} bytes")
