"""Goal: what holds in every reachable position holds, whatever is played. Method: games of random legal play under invented
options; Hypothesis chooses options, seats and the seed of play, and shrinks them when a promise breaks."""

import random
from collections.abc import Iterator

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game import Ctx, Rejected, Seated
from engine.games.yut import GAME
from engine.games.yut.board import DISTANCE
from engine.games.yut.types import HOME, Concede, Move, Options, State, Throw
from engine.rng import Rng
from schemas.base import encode
from tests.engine.test_yut_table import NOW

decode_event = msgspec.json.Decoder(GAME.Event).decode
ACTIONS_MAX = 20_000
EVERY_MOVE_FROM = (HOME, *range(29))


@st.composite
def tables(draw) -> tuple[Options, int]:
    team = draw(st.booleans())
    raw = {
        "mode": "team" if team else "individual",
        "pieces": draw(st.integers(2, 5)),
        "stickModel": draw(st.sampled_from(["realistic", "fair"])),
        "backdo": draw(st.booleans()),
        "finishRule": draw(st.sampled_from(["pass", "reach"])),
        "nakPercent": draw(st.sampled_from([0, 3, 5, 10])),
        "turnSeconds": draw(st.sampled_from([15, 30, 60, None])),
    }
    if raw["backdo"]:
        raw["backdoFromDo"] = draw(st.sampled_from(["chammeogi", "finish"]))
        raw["backdoCaptureBonus"] = draw(st.booleans())
    if team:
        raw["teamConcede"] = draw(st.sampled_from(["everyone", "anyone"]))
    else:
        raw["ranking"] = draw(st.sampled_from(["first", "all"]))
    seats = draw(st.sampled_from([4, 6, 8] if team else [2, 3, 4]))
    options = msgspec.convert(raw, Options)
    assert GAME.check(options, tuple(range(seats))) is None
    return options, seats


def play(options: Options, seats: int, seed: int, concede: float = 0.0, auto: float = 0.0) -> Iterator[tuple]:
    """(state, events) after the deal and after every action, until the end."""
    rnd = random.Random(seed)
    ctx = Ctx(NOW, Rng(rnd.randbytes(32)))
    state, events = GAME.new(options, seats), GAME.start(options, seats, ctx)
    for _ in range(ACTIONS_MAX):
        for event in events:
            state = GAME.evolve(state, event)
        yield state, events
        if GAME.result(state) is not None:
            return
        ctx.at_ms += rnd.randrange(1, 5000)
        if rnd.random() < auto:
            events = GAME.timeout(state, ctx)
        elif rnd.random() < concede and (leaving := [s for s in range(seats) if GAME.legal(state, s)]):
            events = GAME.decide(state, rnd.choice(leaving), Concede(), ctx)
        else:
            action = rnd.choice([a for a in GAME.legal(state, state.seat) if type(a) is not Concede])
            events = GAME.decide(state, state.seat, action, ctx)
    raise AssertionError(f"no end after {ACTIONS_MAX} actions")


def check_invariants(state: State) -> None:
    nodes = [stack.node for side in state.sides for stack in side.stacks]
    assert len(nodes) == len(set(nodes)), "two stacks on one node"
    for side in state.sides:
        assert side.home >= 0 and side.done >= 0
        assert side.home + side.done + sum(stack.count for stack in side.stacks) == state.options.pieces
        for stack in side.stacks:
            assert stack.count >= 1 and stack.trail[-1] == stack.node and len(stack.trail) <= 21
            assert state.options.finish_rule == "pass" or stack.node != 0
    assert state.owed == (1 if state.phase == "throw" else 0)
    assert bool(state.why) == (state.owed > 0)
    if state.phase == "move":
        assert state.pending and GAME.view(state, Seated(state.seat)).legal_moves


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(0, 2**32))
def test_a_node_holds_one_side_and_pieces_are_conserved(table, seed):
    for state, _ in play(*table, seed, concede=0.01, auto=0.1):
        check_invariants(state)


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(0, 2**32))
def test_listed_moves_are_accepted_and_every_other_is_refused_without_a_trace(table, seed):
    for number, (state, _) in enumerate(play(*table, seed, concede=0.005)):
        if number % 3:
            continue
        stored = msgspec.msgpack.encode(state)
        for seat in range(table[1]):
            legal = set(map(encode, GAME.legal(state, seat)))
            every = [Throw(), Concede()]
            if seat == state.seat:
                every += [Move(i, node) for i in range(len(state.pending) + 2) for node in EVERY_MOVE_FROM]
            else:
                every += [Move(0, HOME), Move(0, 1)]
            for action in every:
                rng = Rng(b"try")
                answer = GAME.decide(state, seat, action, Ctx(NOW, rng))
                assert isinstance(answer, Rejected) == (encode(action) not in legal), (seat, action, answer)
                assert rng.n == 0 or type(action) is Throw
            assert legal <= set(map(encode, every))
        assert msgspec.msgpack.encode(state) == stored


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(0, 2**32))
def test_folding_stored_events_gives_the_live_state_through_snapshots_too(table, seed):
    folded = restored = GAME.new(*table)
    for state, events in play(*table, seed, concede=0.005, auto=0.1):
        for event in events:
            folded = GAME.evolve(folded, decode_event(encode(event)))
            restored = GAME.evolve(restored, event)
        assert folded == state
        restored = msgspec.msgpack.decode(msgspec.msgpack.encode(restored), type=State)
        assert restored == state


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(0, 2**32))
def test_the_same_chance_and_actions_give_the_same_game(table, seed):
    first = [(encode(list(events)), state) for state, events in play(*table, seed)]
    assert first == [(encode(list(events)), state) for state, events in play(*table, seed)]


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(0, 2**32))
def test_a_timeout_always_moves_the_game_on_and_is_an_action_that_was_allowed(table, seed):
    for state, _ in play(*table, seed, concede=0.005):
        due = GAME.deadline(state)
        if due is None:
            continue
        events = GAME.timeout(state, Ctx(NOW, Rng(b"auto")))
        after = state
        for event in events:
            after = GAME.evolve(after, event)
        check_invariants(after)
        later = GAME.deadline(after)
        assert later is None or later.turn == due.turn + 1
        main = events[0]
        action = Move(main.throw_index, main.from_) if state.phase == "move" else Throw()
        assert action in GAME.legal(state, state.seat)
        by_hand = GAME.decide(state, state.seat, action, Ctx(NOW, Rng(b"auto")))
        assert [msgspec.structs.replace(event, auto=False) for event in events] == list(by_hand)


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(0, 2**32), st.sampled_from([0.0, 0.5, 1.0]))
def test_every_game_ends_with_a_complete_ranking(table, seed, auto):
    *_, (state, _) = play(*table, seed, auto=auto)
    result = GAME.result(state)
    places = result.ranking
    assert sorted(place.side for place in places) == list(range(len(state.sides)))
    assert [place.rank for place in places] == sorted(place.rank for place in places)
    assert places[0].rank == 1 and places[0].finished_pieces == state.options.pieces
    assert places[0].remaining_distance == 0 and set(result.winners) == set(places[0].seats)
    assert sum(result.stats.throws.values()) > 0
    assert all(0 <= place.remaining_distance <= state.options.pieces * DISTANCE[HOME] for place in places)


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(0, 2**32))
def test_a_game_that_everybody_leaves_ends(table, seed):
    *_, (state, _) = play(*table, seed, concede=0.3)
    assert GAME.result(state).winners
