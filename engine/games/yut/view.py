"""What everybody sees (nothing is hidden in Yut), and the result. Built field by field, never a stripped state.

Parts that repeat are made once and shared, so that a patch finds them unchanged by identity.
"""

from functools import lru_cache

from msgspec import UNSET

from engine.game import Seated, Viewer
from engine.games.yut.board import DISTANCE, trace
from engine.games.yut.moves import automatic, moves
from engine.games.yut.types import (
    GOAL,
    HOME,
    OUTCOMES,
    LastThrow,
    Place,
    Result,
    Side,
    SideView,
    Spot,
    State,
    Stats,
    View,
)

_NAMES = tuple(str(number) for number in range(29))
_spot = lru_cache(maxsize=4096)(Spot)
_last = lru_cache(maxsize=64)(LastThrow)


@lru_cache(maxsize=64)
def members(team: bool, seats: int, side: int) -> tuple[int, ...]:
    """The seats of a side."""
    return tuple(range(side, seats, 2)) if team else (side,)


@lru_cache(maxsize=4096)
def _side(seats: tuple[int, ...], home: int, done: int, rank: int, out: bool) -> SideView:
    return SideView(seats, home, done, rank or UNSET, True if out else UNSET)


def view(state: State, viewer: Viewer) -> View:
    """The table; for the seat in turn also its moves while it moves."""
    options = state.options
    team = bool(state.lasts)
    reach, finish = options.finish_rule == "reach", options.backdo_from_do == "finish"
    board, sides = {}, {}
    for i, side in enumerate(state.sides):
        seats = members(team, state.seats, i)
        sides[_NAMES[i]] = _side(seats, side.home, side.done, side.rank, side.out > 0)
        for stack in side.stacks:
            back = UNSET
            if options.backdo:
                path, _, out = trace(stack.node, stack.trail, "backdo", reach, finish)
                back = GOAL if out else path[-1]
            board[_NAMES[stack.node]] = _spot(i, stack.count, back)
    over = state.phase == "finished"
    legal_moves = hint = UNSET
    mine = state.phase == "move" and type(viewer) is Seated and viewer.seat == state.seat
    if mine and (
        found := moves(state)
    ):  # none between a move and the turn that follows it, which a replay looks at, too
        legal_moves, hint = tuple(found), automatic(state, found)
    return View(
        state.phase,
        state.owed,
        state.pending,
        board,
        sides,
        UNSET if over else state.seat,
        UNSET if over else state.side_of(state.seat),
        state.why or UNSET,
        _last(state.last, state.sticks or UNSET) if state.last else UNSET,
        state.conceded or UNSET,
        legal_moves,
        hint,
    )


def apart(state: State) -> tuple[int, ...]:
    """The seat in turn, while it alone sees its moves."""
    return (state.seat,) if state.phase == "move" else ()


def remaining(side: Side, reach: bool) -> int:
    """Fewest steps until all pieces of `side` are out; under "reach" one less for each."""
    steps = side.home * DISTANCE[HOME] + sum(stack.count * DISTANCE[stack.node] for stack in side.stacks)
    if reach:
        steps -= side.home + sum(stack.count for stack in side.stacks)
    return steps


def result(state: State) -> Result | None:
    """Places: finished sides as they finished, then those who were still playing by pieces out and distance (equal ones
    share a rank), then the eliminated, the last to go first."""
    if state.phase != "finished":
        return None
    reach = state.options.finish_rule == "reach"
    team = bool(state.lasts)

    def key(item: tuple[int, Side]) -> tuple[int, int, int]:
        side = item[1]
        if side.rank:
            return 0, side.rank, 0
        if side.out:
            return 2, -side.out, 0
        return 1, -side.done, remaining(side, reach)

    order = sorted(enumerate(state.sides), key=key)
    keys = [key(item) for item in order]
    ranking = tuple(
        Place(1 + keys.index(key(item)), item[0], members(team, state.seats, item[0]), item[1].done, left)
        for item in order
        for left in [remaining(item[1], reach)]
    )
    return Result(
        ranking,
        tuple(seat for place in ranking if place.rank == 1 for seat in place.seats),
        "finished" if any(side.rank for side in state.sides) else "conceded",
        Stats(
            dict(zip(OUTCOMES, state.throws, strict=True)),
            {_NAMES[i]: side.captures for i, side in enumerate(state.sides)},
        ),
    )
