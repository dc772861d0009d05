"""What every game has to keep, as checks over random play; a new game is covered by being found.

A walk plays one game with legal moves drawn from a seed, lets a deadline pass now and then, and yields every step. A
check is a function (game, seed) that walks and asserts one promise. Nothing in here knows any game: options and actions
are invented from the game's own types.
"""

import json
import random
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct, inspect

from engine.game import SPECTATOR, Ctx, Game, Rejected, Seated, read_options
from engine.patch import diff, merge
from engine.rng import Rng
from schemas.base import encode
from schemas.codes import REJECTS

STEPS_MAX = 20_000
RARE = {"concede"}  # drawn seldom, or most walks would end before they got anywhere


class Step(Struct, frozen=True):
    """`action` None: the deal (`before` is game.new) or, with `seat` -1, a timeout. n: rng numbers before and after."""

    before: Any
    after: Any
    events: tuple
    seat: int | None
    action: Any
    at_ms: int
    n: tuple[int, int]
    key: bytes
    options: Any
    seats: int
    keep_order: bool


def invent(kind: Any, rnd: random.Random) -> Any:
    """A value of a msgspec.inspect type, in JSON terms."""
    match kind:
        case inspect.Metadata():
            return invent(kind.type, rnd)
        case inspect.BoolType():
            return rnd.random() < 0.5
        case inspect.NoneType():
            return None
        case inspect.LiteralType():
            return rnd.choice(kind.values)
        case inspect.IntType():
            low = kind.ge if kind.ge is not None else 0
            return rnd.randint(low, kind.le if kind.le is not None else low + 31)
        case inspect.UnionType():
            return invent(rnd.choice(kind.types), rnd)
        case inspect.TupleType():
            return [invent(one, rnd) for one in kind.item_types]
        case inspect.VarTupleType() | inspect.ListType():
            return [invent(kind.item_type, rnd) for _ in range(rnd.randrange(4))]
        case inspect.StructType():
            made = {kind.tag_field: kind.tag} if kind.tag_field else {}
            for field in kind.fields:
                if field.required or rnd.random() < 0.5:
                    made[field.encode_name] = invent(field.type, rnd)
            return made
    raise NotImplementedError(f"teach contract.invent to make {kind}")


def invent_table(game: Game, rnd: random.Random) -> tuple[int, Any]:
    """A number of players and options that the game deals together."""
    kind = inspect.type_info(game.Options)
    for _ in range(1000):
        seats = rnd.randint(game.seats_min, game.seats_max)
        options = read_options(game, invent(kind, rnd), tuple(range(seats)))
        if not isinstance(options, Rejected):
            return seats, options
    raise AssertionError(f"{game.name} refuses every table")


def invent_action(game: Game, rnd: random.Random) -> Any:
    return msgspec.convert(invent(inspect.type_info(game.Action), rnd), game.Action)


def viewers(seats: int) -> list:
    return [SPECTATOR, *map(Seated, range(seats))]


def fold(game: Game, state: Any, events: tuple) -> Any:
    for event in events:
        state = game.evolve(state, event)
    return state


def snapshot(state: Any) -> bytes:
    return msgspec.msgpack.encode(state)


def walk(game: Game, seed: int) -> Iterator[Step]:
    """Every step of one game until its end. Raises AssertionError when a legal move is refused or no end comes."""
    rnd = random.Random(seed)
    seats, options = invent_table(game, rnd)
    key, keep_order = rnd.randbytes(32), rnd.random() < 0.5
    at_ms, n = 1_700_000_000_000 + rnd.randrange(10**9), 0
    before = game.new(options, seats)
    ctx = Ctx(at_ms, Rng(key, n), keep_order)
    seat, action, events = None, None, game.start(options, seats, ctx)
    for _ in range(STEPS_MAX):
        after = fold(game, before, events)
        yield Step(before, after, events, seat, action, at_ms, (n, ctx.rng.n), key, options, seats, keep_order)
        if game.result(after) is not None:
            return
        before, n = after, ctx.rng.n
        at_ms += rnd.randrange(5_000)
        ctx = Ctx(at_ms, Rng(key, n), keep_order)
        if rnd.random() < 0.05:
            seat, action, events = -1, None, game.timeout(before, ctx)
        else:
            seat, action = _draw(game, before, seats, rnd)
            events = game.decide(before, seat, action, ctx)
            assert not isinstance(events, Rejected), f"legal {action} of seat {seat} refused: {events}"
    raise AssertionError(f"{game.name} goes on after {STEPS_MAX} random moves")


def _draw(game: Game, state: Any, seats: int, rnd: random.Random) -> tuple[int, Any]:
    """A legal move: mostly of a seat that has to act, each kind of action equally likely."""
    due = game.deadline(state)
    assert due is not None, "no result, and nobody has to act"
    seat = rnd.choice(due.seats) if rnd.random() < 0.98 else rnd.randrange(seats)
    moves = game.legal(state, seat)
    if not moves:
        seat = due.seats[0]
        moves = game.legal(state, seat)
    assert moves, f"seat {seat} has to act and has no legal move"
    kinds: dict[str, list] = {}
    for move in moves:
        kinds.setdefault(type(move).__struct_config__.tag, []).append(move)
    usual = [tag for tag in kinds if tag not in RARE]
    tag = rnd.choice(usual if usual and rnd.random() < 0.99 else list(kinds))
    return seat, rnd.choice(kinds[tag])


# --- checks: (game, seed), one promise each


def legal_moves_are_accepted(game: Game, seed: int) -> None:
    rnd = random.Random(seed)
    for step in walk(game, seed):
        for seat in range(step.seats):
            moves = game.legal(step.after, seat)
            assert len({encode(move) for move in moves}) == len(moves), "a legal move is listed twice"
            for move in rnd.sample(moves, min(len(moves), 4)):
                assert msgspec.json.decode(encode(move), type=game.Action) == move
                events = game.decide(step.after, seat, move, Ctx(step.at_ms, Rng(step.key, step.n[1])))
                assert not isinstance(events, Rejected), (seat, move, events)


def other_actions_are_refused_and_change_nothing(game: Game, seed: int) -> None:
    rnd = random.Random(seed)
    for step in walk(game, seed):
        stored = snapshot(step.after)
        again = [] if step.action is None else [step.action]  # what was just done is a likely mistake
        for action in [*again, *(invent_action(game, rnd) for _ in range(3))]:
            seat = rnd.randrange(step.seats)
            if action in game.legal(step.after, seat):
                continue
            ctx = Ctx(step.at_ms, Rng(step.key, step.n[1]))
            answer = game.decide(step.after, seat, action, ctx)
            assert isinstance(answer, Rejected), f"{action} of seat {seat} is not in legal and was accepted"
            assert answer.code in game.codes or answer.code in REJECTS, answer.code
            encode(answer.detail)
            assert ctx.rng.n == step.n[1], "a refused action drew chance"
        assert snapshot(step.after) == stored


def events_name_the_seat_whose_moves_they_change(game: Game, seed: int) -> None:
    for step in walk(game, seed):
        between = [step.before]
        for event in step.events:
            between.append(game.evolve(between[-1], event))
            due = game.deadline(between[-1])
            for seat in due.seats if due else ():
                if getattr(event, "seat", seat) != seat:
                    old, new = game.legal(between[-2], seat), game.legal(between[-1], seat)
                    assert old == new, f"{event} changed what seat {seat} may do: {old} -> {new}"


def what_is_legal_out_of_turn_is_known(game: Game, seed: int) -> None:
    for step in walk(game, seed):
        due = game.deadline(step.after)
        for seat in set(range(step.seats)) - set(due.seats if due else ()):
            for move in game.legal(step.after, seat):
                assert type(move) in game.any_time, f"{move} of seat {seat}, which has not to act, is not in any_time"


def states_survive_the_snapshot(game: Game, seed: int) -> None:
    for step in walk(game, seed):
        stored = snapshot(step.after)
        loaded = msgspec.msgpack.decode(stored, type=game.State)
        assert loaded == step.after
        assert snapshot(loaded) == stored


def events_survive_the_log(game: Game, seed: int) -> None:
    decode = msgspec.json.Decoder(game.Event).decode
    for step in walk(game, seed):
        for event in step.events:
            stored = encode(event)
            loaded = decode(stored)
            assert loaded == event
            assert encode(loaded) == stored
            _plain(json.loads(stored), nulls=True)


def folding_the_log_gives_the_live_state(game: Game, seed: int) -> None:
    decode = msgspec.json.Decoder(game.Event).decode
    folded = None
    for step in walk(game, seed):
        if folded is None:
            folded = game.new(step.options, step.seats)
        folded = fold(game, folded, tuple(decode(encode(event)) for event in step.events))
        assert snapshot(folded) == snapshot(step.after)


def deciding_again_gives_the_same_bytes(game: Game, seed: int) -> None:
    """From the loaded snapshot and the stored action, as an auditor or another worker would."""
    for step in walk(game, seed):
        ctx = Ctx(step.at_ms, Rng(step.key, step.n[0]), step.keep_order)
        before = msgspec.msgpack.decode(snapshot(step.before), type=game.State)
        if step.seat is None:
            events = game.start(step.options, step.seats, ctx)
        elif step.action is None:
            events = game.timeout(before, ctx)
        else:
            action = msgspec.json.decode(encode(step.action), type=game.Action)
            events = game.decide(before, step.seat, action, ctx)
        assert [encode(event) for event in events] == [encode(event) for event in step.events]


def events_say_how_much_chance_they_used(game: Game, seed: int) -> None:
    for step in walk(game, seed):
        assert sum(event.draws for event in step.events) == step.n[1] - step.n[0]


def a_timeout_changes_the_deadline(game: Game, seed: int) -> None:
    for step in walk(game, seed):
        due = game.deadline(step.after)
        if due is None:
            continue
        events = game.timeout(step.after, Ctx(step.at_ms + 1, Rng(step.key, step.n[1])))
        assert any(event.auto for event in events), "nothing is marked as done in the player's place"
        later = game.deadline(fold(game, step.after, events))
        assert later is None or later.turn != due.turn


def deadlines_make_sense(game: Game, seed: int) -> None:
    """Somebody has to act until the end and can; a turn's number never comes back and its clock never moves."""
    for step in walk(game, seed):
        old, due = game.deadline(step.before), game.deadline(step.after)
        if due is None:
            assert game.result(step.after) is not None
            continue
        assert game.result(step.after) is None
        assert due.turn >= 1 and due.seats and all(game.legal(step.after, seat) for seat in due.seats)
        assert due.since_ms <= step.at_ms and (due.at_ms is None or due.at_ms > due.since_ms)
        if old is not None and old.turn == due.turn:
            assert (old.since_ms, old.at_ms) == (due.since_ms, due.at_ms)
            assert set(due.seats) <= set(old.seats)
        elif old is not None:
            assert due.turn > old.turn and due.since_ms == step.at_ms


def patches_rebuild_every_view(game: Game, seed: int) -> None:
    """From decision to decision, as players get them, and from event to event, as a replay does."""
    shown: dict = {}
    for step in walk(game, seed):
        between = [step.before]
        for event in step.events:
            between.append(game.evolve(between[-1], event))
            game.deadline(between[-1])
        for viewer in viewers(step.seats):
            views = [game.view(state, viewer) for state in between]
            held = shown.get(viewer) or json.loads(encode(views[0]))
            shown[viewer] = merge(held, json.loads(encode(diff(views[0], views[-1]))))
            assert shown[viewer] == json.loads(encode(views[-1]))
            for old, new in zip(views, views[1:], strict=False):
                held = merge(held, json.loads(encode(diff(old, new))))
                assert held == json.loads(encode(new))


def a_loaded_state_looks_the_same(game: Game, seed: int) -> None:
    for step in walk(game, seed):
        loaded = msgspec.msgpack.decode(snapshot(step.after), type=game.State)
        for viewer in viewers(step.seats):
            view = game.view(step.after, viewer)
            assert encode(game.view(loaded, viewer)) == encode(view)
            assert msgspec.json.decode(encode(view), type=game.View) == view
            assert diff(view, game.view(loaded, viewer)) == {}


def only_seats_apart_see_more(game: Game, seed: int) -> None:
    for step in walk(game, seed):
        apart = set(game.apart(step.after))
        public = encode(game.view(step.after, SPECTATOR))
        for seat in set(range(step.seats)) - apart:
            assert encode(game.view(step.after, Seated(seat))) == public
        for seat in set(range(step.seats)) - apart - set(game.apart(step.before)):
            for event in step.events:
                assert game.mask(event, Seated(seat)) == game.mask(event, SPECTATOR)


def what_is_hidden_changes_no_view(game: Game, seed: int) -> None:
    for step in walk(game, seed):
        for viewer in viewers(step.seats):
            for other in game.hidden_variations(step.after, viewer):
                assert game.view(other, viewer) == game.view(step.after, viewer)
                assert game.deadline(other) == game.deadline(step.after)
                assert game.apart(other) == game.apart(step.after)


def masked_events_tell_nothing_hidden(game: Game, seed: int) -> None:
    """Where another move leads to a state that a viewer must not tell from this one, what it is told is the same."""
    for step in walk(game, seed):
        for viewer in viewers(step.seats):
            told = [game.mask(event, viewer) for event in step.events]
            for one in told:
                assert one is None or msgspec.json.decode(encode(one), type=game.Event) == one
            varied = game.hidden_variations(step.after, viewer)
            if not varied or step.action is None:
                continue
            for move in game.legal(step.before, step.seat):
                ctx = Ctx(step.at_ms, Rng(step.key, step.n[0]), step.keep_order)
                events = game.decide(step.before, step.seat, move, ctx)
                if fold(game, step.before, events) in varied:
                    assert [game.mask(event, viewer) for event in events] == told, (viewer, move, step.action)


def views_hold_no_null(game: Game, seed: int) -> None:
    for step in walk(game, seed):
        for viewer in viewers(step.seats):
            _plain(json.loads(encode(game.view(step.after, viewer))))


def sides_divide_the_table(game: Game, seed: int) -> None:
    """Everybody is on exactly one side, and is an ally of their allies."""
    seats, options = invent_table(game, random.Random(seed))
    taken = tuple(range(seats))
    for seat in taken:
        allies = game.allies(options, taken, seat)
        assert seat in allies and set(allies) <= set(taken) and len(set(allies)) == len(allies)
        for other in allies:
            assert set(game.allies(options, taken, other)) == set(allies)


def every_game_ends(game: Game, seed: int) -> None:
    *_, last = walk(game, seed)
    result = game.result(last.after)
    assert isinstance(result, game.Result)
    assert msgspec.json.decode(encode(result), type=game.Result) == result
    _plain(json.loads(encode(result)))
    assert game.deadline(last.after) is None
    assert not any(game.legal(last.after, seat) for seat in range(last.seats))


def _plain(value: Any, nulls: bool = False) -> None:
    """No null (unless `nulls`), no fraction, no integer that a browser would round."""
    if isinstance(value, dict):
        for one in value.values():
            _plain(one, nulls)
    elif isinstance(value, list):
        for one in value:
            _plain(one, nulls)
    else:
        assert nulls or value is not None, "a view must leave a field out instead of writing null"
        assert not isinstance(value, float) and (not isinstance(value, int) or abs(value) < 2**53), value


CHECKS = (
    legal_moves_are_accepted,
    other_actions_are_refused_and_change_nothing,
    events_name_the_seat_whose_moves_they_change,
    what_is_legal_out_of_turn_is_known,
    states_survive_the_snapshot,
    events_survive_the_log,
    folding_the_log_gives_the_live_state,
    deciding_again_gives_the_same_bytes,
    events_say_how_much_chance_they_used,
    a_timeout_changes_the_deadline,
    deadlines_make_sense,
    patches_rebuild_every_view,
    a_loaded_state_looks_the_same,
    only_seats_apart_see_more,
    what_is_hidden_changes_no_view,
    masked_events_tell_nothing_hidden,
    views_hold_no_null,
    sides_divide_the_table,
    every_game_ends,
)
