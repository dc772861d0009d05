"""A Yacht table for tests: chosen dice, sheets filled by hand, and time that moves when told to."""

from typing import Any

from msgspec.structs import replace

from engine.game import Ctx, Rejected
from engine.games.yacht import GAME
from engine.games.yacht import types as t
from engine.rng import Rng

T0 = 1_700_000_000_000
FILLER = {"yacht": 50}  # what `full` writes into the boxes that a test only wants out of the way; others get 0


class Faces(Rng):
    """A generator that makes `die` show the given faces, and fails when it is asked for more."""

    def __init__(self, *faces: int) -> None:
        super().__init__(b"")
        self.faces = list(faces)

    def next(self) -> float:
        self.n += 1
        return (self.faces.pop(0) - 0.5) / 6


class Table:
    """A game in seat order; `do` folds what was accepted. `at_ms` is the time of the next action."""

    def __init__(self, seats: int = 2, **options: Any) -> None:
        self.options = t.Options(**options)
        assert GAME.check(self.options, tuple(range(seats))) is None
        self.at_ms = T0
        self.state = GAME.new(self.options, seats)
        self.events: tuple = ()
        self.fold(GAME.start(self.options, seats, Ctx(T0, Faces(), keep_order=True)))

    def fold(self, events: tuple) -> tuple:
        for event in events:
            self.state = GAME.evolve(self.state, event)
        self.events += events
        return events

    def do(self, action: Any, *faces: int, seat: int | None = None) -> Any:
        """The events, or Rejected. All `faces` must have been drawn."""
        ctx = Ctx(self.at_ms, Faces(*faces))
        answer = GAME.decide(self.state, self.state.current if seat is None else seat, action, ctx)
        if isinstance(answer, Rejected):
            return answer
        assert not ctx.rng.faces, "fewer dice were rolled than the test laid out"
        assert sum(event.draws for event in answer) == len(faces)
        return self.fold(answer)

    def roll(self, *faces: int) -> Any:
        return self.do(t.Roll(), *faces)

    def hold(self, *kept: int) -> Any:
        """Hold the dice at these indices."""
        return self.do(t.SetHold(tuple(i in kept for i in range(5))))

    def score(self, category: str, seat: int | None = None) -> Any:
        return self.do(t.Score(category), seat=seat)

    def play(self, dice: tuple, category: str) -> Any:
        """A whole turn: one roll that shows `dice`, then the box."""
        self.roll(*dice)
        return self.score(category)

    def timeout(self, *faces: int) -> tuple:
        ctx = Ctx(self.at_ms, Faces(*faces))
        return self.fold(GAME.timeout(self.state, ctx))

    def sheet(self, seat: int = 0) -> t.Sheet:
        return self.state.sheets[str(seat)]

    def fill(self, seat: int, **scores: int) -> None:
        """Writes boxes as if they had been played, without bonuses."""
        sheet = sheet_of(**{**self.sheet(seat).scores, **scores})
        left = self.state.left - (len(sheet.scores) - len(self.sheet(seat).scores))
        self.state = replace(self.state, left=left, sheets={**self.state.sheets, str(seat): sheet})

    def leave_open(self, seat: int, *categories: str) -> None:
        """Fills every box but these."""
        boxes = rows(self.options)
        self.fill(seat, **{box: FILLER.get(box, 0) for box in boxes if box not in categories})


def rows(options: t.Options) -> tuple:
    """The boxes of a rule set in table order."""
    ones = GAME.new(options, 1)
    rolled = replace(ones, turn=1, rolls=1, dice=(1, 2, 3, 4, 6))
    return tuple(GAME.view(rolled, None).preview)


def sheet_of(**scores: int) -> t.Sheet:
    upper = sum(points for box, points in scores.items() if box in t.UPPER)
    lower = sum(scores.values()) - upper
    return t.Sheet(scores, upper=upper, lower=lower, total=upper + lower)
