"""Yacht for a terminal: events in words, and the score table. For transcripts; the web client draws its own."""

from typing import Any

from msgspec import UNSET

from engine.games.yacht import types as t
from engine.games.yacht.scoring import rules_of


def line(event: t.AnyEvent) -> str:
    """One event in words."""
    return _LINES[type(event)](event)


def board(view: t.View, options: t.Options) -> str:
    """The sheet as a table, a column for each seat in playing order; `*` is the seat in turn, in () what a box would give."""
    current = None if view.current is UNSET else view.current
    preview = {} if view.preview is UNSET else view.preview
    rows = [["", *(f"{'*' if seat == current else ''}seat {seat}" for seat in view.order)]]
    rules = rules_of(options)
    for box in rules.boxes:
        rows.append([box, *(_cell(view, seat, box, preview if seat == current else {}) for seat in view.order)])
    bonuses = ["upper_bonus"] * (rules.upper_bonus > 0) + ["yacht_bonus"] * (rules.joker != "")
    for field in ("upper", *bonuses, "total"):
        name = field.replace("_", " ")
        rows.append([name, *(str(getattr(view.sheets[str(seat)], field)) for seat in view.order)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    table = ["  ".join([row[0].ljust(widths[0]), *map(_right, row[1:], widths[1:])]).rstrip() for row in rows]
    last = f"round {view.round} of {view.rounds}"
    if view.dice is not UNSET:
        dice = " ".join(f"[{face}]" if kept else str(face) for face, kept in zip(view.dice, view.held, strict=True))
        last += f", dice {dice} after roll {view.rolls_used}"
    if view.conceded:
        last += ", gave up: " + ", ".join(f"seat {seat}" for seat in view.conceded)
    return "\n".join([*table, last])


def _right(cell: str, width: int) -> str:
    return cell.rjust(width)


def _cell(view: t.View, seat: int, box: str, preview: dict[Any, int]) -> str:
    scores = view.sheets[str(seat)].scores
    if box in scores:
        return str(scores[box])
    return f"({preview[box]})" if box in preview else "."


def _rolled(e: t.Rolled) -> str:
    kept = sum(e.held)
    return f"seat {e.seat} rolled {' '.join(map(str, e.dice))}" + (f", {kept} of them held" if kept else "")


def _hold_changed(e: t.HoldChanged) -> str:
    kept = [str(index + 1) for index, held in enumerate(e.held) if held]
    return f"seat {e.seat} holds " + (f"dice {', '.join(kept)}" if kept else "nothing")


def _turn_changed(e: t.TurnChanged) -> str:
    limit = "" if e.at_ms is None else f", {(e.at_ms - e.since_ms) // 1000} s"
    return f"turn {e.turn}: seat {e.seat}{limit}"


_LINES = {
    t.Dealt: lambda e: "order of play: " + ", ".join(f"seat {seat}" for seat in e.order),
    t.Rolled: _rolled,
    t.HoldChanged: _hold_changed,
    t.Scored: lambda e: (
        f"seat {e.seat} scored {e.points} in {e.category}" + (f" and {e.bonus} more" if e.bonus else "")
    ),
    t.UpperBonus: lambda e: f"seat {e.seat} earned the upper bonus of {e.points}",
    t.RoundChanged: lambda e: f"round {e.round}",
    t.TurnChanged: _turn_changed,
    t.Conceded: lambda e: f"seat {e.seat} gave up, {len(e.zeroed)} boxes become 0",
}
