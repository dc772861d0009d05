"""Every game that is found keeps the contract, and the contract notices when one does not.

Method: each check of contract.py walks random games from seeds that Hypothesis draws. The second half plants one bug at
a time into a sound game and expects some check to fail: a check that cannot go red proves nothing.
"""

import inspect
import os
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import engine.games
from engine.game import Game, Seated, open_to_all
from engine.games import games
from engine.games.yacht import GAME as YACHT
from tests.engine import contract
from tests.games import duel

engine.games.add("tests.games.duel")
for _module in filter(None, os.environ.get("NORIPAN_GAMES", "").split(",")):  # a game maker's own
    engine.games.add(_module.strip())

EXAMPLES = 20  # games per promise and run; seeds differ from run to run, and a failing one is printed


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("game", games().values(), ids=lambda game: game.name)
def test_contract(game: Game, check) -> None:
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.integers(0, 2**32 - 1))
    def holds(seed: int) -> None:
        check(game, seed)

    holds()


def test_every_check_is_listed() -> None:
    taking = {"game", "seed"}
    found = [
        f for _, f in inspect.getmembers(contract, inspect.isfunction) if set(inspect.signature(f).parameters) == taking
    ]
    assert {f for f in found if f is not contract.walk} == set(contract.CHECKS)


def test_a_game_is_added_by_naming_its_module() -> None:
    """Both ways in: a folder under engine/games is found, a module from elsewhere is named once."""
    assert games()["duel"] is duel.GAME and games()["yacht"] is YACHT
    assert engine.games.add("tests.games.duel") is duel.GAME, "naming it twice is no mistake"
    assert list(games()) == sorted(games())


# --- planted bugs


def _stale_timeout(state, ctx):
    """Forgets to open the next turn."""
    return tuple(event for event in YACHT.timeout(state, ctx) if type(event).__name__ != "TurnChanged")


def _forgetful_legal(state, seat):
    return YACHT.legal(state, seat)[1:]


def _generous_legal(state, seat):
    return YACHT.legal(state, seat) or (YACHT.Action.__args__[0](),)


def _silent_draws(state, seat, action, ctx):
    events = YACHT.decide(state, seat, action, ctx)
    return tuple(replace(event, draws=0) for event in events) if isinstance(events, tuple) else events


_calls = count()


def _impure(state, event):
    """Depends on something that is in no event."""
    after = YACHT.evolve(state, event)
    return replace(after, since_ms=after.since_ms + next(_calls))


def _not_canonical(state, seat, action, ctx):
    """Writes the same event in different bytes, depending on whether the state was just loaded."""
    events = YACHT.decide(state, seat, action, ctx)
    if isinstance(events, tuple) and type(events[0]).__name__ == "Rolled":
        return (replace(events[0], held=state.held),)
    return events


def _tattling_view(state, viewer):
    shown = duel.view(state, viewer)
    return replace(shown, mine=state.choices[0]) if state.choices[0] else shown


def _null_view(state, viewer):
    shown = duel.view(state, viewer)
    return replace(shown, mine=None) if shown.mine is duel.UNSET else shown


def _unmarked_timeout(state, ctx):
    return tuple(replace(event, auto=False) for event in duel.timeout(state, ctx))


def _endless(state):
    """Never admits the end."""
    return None


def _lossy_mask(event, viewer):
    return event if viewer == Seated(0) else None


def _one_sided(options, seats, seat):
    """Seat 0 is heard by all, and hears nobody."""
    return seats if seat == 0 else (seat,)


PLANTED = {
    "timeout leaves the deadline": (
        replace(YACHT, timeout=_stale_timeout),
        contract.a_timeout_changes_the_deadline,
    ),
    "legal forgets a move": (
        replace(YACHT, legal=_forgetful_legal),
        contract.other_actions_are_refused_and_change_nothing,
    ),
    "legal offers a refused move": (
        replace(YACHT, legal=_generous_legal),
        contract.legal_moves_are_accepted,
    ),
    "draws are not recorded": (
        replace(YACHT, decide=_silent_draws),
        contract.events_say_how_much_chance_they_used,
    ),
    "evolve is not pure": (
        replace(YACHT, evolve=_impure),
        contract.folding_the_log_gives_the_live_state,
    ),
    "bytes depend on the process": (
        replace(YACHT, decide=_not_canonical),
        contract.deciding_again_gives_the_same_bytes,
    ),
    "events differ for a seat that is not apart": (
        replace(YACHT, mask=_lossy_mask),
        contract.only_seats_apart_see_more,
    ),
    "apart forgets a seat": (
        replace(duel.GAME, apart=lambda state: ()),
        contract.only_seats_apart_see_more,
    ),
    "the view tells a secret": (
        replace(duel.GAME, view=_tattling_view),
        contract.what_is_hidden_changes_no_view,
    ),
    "the view writes null": (
        replace(duel.GAME, view=_null_view),
        contract.views_hold_no_null,
    ),
    "events tell a secret": (
        replace(duel.GAME, mask=open_to_all),
        contract.masked_events_tell_nothing_hidden,
    ),
    "a timeout is not marked": (
        replace(duel.GAME, timeout=_unmarked_timeout),
        contract.a_timeout_changes_the_deadline,
    ),
    "a teammate is none in return": (
        replace(YACHT, allies=_one_sided),
        contract.sides_divide_the_table,
    ),
    "the end is never seen": (
        replace(duel.GAME, result=_endless),
        contract.every_game_ends,
    ),
}


@pytest.mark.parametrize(("game", "check"), PLANTED.values(), ids=PLANTED)
def test_a_planted_bug_is_caught(game: Game, check) -> None:
    with pytest.raises(AssertionError):
        for seed in range(3):
            check(game, seed)
