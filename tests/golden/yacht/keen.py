"""A player who wants five alike, for logs with jokers in them."""

from typing import Any

from engine.games.yacht import types as t
from engine.games.yacht.scoring import outcomes


def choose(state: t.State, moves: tuple) -> Any:
    """Hold the most frequent face until the third roll, then take the box that gives most, the yacht box first."""
    if not state.rolls:
        return t.Roll()
    often = max(state.dice, key=state.dice.count)
    hold = t.SetHold(tuple(face == often for face in state.dice))
    if state.rolls < t.ROLLS_MAX and state.dice.count(often) < 5:
        return hold if hold in moves else t.Roll()
    worth = outcomes(state.dice, state.sheets[str(state.current)], state.options)
    return t.Score(max(worth, key=lambda box: (worth[box].points == 50, worth[box].points, box)))
