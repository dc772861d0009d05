"""Goal: the options of a Yut table are closed (004 section 2). Here is also `Table`, which the other Yut tests play on.

A Table is a state set up by hand, dice fixed by naming outcomes, and every event folded as it happens.
"""

import msgspec
import pytest

from engine.game import Ctx, Rejected, Seated, read_options
from engine.games.yut import GAME
from engine.games.yut.types import HOME, Concede, Move, Options, Side, Stack, State, Throw
from engine.rng import Rng

NOW = 1_700_000_000_000

_INNER = {20: (5, 20), 21: (5, 20, 21), 22: (5, 20, 21, 22), 23: (5, 20, 21, 22, 23), 24: (5, 20, 21, 22, 23, 24)} | {
    **{25: (10, 25), 26: (10, 25, 26), 27: (10, 25, 26, 22, 27), 28: (10, 25, 26, 22, 27, 28)},
}


def trail_to(node: int) -> tuple[int, ...]:
    """A way that a piece may have come to `node`: round the ring, or by the short cut that leads there."""
    if node == 0:
        return (*range(1, 20), 0)
    inner = _INNER.get(node, (node,))
    return (*range(1, inner[0]), *inner)


class Rigged(Rng):
    """Chance that falls as named: each outcome is four sticks; with `nak`, one value before them decides about nak."""

    FLATS = {"do": (0, 1, 0, 0), "gae": (1, 1, 0, 0), "geol": (0, 1, 1, 1), "yut": (1, 1, 1, 1), "mo": (0, 0, 0, 0)}

    def __init__(self, outcomes: tuple[str, ...], nak: bool) -> None:
        super().__init__(b"")
        self.values: list[float] = []
        for outcome in outcomes:
            if outcome == "nak":
                self.values.append(0.0)
                continue
            self.values += [0.999] if nak else []
            flats = (1, 0, 0, 0) if outcome == "backdo" else self.FLATS[outcome]
            self.values += [0.0 if flat else 0.999 for flat in flats]

    def next(self) -> float:
        self.n += 1
        return self.values.pop(0)


class Table:
    """`sides`: one dict per side: node -> number of pieces, or (number, trail); "done" -> pieces already out.

    Starts in the move phase when something is `pending`, else in the throw phase, `seat` in turn.
    """

    def __init__(self, *sides: dict, seat: int = 0, pending: tuple[str, ...] = (), seats: int = 0, **options) -> None:
        self.options = msgspec.convert(options, Options)
        team = self.options.mode == "team"
        seats = seats or (4 if team else len(sides))
        assert GAME.check(self.options, tuple(range(seats))) is None
        built = []
        for given in sides:
            stacks = []
            for node, what in given.items():
                if node != "done":
                    count, trail = what if isinstance(what, tuple) else (what, trail_to(node))
                    stacks.append(Stack(node, count, trail))
            done = given.get("done", 0)
            home = self.options.pieces - done - sum(stack.count for stack in stacks)
            assert home >= 0
            built.append(Side(home, done, tuple(stacks)))
        phase, owed, why = ("move", 0, "") if pending else ("throw", 1, "turn")
        new = GAME.new(self.options, seats)
        lasts = ((seat, new.lasts[1]) if seat % 2 == 0 else (new.lasts[0], seat)) if team else ()
        self.state: State = msgspec.structs.replace(
            new,
            turn=1,
            since_ms=NOW,
            seat=seat,
            phase=phase,
            owed=owed,
            why=why,
            pending=pending,
            sides=tuple(built),
            lasts=lasts,
        )
        self.events: list = []

    def ctx(self, *outcomes: str) -> Ctx:
        return Ctx(self.state.since_ms + 1000, Rigged(outcomes, self.options.nak_percent > 0))

    def take(self, events: tuple) -> list[str]:
        """Fold events; their tags."""
        assert not isinstance(events, Rejected), events
        for event in events:
            self.state = GAME.evolve(self.state, event)
        self.events = list(events)
        return [type(event).__struct_config__.tag for event in events]

    def throw(self, *outcomes: str) -> list[str]:
        """One Throw per outcome, by whoever is in turn; the tags of the last one's events."""
        for outcome in outcomes:
            ctx = self.ctx(outcome)
            tags = self.take(GAME.decide(self.state, self.state.seat, Throw(), ctx))
            assert not ctx.rng.values
        return tags

    def move(self, index: int, start: int | str) -> list[str]:
        return self.take(GAME.decide(self.state, self.state.seat, Move(index, start), self.ctx()))

    def concede(self, seat: int) -> list[str]:
        return self.take(GAME.decide(self.state, seat, Concede(), self.ctx()))

    def timeout(self, *outcomes: str) -> list[str]:
        return self.take(GAME.timeout(self.state, self.ctx(*outcomes)))

    def refused(self, action, seat: int | None = None) -> str:
        """The code with which `action` is refused."""
        answer = GAME.decide(self.state, self.state.seat if seat is None else seat, action, self.ctx())
        assert isinstance(answer, Rejected), answer
        return answer.code

    def event(self, tag: str):
        """The one event of that tag in the last decision."""
        (found,) = [event for event in self.events if type(event).__struct_config__.tag == tag]
        return found

    def board(self, side: int = 0) -> dict[int, int]:
        return {stack.node: stack.count for stack in self.state.sides[side].stacks}

    def trail(self, node: int, side: int = 0) -> tuple[int, ...]:
        (stack,) = [stack for stack in self.state.sides[side].stacks if stack.node == node]
        return stack.trail

    def starts(self) -> set[tuple[int, int | str]]:
        """(throw index, from) of every legal move, as the view of the seat in turn lists them."""
        listed = GAME.view(self.state, Seated(self.state.seat)).legal_moves
        return set() if listed is msgspec.UNSET else {(move.throw_index, move.from_) for move in listed}


# --- options


def test_defaults_are_those_of_the_specification():
    options = GAME.Options()
    assert msgspec.to_builtins(options) == {}
    assert (options.mode, options.pieces, options.stick_model, options.backdo) == ("individual", 4, "realistic", True)
    assert (options.finish_rule, options.nak_percent, options.turn_seconds) == ("pass", 0, 30)
    defaults = {
        name: field["default"]
        for name, field in msgspec.json.schema(GAME.Options)["$defs"]["Options"]["properties"].items()
        if "default" in field
    }
    assert defaults == {
        "mode": "individual",
        "pieces": 4,
        "stickModel": "realistic",
        "backdo": True,
        "backdoFromDo": "chammeogi",
        "finishRule": "pass",
        "nakPercent": 0,
        "backdoCaptureBonus": True,
        "ranking": "first",
        "turnSeconds": 30,
        "teamConcede": "everyone",
    }


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ({"pieces": 1}, "pieces"),
        ({"pieces": 6}, "pieces"),
        ({"stickModel": "loaded"}, "stickModel"),
        ({"nakPercent": 4}, "nakPercent"),
        ({"turnSeconds": 45}, "turnSeconds"),
        ({"turnSeconds": "30"}, "turnSeconds"),
        ({"backdo": "yes"}, "backdo"),
        ({"ranking": None}, "ranking"),
        ({"stick_model": "fair"}, "stick_model"),
        ({"mode": "team", "ranking": "first"}, "ranking"),
        ({"mode": "team", "ranking": "all"}, "ranking"),
        ({"teamConcede": "everyone"}, "teamConcede"),
        ({"backdo": False, "backdoFromDo": "finish"}, "backdoFromDo"),
        ({"backdo": False, "backdoCaptureBonus": False}, "backdoCaptureBonus"),
    ],
)
def test_options_out_of_range_or_without_meaning_are_refused(raw, field):
    answer = read_options(GAME, raw)
    assert isinstance(answer, Rejected) and answer.code == "bad_options"
    assert answer.detail.field == field and answer.detail.expected
    assert answer.detail.got == raw[field]


@pytest.mark.parametrize(
    ("raw", "seats", "field"),
    [
        ({}, 1, "seats"),
        ({}, 5, "seats"),
        ({"mode": "team"}, 2, "seats"),
        ({"mode": "team"}, 3, "seats"),
        ({"mode": "team"}, 5, "seats"),
        ({"mode": "team"}, 7, "seats"),
    ],
)
def test_number_of_players_is_checked_at_start(raw, seats, field):
    assert isinstance(read_options(GAME, raw), Options)
    answer = read_options(GAME, raw, tuple(range(seats)))
    assert isinstance(answer, Rejected) and answer.code == "bad_options" and answer.detail.field == field


def test_team_seats_must_have_no_gap():
    team = Options(mode="team")
    assert GAME.check(team, (0, 1, 2, 3)) is None
    answer = GAME.check(team, (0, 1, 3, 4))
    assert answer.code == "bad_options" and answer.detail.field == "seats" and answer.detail.got == [0, 1, 3, 4]
    assert GAME.check(Options(), (1, 3, 7)) is None


@pytest.mark.parametrize(
    ("raw", "seats"),
    [
        ({"ranking": "all"}, 2),
        ({"ranking": "all", "backdoFromDo": "finish", "backdoCaptureBonus": False}, 4),
        ({"mode": "team", "teamConcede": "anyone"}, 4),
        ({"mode": "team"}, 6),
        ({"mode": "team", "turnSeconds": None}, 8),
        ({"finishRule": "reach", "backdoFromDo": "chammeogi"}, 3),
    ],
)
def test_options_that_mean_something_are_accepted(raw, seats):
    assert isinstance(read_options(GAME, raw, tuple(range(seats))), Options)


def test_reject_codes_have_the_sentences_of_the_specification():
    assert GAME.codes["cannot_throw"] == "지금은 윷을 던질 차례가 아니에요."
    assert GAME.codes["cannot_move"] == "그 말은 움직일 수 없어요."
    assert all(text.endswith("요.") for text in GAME.codes.values())


def test_a_set_up_table_starts_with_everyone_at_home():
    table = Table({}, {})
    assert [side.home for side in table.state.sides] == [4, 4] and HOME == "home"
