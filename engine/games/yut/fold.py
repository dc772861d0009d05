"""State from events: no rules, no chance. Written for speed: folding a log is mostly this file.

States are built positionally (field order of `State`), since a keyword copy costs several times as much.
"""

from engine.games.yut import types as t
from engine.games.yut.types import GOAL, HOME, OUTCOMES, Options, Side, Stack, State

_INDEX = {outcome: index for index, outcome in enumerate(OUTCOMES)}
_NO_THROWS = (0,) * len(OUTCOMES)


def new(options: Options, seats: int) -> State:
    """Before the deal. `lasts` is set so that the team cycle goes on from whichever seat the deal names first."""
    team = options.mode == "team"
    sides = (Side(options.pieces),) * (2 if team else seats)
    lasts = (0, seats - 1) if team else ()
    return State(options, seats, 0, 0, 0, "throw", 0, "", (), sides, "", (), lasts, (), _NO_THROWS)


def _counted(throws: tuple[int, ...], outcome: str) -> tuple[int, ...]:
    i = _INDEX[outcome]
    return throws[:i] + (throws[i] + 1,) + throws[i + 1 :]


def _turn_changed(s: State, e: t.TurnChanged) -> State:
    lasts = s.lasts
    if lasts:
        lasts = (lasts[0], e.seat) if e.side else (e.seat, lasts[1])
    return State(
        s.options,
        s.seats,
        e.turn,
        e.since_ms,
        e.seat,
        "throw",
        1,
        "turn",
        (),
        s.sides,
        s.last,
        s.sticks,
        lasts,
        s.conceded,
        s.throws,
    )


def _thrown(s: State, e: t.Thrown) -> State:
    owed = e.owed
    return State(
        s.options,
        s.seats,
        e.turn,
        e.since_ms,
        s.seat,
        "throw" if owed else "move",
        owed,
        e.result if owed else "",
        s.pending + (e.result,),
        s.sides,
        e.result,
        e.sticks,
        s.lasts,
        s.conceded,
        _counted(s.throws, e.result),
    )


def _nak(s: State, e: t.Nak) -> State:
    return State(
        s.options,
        s.seats,
        e.turn,
        e.since_ms,
        s.seat,
        "move",
        0,
        "",
        s.pending,
        s.sides,
        "nak",
        (),
        s.lasts,
        s.conceded,
        _counted(s.throws, "nak"),
    )


def _moved(s: State, e: t.Moved) -> State:
    sides, i = s.sides, e.side
    side = sides[i]
    start, to, count = e.from_, e.to, e.count
    home, done, trail, together = side.home, side.done, e.path, count
    stacks = []
    for stack in side.stacks:
        node = stack.node
        if node == start:
            trail = stack.trail[: len(stack.trail) - e.cut] + trail
        elif node == to:
            together += stack.count
        else:
            stacks.append(stack)
    if start == HOME:
        home -= count
    if to == GOAL:
        done += count
    else:
        stacks.append(Stack(to, together, trail))
    side = Side(home, done, tuple(stacks), side.captures, side.rank, side.out)
    j = e.throw_index
    return State(
        s.options,
        s.seats,
        e.turn,
        e.since_ms,
        s.seat,
        s.phase,
        s.owed,
        s.why,
        s.pending[:j] + s.pending[j + 1 :],
        sides[:i] + (side,) + sides[i + 1 :],
        s.last,
        s.sticks,
        s.lasts,
        s.conceded,
        s.throws,
    )


def _captured(s: State, e: t.Captured) -> State:
    sides = list(s.sides)
    victim, side = sides[e.victim_side], sides[e.side]
    left = tuple([stack for stack in victim.stacks if stack.node != e.node])
    sides[e.victim_side] = Side(victim.home + e.count, victim.done, left, victim.captures, victim.rank, victim.out)
    sides[e.side] = Side(side.home, side.done, side.stacks, side.captures + e.count, side.rank, side.out)
    phase, owed, why = ("throw", 1, "capture") if e.bonus else (s.phase, s.owed, s.why)
    return _with(s, phase, owed, why, s.pending, tuple(sides), s.conceded)


def _unchanged(s: State, e: t.Stacked | t.FinishedPieces) -> State:
    """`moved` has said it all; these are for whoever shows the move."""
    return s


def _discarded(s: State, e: t.Discarded) -> State:
    return _with(s, s.phase, s.owed, s.why, (), s.sides, s.conceded)


def _side_finished(s: State, e: t.SideFinished) -> State:
    i = e.side
    side = s.sides[i]
    side = Side(side.home, side.done, side.stacks, side.captures, e.rank, side.out)
    sides = s.sides[:i] + (side,) + s.sides[i + 1 :]
    return _with(s, "finished" if e.over else s.phase, 0, "", (), sides, s.conceded)


def _conceded(s: State, e: t.Conceded) -> State:
    sides, i = s.sides, e.side
    if e.out:
        side = sides[i]
        gone = 1 + sum(1 for other in sides if other.out)
        side = Side(s.options.pieces - side.done, side.done, (), side.captures, side.rank, gone)
        sides = sides[:i] + (side,) + sides[i + 1 :]
    conceded = s.conceded + (e.seat,)
    if e.over:
        return _with(s, "finished", 0, "", (), sides, conceded)
    return _with(s, s.phase, s.owed, s.why, s.pending, sides, conceded)


def _with(s: State, phase, owed, why, pending, sides, conceded) -> State:
    """`s` with what changes inside one turn."""
    return State(
        s.options,
        s.seats,
        s.turn,
        s.since_ms,
        s.seat,
        phase,
        owed,
        why,
        pending,
        sides,
        s.last,
        s.sticks,
        s.lasts,
        conceded,
        s.throws,
    )


_EVOLVE = {
    t.TurnChanged: _turn_changed,
    t.Thrown: _thrown,
    t.Nak: _nak,
    t.Moved: _moved,
    t.Stacked: _unchanged,
    t.Captured: _captured,
    t.FinishedPieces: _unchanged,
    t.Discarded: _discarded,
    t.SideFinished: _side_finished,
    t.Conceded: _conceded,
}


def evolve(state: State, event) -> State:
    """`state` after `event`."""
    return _EVOLVE[type(event)](state, event)
