"""A second game in one file: rock, paper, scissors, the better of three, with choices hidden until both are made.

It shows what a game maker writes, and that nothing outside the folder has to know about it. It is also the opposite of
Yacht in everything the room has to get right: both seats act at once, in any order, and each may see only its own hand.
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from engine.game import Action, Ctx, Deadline, Event, Game, Rejected, Seated, Viewer
from schemas.base import Detail

Hand = Literal["rock", "paper", "scissors"]
HANDS = ("rock", "paper", "scissors")
BEATS = {"rock": "scissors", "paper": "rock", "scissors": "paper"}
ROUNDS = 3
ENOUGH = 2


class Options(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    turn_seconds: Literal[5, 15] | None = 15


class Choose(Action):
    hand: Hand


class Chosen(Event):
    """`hand` is left out for everyone but the seat itself."""

    seat: int
    hand: Hand | UnsetType = UNSET


class Shown(Event):
    """Both hands lie open; `winner` is absent on a draw."""

    hands: tuple[Hand, Hand]
    winner: int | UnsetType = UNSET


class TurnChanged(Event):
    turn: int
    since_ms: int
    at_ms: int | None = None


AnyEvent = Chosen | Shown | TurnChanged


class State(Struct, frozen=True, array_like=True):
    """choices: "" while a seat has not chosen. turn 0 is before the first round."""

    options: Options
    turn: int = 0
    since_ms: int = 0
    at_ms: int | None = None
    choices: tuple[str, str] = ("", "")
    wins: tuple[int, int] = (0, 0)
    rounds: int = 0
    last: tuple[Hand, ...] = ()


class View(Struct, frozen=True):
    """`chosen`: seats that have made up their minds; `mine`: the viewer's own choice in this round."""

    round: int
    chosen: tuple[int, ...]
    wins: tuple[int, int]
    last: tuple[Hand, ...]
    mine: Hand | UnsetType = UNSET


class Result(Struct, frozen=True):
    winners: tuple[int, ...]
    wins: tuple[int, int]


def start(options: Options, seats: int, ctx: Ctx) -> tuple:
    return (_turn(1, options, ctx),)


def decide(state: State, seat: int, action: Choose, ctx: Ctx) -> tuple | Rejected:
    if result(state):
        return Rejected("not_playing")
    if not 0 <= seat < 2:
        return Rejected("no_seat")
    if state.choices[seat]:
        return Rejected("already_chosen", Detail("hand"))
    choices = (action.hand, state.choices[1]) if seat == 0 else (state.choices[0], action.hand)
    return Chosen(seat, action.hand), *_settle(state, choices, ctx)


def timeout(state: State, ctx: Ctx) -> tuple:
    """Who has not chosen gets a drawn hand."""
    events, choices = [], list(state.choices)
    for seat in _missing(state):
        choices[seat] = HANDS[ctx.rng.below(3)]
        events.append(Chosen(seat, choices[seat], draws=1, auto=True))
    return *events, *_settle(state, tuple(choices), ctx)


def evolve(state: State, event: AnyEvent) -> State:
    if isinstance(event, Chosen):
        choices = (event.hand, state.choices[1]) if event.seat == 0 else (state.choices[0], event.hand)
        return replace(state, choices=choices)
    if isinstance(event, Shown):
        wins = tuple(won + (seat == event.winner) for seat, won in enumerate(state.wins))
        return replace(state, choices=("", ""), wins=wins, rounds=state.rounds + 1, last=event.hands)
    return replace(state, turn=event.turn, since_ms=event.since_ms, at_ms=event.at_ms)


def legal(state: State, seat: int) -> tuple:
    if result(state) or not 0 <= seat < 2 or state.choices[seat]:
        return ()
    return tuple(Choose(hand) for hand in HANDS)


def deadline(state: State) -> Deadline | None:
    if result(state) or not state.turn:
        return None
    return Deadline(state.turn, _missing(state), state.since_ms, state.at_ms)


def view(state: State, viewer: Viewer) -> View:
    chosen = tuple(seat for seat in (0, 1) if state.choices[seat])
    mine = (state.choices[viewer.seat] or UNSET) if isinstance(viewer, Seated) else UNSET
    return View(state.rounds + 1, chosen, state.wins, state.last, mine)


def mask(event: AnyEvent, viewer: Viewer) -> AnyEvent:
    if isinstance(event, Chosen) and viewer != Seated(event.seat):
        return replace(event, hand=UNSET)
    return event


def result(state: State) -> Result | None:
    best = max(state.wins)
    if best < ENOUGH and state.rounds < ROUNDS:
        return None
    return Result(tuple(seat for seat in (0, 1) if state.wins[seat] == best), state.wins)


def hidden_variations(state: State, viewer: Viewer) -> tuple:
    """The other choices that a seat may have made which `viewer` does not hold."""
    varied = []
    for seat in (0, 1):
        if state.choices[seat] and viewer != Seated(seat):
            for hand in HANDS:
                choices = (hand, state.choices[1]) if seat == 0 else (state.choices[0], hand)
                varied.append(replace(state, choices=choices))
    return tuple(varied)


def _missing(state: State) -> tuple[int, ...]:
    return tuple(seat for seat in (0, 1) if not state.choices[seat])


def _settle(state: State, choices: tuple[str, str], ctx: Ctx) -> tuple:
    """The round's end once both have chosen, and the next round unless that was the last."""
    if not all(choices):
        return ()
    one, two = choices
    winner = UNSET if one == two else int(BEATS[two] == one)
    shown = Shown(choices, winner)
    if result(evolve(state, shown)):
        return (shown,)
    return shown, _turn(state.turn + 1, state.options, ctx)


def _turn(turn: int, options: Options, ctx: Ctx) -> TurnChanged:
    seconds = options.turn_seconds
    return TurnChanged(turn, ctx.at_ms, None if seconds is None else ctx.at_ms + seconds * 1000)


GAME = Game(
    name="duel",
    rules_version=1,
    seats_min=2,
    seats_max=2,
    grace_ms=5_000,
    codes={"already_chosen": "이미 골랐어요."},
    Options=Options,
    Action=Choose,
    Event=AnyEvent,
    State=State,
    View=View,
    Result=Result,
    check=lambda options, seats: None,
    new=lambda options, seats: State(options),
    start=start,
    decide=decide,
    evolve=evolve,
    legal=legal,
    deadline=deadline,
    timeout=timeout,
    view=view,
    apart=lambda state: (0, 1),
    mask=mask,
    result=result,
    hidden_variations=hidden_variations,
)
