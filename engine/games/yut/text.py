"""Yut for a terminal: events in words, and the board so that a person can follow. For transcripts only."""

from msgspec import UNSET

from engine.games.yut import types as t

# The board as people draw it: start and goal (0) at the lower right, the ring counter-clockwise.
_ROWS = (
    (0, (10, 9, 8, 7, 6, 5), (0, 7, 14, 21, 28, 35)),
    (1, (25, 20), (6, 29)),
    (2, (11, 4), (0, 35)),
    (3, (26, 21), (12, 23)),
    (4, (12, 3), (0, 35)),
    (5, (22,), (18,)),
    (6, (13, 2), (0, 35)),
    (7, (23, 27), (12, 23)),
    (8, (14, 1), (0, 35)),
    (9, (24, 28), (6, 29)),
    (10, (15, 16, 17, 18, 19, 0), (0, 7, 14, 21, 28, 35)),
)
_SIDES = "ABCD"


def line(event: t.AnyEvent) -> str:
    """One event in words; sides are letters, places are the numbers on the board."""
    return _LINES[type(event)](event)


def board(view: t.View, options: t.Options) -> str:
    """The 29 places by number; where pieces stand, [side and how many] instead. Below, the sides and what is to be done."""
    lines = []
    for _, nodes, columns in _ROWS:
        text = ""
        for node, column in zip(nodes, columns, strict=True):
            spot = view.board.get(str(node))
            cell = f"{node:>2}" if spot is None else f"[{_SIDES[spot.side]}{spot.count}]"
            text = text.ljust(column) + cell
        lines.append(text)
    lines.append("")
    for number, side in view.sides.items():
        seats = ", ".join(map(str, side.seats))
        place = (
            f", place {side.rank}" if side.rank is not UNSET else ", out of the game" if side.out is not UNSET else ""
        )
        lines.append(
            f"{_SIDES[int(number)]} (seat {seats}): {side.home} at home, {side.done} of {options.pieces} out{place}"
        )
    if view.seat is not UNSET:
        todo = "throws" if view.phase == "throw" else "moves"
        results = f" with {', '.join(view.pending)}" if view.pending else ""
        lines.append(f"seat {view.seat} {todo}{results}")
    return "\n".join(lines)


def _thrown(e: t.Thrown) -> str:
    sticks = "".join(_stick(index, flat) for index, flat in enumerate(e.sticks))
    return f"seat {e.seat} threw {e.result} {sticks}" + (", throws again" if e.owed else "")


def _stick(index: int, flat: bool) -> str:
    """The marked stick shows its mark when it lies flat side up."""
    return ("x" if index == 0 else "o") if flat else "|"


def _moved(e: t.Moved) -> str:
    to = "out" if e.to == "goal" else f"to {e.to}"
    pieces = "a piece" if e.count == 1 else f"{e.count} pieces"
    return f"{_SIDES[e.side]} moved {pieces} by {e.result} from {e.from_} {to}"


def _captured(e: t.Captured) -> str:
    again = ", throws once more" if e.bonus else ""
    return f"{_SIDES[e.side]} captured {e.count} of {_SIDES[e.victim_side]} on {e.node}{again}"


_LINES = {
    t.TurnChanged: lambda e: f"turn {e.turn}: seat {e.seat} ({_SIDES[e.side]})",
    t.Thrown: _thrown,
    t.Nak: lambda e: f"seat {e.seat} threw nak",
    t.Moved: _moved,
    t.Stacked: lambda e: f"{_SIDES[e.side]} has {e.count} pieces together on {e.node}",
    t.Captured: _captured,
    t.FinishedPieces: lambda e: f"{_SIDES[e.side]} brought out {e.count}, {e.done} in all",
    t.Discarded: lambda e: f"lost, since nothing can move: {', '.join(e.throws)}",
    t.SideFinished: lambda e: f"{_SIDES[e.side]} has finished in place {e.rank}",
    t.Conceded: lambda e: f"seat {e.seat} gave up" + (f", {_SIDES[e.side]} is out" if e.out else ""),
}
