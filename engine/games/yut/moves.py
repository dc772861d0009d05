"""Which moves there are, what each does, and which one a timeout makes: `legal`, view, hint and timeout all ask here."""

from engine.games.yut.board import DISTANCE, STEPS, trace
from engine.games.yut.types import GOAL, HOME, LegalMove, Side, Stack, State


def stack_on(side: Side, node: int | str) -> Stack | None:
    """The side's stack on a node, None when it has none there."""
    for stack in side.stacks:
        if stack.node == node:
            return stack
    return None


def moves(state: State) -> list[LegalMove]:
    """Every move of the seat in turn, by throw, then node, home last; [] outside the move phase."""
    if state.phase != "move":
        return []
    mine = state.side_of(state.seat)
    side = state.sides[mine]
    options = state.options
    reach, finish = options.finish_rule == "reach", options.backdo_from_do == "finish"
    enemies = {s.node: s.count for i, other in enumerate(state.sides) if i != mine for s in other.stacks}
    own = {s.node: s.count for s in side.stacks}
    starts = [(s.node, s.trail, s.count) for s in side.stacks]
    starts.sort()
    if side.home:
        starts.append((HOME, (), 1))
    found = []
    for index, outcome in enumerate(state.pending):
        for node, trail, count in starts:
            if outcome == "backdo" and node == HOME:
                continue
            path, _, out = trace(node, trail, outcome, reach, finish)
            if out:
                found.append(LegalMove(index, node, GOAL, path, 0, count))
            else:
                to = path[-1]
                found.append(LegalMove(index, node, to, path, enemies.get(to, 0), 0, own.get(to, 0)))
    return found


def automatic(state: State, found: list[LegalMove]) -> int:
    """Index in `found` (not empty) of the move that a timeout makes (docs/rules.md).

    (1) captures, more pieces first; (2) pieces go out; (3) own pieces are joined; (4) the stack farthest behind, with
    the largest result; (5) a piece from home. Equal ones: lower throw index, then lower node, home last: the order of
    `found`.
    """
    pending = state.pending

    def order(move: LegalMove) -> tuple[int, int, int]:
        if move.captures:
            return 1, -move.captures, 0
        if move.finishes:
            return 2, 0, 0
        if move.joins:
            return 3, 0, 0
        if move.from_ != HOME:
            return 4, -DISTANCE[move.from_], -STEPS[pending[move.throw_index]]
        return 5, 0, 0

    keys = [order(move) for move in found]
    return keys.index(min(keys))
