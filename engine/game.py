"""What a game is: one frozen record of pure functions, found by its folder (docs/design.md 6).

A game never sees players, sockets, clocks or Redis: seats are 0..n-1, time is `ctx.at_ms`, chance is `ctx.rng`. Mistakes of
players are values (`Rejected`), bugs are exceptions. Adding a game is adding a folder under `engine/games/`.

    events = game.start(options, seats, ctx)                     the deal; folded onto game.new(options, seats)
    events = game.decide(state, seat, action, ctx)               or Rejected; draws chance and records it in events
    state  = game.evolve(state, event)                           total: no rules, no chance, never refuses
"""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from engine.rng import Rng
from schemas.base import Detail, Record, snake
from schemas.fits import Fit, Seating


class Event(Record, kw_only=True):
    """Base of every game's events. `draws`: how many rng() values this event used (sums to what the decision drew).

    `auto` marks what a timeout did in a player's place.
    """

    draws: int = 0
    auto: bool = False


class Action(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, tag_field="type", tag=snake):
    """Base of every game's actions, as clients send them."""


class Rejected(Struct, frozen=True):
    """A player's mistake: nothing happened. `code` is in `Game.codes` or `schemas.codes.REJECTS`."""

    code: str
    detail: Detail = Detail()


class Seated(Struct, frozen=True):
    """Viewer: who holds `seat`."""

    seat: int


class Spectator(Struct, frozen=True):
    """Viewer: anyone without a seat; sees what everybody may see. There is no viewer who sees all."""


Viewer = Seated | Spectator
SPECTATOR = Spectator()


class Ctx(Struct):
    """What a decision may know besides state and action. `at_ms`: the entry's time. `keep_order`: the room's setting.

    rules_version: the version that this game is played by, at most `Game.rules_version`; 0 where no room is behind it,
    which means the present one.
    """

    at_ms: int
    rng: Rng
    keep_order: bool = False
    rules_version: int = 0


class Deadline(Struct, frozen=True):
    """Who has to act, and until when.

    turn: 1, 2, …, new whenever somebody else has to act or the clock starts again; a Timeout names it.
    seats: those who have to act now (several in a simultaneous phase); never empty.
    since_ms: when this turn began. at_ms: when it ends; None means no limit (only absence ends it then).
    """

    turn: int
    seats: tuple[int, ...]
    since_ms: int
    at_ms: int | None


class Game(Struct, frozen=True, kw_only=True):
    """The record. `State`, `Event` … are types; State, View, Event must survive encode/decode unchanged.

    rules_version: by which new games are played. rules_since: the oldest version that `decide` still follows (it finds the
      game's own in `ctx.rules_version`); 0: none but the present one. Logs of other versions are shown, not decided.
    Event: a field `seat`, where an event has one, names the seat whose `legal` it changes; an event without it may change
      that of every seat. So a move that was decided on before such an event is known to be late (`Room.changed`).

    Options: a Struct whose fields all have defaults. check(options, seats) -> Rejected | None: the cross-field rules and the
      number of players; `seats` are the taken seats at Start, () while only options are known.
    fits, seatings: what of the options goes together, and how many may play (schemas/fits.py). `check` refuses all that
      they exclude (engine/fits.py does it), and a form built from them offers nothing that `check` refuses.
    apart(state): the seats whose view or events differ from a spectator's. The others share one encoding, so keep it small;
      listing too many is only slower, listing too few breaks the rule that view(state, Seated(i)) is what seat i gets.
    view(state, viewer): of every state that evolve makes, also between two events of one decision: a replay stops there.
    legal(state, seat): every action that decide would accept from that seat now, concrete, () when none.
    timeout(state, ctx): what happens in place of whoever lets `deadline(state)` pass; must change the deadline.
    result(state): None while the game goes on; codes and numbers, never sentences.
    any_time: types of actions that are legal out of turn too (giving up), and so are never too late for a turn or a view.
    grace_ms: how long an absent player is waited for. codes: own reject codes -> default Korean text.
    hidden_variations(state, viewer) -> states that differ only in what viewer must not see (for tests; () if nothing hides).
    allies(options, seats, seat): who of the taken `seats` is on the side of `seat`, which is one of them, itself included.
      Constant while a game goes on; a suggestion is told to them alone.
    """

    name: str
    rules_version: int
    seats_min: int
    seats_max: int
    grace_ms: int
    codes: dict[str, str]
    Options: type
    Action: Any
    Event: Any
    State: type
    View: type
    Result: type
    check: Callable[[Any, tuple[int, ...]], Rejected | None]
    new: Callable[[Any, int], Any]
    start: Callable[[Any, int, Ctx], tuple]
    decide: Callable[[Any, int, Any, Ctx], Any]
    evolve: Callable[[Any, Any], Any]
    legal: Callable[[Any, int], tuple]
    deadline: Callable[[Any], Deadline | None]
    timeout: Callable[[Any, Ctx], tuple]
    view: Callable[[Any, Viewer], Any]
    apart: Callable[[Any], tuple[int, ...]]
    mask: Callable[[Any, Viewer], Any]
    result: Callable[[Any], Any]
    hidden_variations: Callable[[Any, Viewer], tuple] = lambda state, viewer: ()
    allies: Callable[[Any, tuple[int, ...], int], tuple[int, ...]] = lambda options, seats, seat: (seat,)
    fits: tuple[Fit, ...] = ()
    seatings: tuple[Seating, ...] = ()
    rules_since: int = 0
    any_time: tuple[type, ...] = ()

    def decides(self, rules_version: int) -> bool:
        """Whether games of that rules version can be played on and decided again by this record."""
        return (self.rules_since or self.rules_version) <= rules_version <= self.rules_version


def open_to_all(event: Any, viewer: Viewer) -> Any:
    """`mask` of a game in which nothing is hidden."""
    return event


def read_options(game: Game, raw: dict[str, Any], seats: tuple[int, ...] = ()) -> Any:
    """`raw` as the game's Options, or Rejected("bad_options") naming field, expected and got."""
    try:
        options = msgspec.convert(raw, game.Options)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$.")
        name = path.rstrip("`") or message.rpartition("`")[0].rpartition("`")[2]
        return Rejected("bad_options", Detail(field=name, expected=message, got=raw.get(name)))
    return game.check(options, seats) or options
