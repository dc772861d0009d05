"""A game whose engine is broken on purpose (P7): it raises, never ends, eats memory, or kills the process that folds it.

One to four seats, no turns: whoever is seated may act. `step` is the good action; ten of them end the game.
"""

import os
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from engine import game as g
from engine.game import Ctx, Deadline, Game, Rejected, Viewer

STEPS = 10


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Step(g.Action):
    pass


class Raise(g.Action):
    """An exception."""


class Spin(g.Action):
    """An endless loop."""


class Slow(g.Action):
    """A fold that takes its time, so that a test can kill the worker in the middle of it."""

    loops: Annotated[int, Meta(ge=0, le=100_000_000)] = 5_000_000


class Crash(g.Action):
    """The process ends, as in a crash inside a C library."""


class Break(g.Action):
    """A good move into a state of which this part cannot be made."""

    part: Literal["view", "mask", "apart", "deadline", "snapshot"]


class Stepped(g.Event):
    turn: int
    at_ms: int


class Broke(g.Event):
    part: str


AnyAction = Step | Raise | Spin | Slow | Crash | Break
AnyEvent = Stepped | Broke


class State(Struct, frozen=True, array_like=True):
    seats: int
    steps: int = 0
    since_ms: int = 0
    broken: str = ""
    kept: Any = None


class View(Struct, frozen=True):
    steps: int


class Result(Struct, frozen=True):
    steps: int


def start(options: Options, seats: int, ctx: Ctx) -> tuple:
    return ()


def decide(state: State, seat: int, action: Any, ctx: Ctx) -> Any:
    if type(action) is Raise:
        raise ZeroDivisionError("on purpose")
    while type(action) is Spin:
        pass
    if type(action) is Slow:
        for _ in range(action.loops):
            pass
    if type(action) is Crash:
        os._exit(9)
    if type(action) is Break:
        return (Broke(action.part),)
    if state.steps >= STEPS:
        return Rejected("over")
    return (Stepped(state.steps + 2, ctx.at_ms),)


def evolve(state: State, event: AnyEvent) -> State:
    if type(event) is Broke:
        kept = object() if event.part == "snapshot" else None
        return State(state.seats, state.steps, state.since_ms, event.part, kept)
    return State(state.seats, state.steps + 1, event.at_ms)


def legal(state: State, seat: int) -> tuple:
    return () if state.steps >= STEPS else (Step(),)


def whole(state: State, part: str) -> None:
    if state.broken == part:
        raise KeyError("on purpose")


def deadline(state: State) -> Deadline | None:
    whole(state, "deadline")
    if state.steps >= STEPS:
        return None
    return Deadline(state.steps + 1, tuple(range(state.seats)), state.since_ms, None)


def timeout(state: State, ctx: Ctx) -> tuple:
    return (Stepped(state.steps + 2, ctx.at_ms, auto=True),)


def mask(event: AnyEvent, viewer: Viewer) -> AnyEvent:
    if type(event) is Broke and event.part == "mask":
        raise KeyError("on purpose")
    return event


def apart(state: State) -> tuple[int, ...]:
    whole(state, "apart")
    return ()


def view(state: State, viewer: Viewer) -> View:
    whole(state, "view")
    return View(state.steps)


GAME = Game(
    name="faulty",
    rules_version=1,
    seats_min=1,
    seats_max=4,
    grace_ms=60_000,
    codes={"over": "끝난 게임이에요."},
    Options=Options,
    Action=AnyAction,
    Event=AnyEvent,
    State=State,
    View=View,
    Result=Result,
    check=lambda options, seats: None,
    new=lambda options, seats: State(seats),
    start=start,
    decide=decide,
    evolve=evolve,
    legal=legal,
    deadline=deadline,
    timeout=timeout,
    view=view,
    apart=apart,
    mask=mask,
    result=lambda state: Result(state.steps) if state.steps >= STEPS else None,
)
