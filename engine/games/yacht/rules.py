"""How a game of Yacht goes: start, decide, timeout, legal, and the fold.

A turn is up to three rolls and one box. The deadline belongs to the whole turn and is written into `turn_changed`, so
that reading the log needs no options. Rounds are counted by the table: the number grows when the turn passes the last
seat of the order, whoever has given up meanwhile. The game is over when no box is open any more; nothing else ends it.
"""

from msgspec.structs import replace

from engine.game import Ctx, Deadline, Rejected
from engine.games.yacht import types as t
from engine.games.yacht.scoring import UPPER_TARGET, automatic, outcomes, rules_of, score_for
from schemas.base import Detail

# The first two are the specification's sentences. Of forced_box the detail names the boxes.
CODES = {
    "no_rolls_left": "이번 차례에는 더 굴릴 수 없어요.",
    "all_held": "굴릴 주사위를 하나 이상 풀어 주세요.",
    "forced_box": "이 요트는 정해진 칸에 먼저 넣어야 해요.",
    "not_rolled": "먼저 주사위를 굴려 주세요.",
    "hold_too_late": "세 번 굴린 뒤에는 고정을 바꿀 수 없어요.",
    "same_hold": "이미 그렇게 고정되어 있어요.",
    "no_such_box": "이 규칙에는 없는 칸이에요.",
    "box_filled": "이미 채운 칸이에요.",
    "already_conceded": "이미 기권했어요.",
}

KEYS = tuple(str(seat) for seat in range(t.SEATS_MAX))
_UPPER = frozenset(t.UPPER)

_ROLL = t.Roll()
_CONCEDE = t.Concede()
_HOLD_ACTIONS = {held: t.SetHold(held) for held in t.HOLDS}
_SCORE_ACTIONS = {box: t.Score(box) for box in t.Category.__args__}

_NOT_PLAYING = Rejected("not_playing")
_NOT_YOUR_TURN = Rejected("not_your_turn")
_NO_SEAT = Rejected("no_seat")
_NOT_ROLLED = Rejected("not_rolled")
_NO_ROLLS_LEFT = Rejected("no_rolls_left", Detail("rolls_used", f"< {t.ROLLS_MAX}", t.ROLLS_MAX))
_HOLD_TOO_LATE = Rejected("hold_too_late", Detail("rolls_used", f"< {t.ROLLS_MAX}", t.ROLLS_MAX))
_ALL_HELD = Rejected("all_held")
_SAME_HOLD = Rejected("same_hold")
_ALREADY_CONCEDED = Rejected("already_conceded")


def new(options: t.Options, seats: int) -> t.State:
    """The table before the deal: empty sheets, nobody in turn."""
    rounds = len(rules_of(options).boxes)
    return t.State(
        options,
        order=tuple(range(seats)),
        current=0,
        round=1,
        rounds=rounds,
        turn=0,
        since_ms=0,
        at_ms=None,
        dice=(),
        held=t.NO_HOLDS,
        rolls=0,
        conceded=(),
        left=rounds * seats,
        sheets={KEYS[seat]: t.Sheet() for seat in range(seats)},
    )


def start(options: t.Options, seats: int, ctx: Ctx) -> tuple:
    """Draws the order of play (or keeps the seats' own) and opens the first turn."""
    first = ctx.rng.n
    order = list(range(seats))
    if not ctx.keep_order:
        ctx.rng.shuffle(order)
    dealt = t.Dealt(tuple(order), draws=ctx.rng.n - first)
    return dealt, _turn(order[0], 1, options, ctx.at_ms)


def decide(state: t.State, seat: int, action: t.AnyAction, ctx: Ctx) -> tuple | Rejected:
    """The events of `seat` doing `action`, or why not. Whether the deadline has passed is the room's question."""
    if not state.left:
        return _NOT_PLAYING
    kind = type(action)
    if kind is t.Concede:
        return _concede(state, seat, ctx)
    if seat != state.current:
        return _NOT_YOUR_TURN
    if kind is t.Roll:
        if state.rolls >= t.ROLLS_MAX:
            return _NO_ROLLS_LEFT
        if all(state.held):
            return _ALL_HELD
        return (_roll(state, ctx, False),)
    if kind is t.SetHold:
        if not state.rolls:
            return _NOT_ROLLED
        if state.rolls >= t.ROLLS_MAX:
            return _HOLD_TOO_LATE
        if action.held == state.held:  # nothing to do (000 8.2); a mistake in games of the first version of these rules
            return _SAME_HOLD if ctx.rules_version == 1 else ()
        return (t.HoldChanged(seat, action.held),)
    assert kind is t.Score, kind
    if not state.rolls:
        return _NOT_ROLLED
    return _score(state, state.dice, action.category, ctx, False)


def timeout(state: t.State, ctx: Ctx) -> tuple:
    """Ends the turn of whoever let it pass: one roll when there was none, then the best box (see `automatic`)."""
    assert state.left and state.turn, "nobody is in turn"
    sheet = state.sheets[KEYS[state.current]]
    if state.rolls:
        return _score(state, state.dice, automatic(state.dice, sheet, state.options), ctx, True)
    rolled = _roll(state, ctx, True)
    return rolled, *_score(state, rolled.dice, automatic(rolled.dice, sheet, state.options), ctx, True)


def legal(state: t.State, seat: int) -> tuple:
    """Everything that decide would accept from `seat` now."""
    if not state.left or seat in state.conceded or not 0 <= seat < len(state.order):
        return ()
    if seat != state.current:
        return (_CONCEDE,)
    if not state.rolls:
        return _ROLL, _CONCEDE
    boxes = tuple(_SCORE_ACTIONS[box] for box in outcomes(state.dice, state.sheets[KEYS[seat]], state.options))
    if state.rolls >= t.ROLLS_MAX:
        return *boxes, _CONCEDE
    rolls = () if all(state.held) else (_ROLL,)
    return *rolls, *boxes, *_HOLD_ACTIONS.values(), _CONCEDE


def deadline(state: t.State) -> Deadline | None:
    """The turn of the seat in turn; None before the deal and after the end."""
    if not state.left or not state.turn:
        return None
    return Deadline(state.turn, (state.current,), state.since_ms, state.at_ms)


# --- decisions


def _roll(state: t.State, ctx: Ctx, auto: bool) -> t.Rolled:
    """Draws a face for every die that is not held, from index 0 to 4. The first roll has no holds to heed."""
    die = ctx.rng.die
    if not state.rolls:
        return t.Rolled(state.current, (die(), die(), die(), die(), die()), draws=5, auto=auto)
    held = t.HOLDS[state.held]
    dice = tuple([face if kept else die() for face, kept in zip(state.dice, held, strict=True)])
    return t.Rolled(state.current, dice, held, draws=held.count(False), auto=auto)


def _score(state: t.State, dice: t.Dice, category: t.Category, ctx: Ctx, auto: bool) -> tuple | Rejected:
    seat, options = state.current, state.options
    sheet = state.sheets[KEYS[seat]]
    worth = score_for(dice, category, sheet, options)
    if worth is None:
        return _refused(dice, category, sheet, options)
    events = [t.Scored(seat, category, worth.points, worth.yacht_bonus, auto=auto)]
    if category in _UPPER and not sheet.upper_bonus and sheet.upper + worth.points >= UPPER_TARGET:
        bonus = rules_of(options).upper_bonus
        if bonus:
            events.append(t.UpperBonus(seat, bonus, auto=auto))
    if state.left > 1:
        events += _pass_on(state, state.conceded, ctx.at_ms)
    return tuple(events)


def _refused(dice: t.Dice, category: t.Category, sheet: t.Sheet, options: t.Options) -> Rejected:
    """Why `category` may not be written."""
    boxes = rules_of(options).boxes
    if category not in boxes:
        return Rejected("no_such_box", Detail("category", boxes, category))
    allowed = tuple(outcomes(dice, sheet, options))
    return Rejected("box_filled" if category in sheet.scores else "forced_box", Detail("category", allowed, category))


def _concede(state: t.State, seat: int, ctx: Ctx) -> tuple | Rejected:
    """Zeros in the open boxes; in one's own turn the dice are dropped and the turn passes."""
    if not 0 <= seat < len(state.order):
        return _NO_SEAT
    if seat in state.conceded:
        return _ALREADY_CONCEDED
    scores = state.sheets[KEYS[seat]].scores
    zeroed = tuple(box for box in rules_of(state.options).boxes if box not in scores)
    conceded = t.Conceded(seat, zeroed)
    if seat != state.current or len(zeroed) == state.left:
        return (conceded,)
    return conceded, *_pass_on(state, (*state.conceded, seat), ctx.at_ms)


def _pass_on(state: t.State, gone: tuple[int, ...], at_ms: int) -> tuple:
    """The next seat of the order that has not given up; it has an open box, since everyone plays one box a round."""
    order, here = state.order, state.order.index(state.current)
    ahead = [seat for seat in order[here + 1 :] if seat not in gone]
    if ahead:
        return (_turn(ahead[0], state.turn + 1, state.options, at_ms),)
    first = next(seat for seat in order if seat not in gone)
    return t.RoundChanged(state.round + 1), _turn(first, state.turn + 1, state.options, at_ms)


def _turn(seat: int, turn: int, options: t.Options, at_ms: int) -> t.TurnChanged:
    seconds = options.turn_seconds
    return t.TurnChanged(seat, turn, at_ms, None if seconds is None else at_ms + seconds * 1000)


# --- the fold


def evolve(state: t.State, event: t.AnyEvent) -> t.State:
    """The state after `event`. Total: it writes down what the event says and asks nothing."""
    return _FOLD[type(event)](state, event)


def _dealt(state: t.State, event: t.Dealt) -> t.State:
    return replace(state, order=event.order)


def _rolled(state: t.State, event: t.Rolled) -> t.State:
    return replace(state, dice=event.dice, rolls=state.rolls + 1)


def _hold_changed(state: t.State, event: t.HoldChanged) -> t.State:
    return replace(state, held=event.held)


def _scored(state: t.State, event: t.Scored) -> t.State:
    key = KEYS[event.seat]
    old = state.sheets[key]
    box, points, bonus = event.category, event.points, event.bonus
    scores = {**old.scores, box: points}
    total = old.total + points + bonus
    if box in _UPPER:
        sheet = t.Sheet(scores, old.upper + points, old.upper_bonus, old.lower, old.yacht_bonus + bonus, total)
    else:
        sheet = t.Sheet(scores, old.upper, old.upper_bonus, old.lower + points, old.yacht_bonus + bonus, total)
    return replace(state, dice=(), held=t.NO_HOLDS, rolls=0, left=state.left - 1, sheets={**state.sheets, key: sheet})


def _upper_bonus(state: t.State, event: t.UpperBonus) -> t.State:
    key = KEYS[event.seat]
    old = state.sheets[key]
    sheet = replace(old, upper_bonus=event.points, total=old.total + event.points)
    return replace(state, sheets={**state.sheets, key: sheet})


def _round_changed(state: t.State, event: t.RoundChanged) -> t.State:
    return replace(state, round=event.round)


def _turn_changed(state: t.State, event: t.TurnChanged) -> t.State:
    return replace(state, current=event.seat, turn=event.turn, since_ms=event.since_ms, at_ms=event.at_ms)


def _conceded(state: t.State, event: t.Conceded) -> t.State:
    key = KEYS[event.seat]
    old = state.sheets[key]
    sheet = replace(old, scores=old.scores | dict.fromkeys(event.zeroed, 0))
    state = replace(
        state,
        conceded=(*state.conceded, event.seat),
        left=state.left - len(event.zeroed),
        sheets={**state.sheets, key: sheet},
    )
    if event.seat == state.current:
        return replace(state, dice=(), held=t.NO_HOLDS, rolls=0)
    return state


_FOLD = {
    t.Dealt: _dealt,
    t.Rolled: _rolled,
    t.HoldChanged: _hold_changed,
    t.Scored: _scored,
    t.UpperBonus: _upper_bonus,
    t.RoundChanged: _round_changed,
    t.TurnChanged: _turn_changed,
    t.Conceded: _conceded,
}
