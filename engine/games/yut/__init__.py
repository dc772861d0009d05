"""Yut Nori (윷놀이): four sticks, 29 nodes, two to four single sides or two teams. Rules: docs/rules.md."""

from engine.game import Game, open_to_all
from engine.games.yut import types
from engine.games.yut.fold import evolve, new
from engine.games.yut.options import CODES, FITS, SEATINGS, allies, check
from engine.games.yut.rules import deadline, decide, legal, start, timeout
from engine.games.yut.view import apart, result, view

GAME = Game(
    name="yut",
    rules_version=1,
    seats_min=2,
    seats_max=8,
    grace_ms=5000,
    codes=CODES,
    Options=types.Options,
    Action=types.AnyAction,
    Event=types.AnyEvent,
    State=types.State,
    View=types.View,
    Result=types.Result,
    check=check,
    fits=FITS,
    seatings=SEATINGS,
    new=new,
    start=start,
    decide=decide,
    evolve=evolve,
    legal=legal,
    deadline=deadline,
    timeout=timeout,
    view=view,
    apart=apart,
    mask=open_to_all,
    result=result,
    allies=allies,
    any_time=(types.Concede,),
)
