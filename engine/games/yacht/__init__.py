"""Yacht, the dice game: five dice, three rolls, one box a turn; three rule sets, 1 to 8 players."""

from engine.game import Game, open_to_all
from engine.games.yacht import rules, types
from engine.games.yacht.scoring import FITS, check
from engine.games.yacht.view import apart, result, view

GAME = Game(
    name="yacht",
    rules_version=2,  # since 2, holding the dice that are held already is no mistake
    rules_since=1,
    seats_min=1,
    seats_max=types.SEATS_MAX,
    grace_ms=10_000,
    codes=rules.CODES,
    Options=types.Options,
    Action=types.AnyAction,
    Event=types.AnyEvent,
    State=types.State,
    View=types.View,
    Result=types.Result,
    check=check,
    fits=FITS,
    new=rules.new,
    start=rules.start,
    decide=rules.decide,
    evolve=rules.evolve,
    legal=rules.legal,
    deadline=rules.deadline,
    timeout=rules.timeout,
    view=view,
    apart=apart,
    mask=open_to_all,
    result=result,
    any_time=(types.Concede,),
)
