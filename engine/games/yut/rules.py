"""What an action or a timeout leads to: command + state -> events, or Rejected (docs/rules.md).

Each decision makes its main event first (thrown, nak, moved, conceded), folds it, and reads from the folded state
what follows: captures, finished sides, discarded results, the next turn. One decision gives the turn number one step.
"""

from typing import Any

from engine.game import Ctx, Deadline, Rejected
from engine.games.yut import types as t
from engine.games.yut.board import trace
from engine.games.yut.fold import evolve
from engine.games.yut.moves import automatic, moves, stack_on
from engine.games.yut.throw import AGAIN, throw
from engine.games.yut.types import GOAL, HOME, Options, State
from schemas.base import Detail


def start(options: Options, seats: int, ctx: Ctx) -> tuple:
    """The deal: which side begins, drawn unless the room keeps its order (then seat 0)."""
    sides = 2 if options.mode == "team" else seats
    first, draws = (0, 0) if ctx.keep_order else (ctx.rng.below(sides), 1)
    return (t.TurnChanged(first, first, 1, ctx.at_ms, draws=draws),)


def decide(state: State, seat: int, action: Any, ctx: Ctx) -> tuple | Rejected:
    """Events of `action`, or why it is refused."""
    if state.phase == "finished":
        return Rejected("not_playing")
    if not 0 <= seat < state.seats:
        return Rejected("no_seat", Detail(field="seat", expected=f"0..{state.seats - 1}", got=seat))
    if type(action) is t.Concede:
        return _concede(state, seat, ctx)
    if seat != state.seat:
        return Rejected("not_your_turn", Detail(field="seat", expected=state.seat, got=seat))
    if type(action) is t.Throw:
        if state.phase != "throw":
            return Rejected("cannot_throw", Detail(field="type", expected="move", got="throw"))
        return _throw(state, ctx, False)
    if state.phase != "move":
        return Rejected("throw_first", Detail(field="type", expected="throw", got="move"))
    return _move(state, action.throw_index, action.from_, ctx, False)


def timeout(state: State, ctx: Ctx) -> tuple:
    """What happens in place of the seat in turn."""
    if state.phase == "throw":
        return _throw(state, ctx, True)
    found = moves(state)
    chosen = found[automatic(state, found)]
    events = _move(state, chosen.throw_index, chosen.from_, ctx, True)
    assert not isinstance(events, Rejected), events
    return events


def legal(state: State, seat: int) -> tuple:
    """Every action that `decide` accepts from `seat` now."""
    if state.phase == "finished" or not 0 <= seat < state.seats or _cannot_concede(state, seat):
        return ()
    concede = (t.Concede(),)
    if seat != state.seat:
        return concede
    if state.phase == "throw":
        return (t.Throw(), *concede)
    return (*[t.Move(move.throw_index, move.from_) for move in moves(state)], *concede)


def deadline(state: State) -> Deadline | None:
    """Each action has its own turn number and clock."""
    if state.phase == "finished" or not state.turn:
        return None
    seconds = state.options.turn_seconds
    at_ms = None if seconds is None else state.since_ms + seconds * 1000
    return Deadline(state.turn, (state.seat,), state.since_ms, at_ms)


def _throw(state: State, ctx: Ctx, auto: bool) -> tuple:
    before = ctx.rng.n
    thrown = throw(state.options, ctx.rng)
    draws = ctx.rng.n - before
    turn = state.turn + 1
    if thrown is None:
        main = t.Nak(state.seat, turn, ctx.at_ms, draws=draws, auto=auto)
    else:
        sticks, result = thrown
        owed = 1 if result in AGAIN else 0
        main = t.Thrown(state.seat, sticks, result, turn, ctx.at_ms, owed, draws=draws, auto=auto)
        if owed:
            return (main,)
    return (main, *_settle(evolve(state, main)))


def _move(state: State, index: int, start: int | str, ctx: Ctx, auto: bool) -> tuple | Rejected:
    pending = state.pending
    if index >= len(pending):
        return Rejected("no_such_throw", Detail(field="throw_index", expected=f"0..{len(pending) - 1}", got=index))
    outcome = pending[index]
    mine = state.side_of(state.seat)
    side = state.sides[mine]
    stack = stack_on(side, start)
    if start == HOME:
        count, trail = 1, ()
        if outcome == "backdo":
            return Rejected("cannot_move", Detail(field="from", expected="a piece on the board for backdo", got=start))
        if not side.home:
            return Rejected("cannot_move", Detail(field="from", expected="a piece at home", got=start))
    elif stack is None:
        return Rejected("cannot_move", Detail(field="from", expected="a node with own pieces", got=start))
    else:
        count, trail = stack.count, stack.trail
    options = state.options
    reach, finish = options.finish_rule == "reach", options.backdo_from_do == "finish"
    path, cut, out = trace(start, trail, outcome, reach, finish)
    to = GOAL if out else path[-1]
    main = t.Moved(mine, index, outcome, start, to, path, count, state.turn + 1, ctx.at_ms, cut, auto=auto)
    after = evolve(state, main)
    if out:
        return (main, *_out(after, mine, count))
    for victim, other in enumerate(state.sides):
        if victim != mine and (hit := stack_on(other, to)):
            bonus = outcome != "backdo" or options.backdo_capture_bonus is not False
            captured = t.Captured(mine, victim, to, hit.count, bonus)
            return (main, captured) if bonus else (main, captured, *_settle(evolve(after, captured)))
    if own := stack_on(side, to):
        return (main, t.Stacked(mine, to, own.count + count), *_settle(after))
    return (main, *_settle(after))


def _out(after: State, mine: int, count: int) -> tuple:
    """What follows when `count` pieces went out."""
    side = after.sides[mine]
    finished = t.FinishedPieces(mine, count, side.done)
    if side.done < after.options.pieces:
        return (finished, *_settle(after))
    rank = 1 + sum(1 for other in after.sides if other.rank)
    others = [i for i in _playing(after) if i != mine]
    over = after.options.ranking != "all" or len(others) < 2
    done = t.SideFinished(mine, rank, over)
    if over:
        return finished, done
    return finished, done, _next_turn(evolve(after, done))


def _settle(state: State) -> tuple:
    """The end of a throw or move without another throw: discard what cannot be played, pass the turn when nothing is
    left.

    Only backdo can be unplayable, and only while the side has nothing on the board.
    """
    if not state.pending:
        return (_next_turn(state),)
    if state.sides[state.side_of(state.seat)].stacks or any(outcome != "backdo" for outcome in state.pending):
        return ()
    return t.Discarded(state.pending), _next_turn(state)


def _cannot_concede(state: State, seat: int) -> Rejected | None:
    side = state.sides[state.side_of(seat)]
    if seat in state.conceded:
        return Rejected("already_conceded")
    return Rejected("already_finished") if side.rank else None


def _concede(state: State, seat: int, ctx: Ctx) -> tuple | Rejected:
    """Out of turn it changes neither turn nor clock. In turn, what is pending is lost and the turn passes."""
    if rejected := _cannot_concede(state, seat):
        return rejected
    mine = state.side_of(seat)
    members = range(mine, state.seats, 2) if state.lasts else (seat,)
    loyal = [member for member in members if member != seat and member not in state.conceded]
    out = not loyal or state.options.team_concede == "anyone"
    over = out and len(_playing(state)) <= 2
    main = t.Conceded(seat, mine, out, over)
    if over or seat != state.seat:
        return (main,)
    after = evolve(state, main)
    return main, _next_turn(after, state.turn + 1, ctx.at_ms)


def _playing(state: State) -> list[int]:
    return [i for i, side in enumerate(state.sides) if not side.rank and not side.out]


def _next_turn(state: State, turn: int | None = None, since_ms: int | None = None) -> t.TurnChanged:
    """The turn passes; the number and clock are those the main event has set, unless given."""
    seat = next_seat(state)
    if turn is None:
        turn, since_ms = state.turn, state.since_ms
    return t.TurnChanged(seat, state.side_of(seat), turn, since_ms)


def next_seat(state: State) -> int:
    """Who plays after state.seat: the next side still playing by seat number.

    In a team game the sides keep alternating, and each goes on with its next member, after the one that had its
    latest turn, who has not conceded. The game goes on, so there is one.
    """
    n = state.seats
    if not state.lasts:
        sides = state.sides
        for k in range(1, n + 1):
            seat = (state.seat + k) % n
            if not sides[seat].rank and not sides[seat].out:
                return seat
    else:
        latest = state.lasts[1 - (state.seat & 1)]
        for k in range(2, n + 2, 2):
            seat = (latest + k) % n
            if seat not in state.conceded:
                return seat
    raise AssertionError("nobody is left to play")
