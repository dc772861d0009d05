"""The course of a Yacht game: rolls, holds, boxes, turns, giving up, the end. Given a table, when, then."""

import pytest

from engine.game import SPECTATOR, Ctx, Rejected, Seated
from engine.games.yacht import GAME
from engine.games.yacht import types as t
from engine.rng import Rng
from schemas.base import encode
from tests.engine.yacht_kit import T0, Table, rows


def code(answer) -> str:
    assert isinstance(answer, Rejected), answer
    return answer.code


def kinds(events) -> list[str]:
    return [type(event).__name__ for event in events]


# --- rolling and holding


def test_checklist_before_the_first_roll_nothing_can_be_scored_or_held():
    table = Table()
    assert code(table.score("choice")) == "not_rolled"
    assert code(table.hold(0)) == "not_rolled"


def test_checklist_no_fourth_roll():
    table = Table()
    for _ in range(3):
        table.roll(1, 2, 3, 4, 6)
    assert code(table.roll()) == "no_rolls_left"
    assert code(table.hold(0)) == "hold_too_late"
    assert kinds(table.score("smallStraight")) == ["Scored", "TurnChanged"]


def test_checklist_all_five_may_be_held_but_then_not_rolled():
    table = Table()
    table.roll(1, 2, 3, 4, 6)
    assert table.hold(0, 1, 2, 3, 4) == (t.HoldChanged(0, (True,) * 5),)
    assert code(table.roll()) == "all_held"
    table.hold(0, 1, 2, 3)
    assert table.roll(5)[0].dice == (1, 2, 3, 4, 5)


def test_checklist_a_die_that_was_let_go_is_rolled_again():
    table = Table()
    table.roll(6, 6, 1, 2, 3)
    table.hold(0, 1)
    assert table.roll(4, 4, 4)[0] == t.Rolled(0, (6, 6, 4, 4, 4), (True, True, False, False, False), draws=3)
    table.hold(2, 3, 4)
    assert table.roll(5, 4)[0].dice == (5, 4, 4, 4, 4)


def test_dice_are_drawn_from_the_left():
    table = Table()
    table.roll(1, 2, 3, 4, 5)
    table.hold(1, 3)
    assert table.roll(6, 1, 2)[0].dice == (6, 2, 1, 4, 2)


def test_holds_stay_between_rolls_and_end_with_the_turn():
    table = Table()
    table.roll(6, 6, 1, 2, 3)
    table.hold(0, 1)
    table.roll(1, 2, 3)
    assert table.state.held == (True, True, False, False, False)
    table.score("sixes")
    assert (table.state.held, table.state.dice, table.state.rolls) == (t.NO_HOLDS, (), 0)


def test_holding_what_is_held_already_changes_nothing():
    table = Table()
    table.roll(6, 6, 1, 2, 3)
    assert table.hold() == ()
    table.hold(0)
    assert table.hold(0) == ()
    assert t.SetHold(table.state.held) in GAME.legal(table.state, 0)
    first_rules = Ctx(0, Rng(bytes(32)), rules_version=1)
    assert code(GAME.decide(table.state, 0, t.SetHold(table.state.held), first_rules)) == "same_hold"


def test_only_the_seat_in_turn_plays():
    table = Table()
    table.roll(1, 2, 3, 4, 5)
    for action in (t.Roll(), t.SetHold((True,) * 5), t.Score("ones")):
        assert code(table.do(action, seat=1)) == "not_your_turn"


# --- scoring


def test_checklist_a_filled_box_is_refused_and_a_miss_is_0():
    table = Table(seats=1)
    table.play((1, 2, 3, 4, 6), "yacht")
    assert table.sheet().scores == {"yacht": 0}
    table.roll(1, 2, 3, 4, 6)
    refused = table.score("yacht")
    assert code(refused) == "box_filled" and refused.detail.got == "yacht"
    assert code(table.score("threeKind")) == "no_such_box"


@pytest.mark.parametrize(("ones", "upper", "bonus"), [(2, 62, 0), (3, 63, 35)])
def test_checklist_the_upper_bonus_comes_with_63(ones, upper, bonus):
    table = Table()
    table.fill(0, ones=ones, twos=6, threes=9, fours=12, fives=15)
    events = table.play((6, 6, 6, 1, 1), "sixes")
    assert table.sheet().upper == upper and table.sheet().upper_bonus == bonus
    assert table.sheet().total == upper + bonus
    assert (t.UpperBonus(0, 35) in events) == bool(bonus)


def test_the_upper_bonus_is_given_once_and_before_the_section_is_full():
    table = Table(seats=1)
    table.fill(0, sixes=30, fives=25)
    assert kinds(table.play((4, 4, 4, 1, 2), "fours"))[:2] == ["Scored", "UpperBonus"]
    assert "UpperBonus" not in kinds(table.play((3, 3, 3, 1, 2), "threes"))
    assert table.sheet() == t.Sheet(table.sheet().scores, 76, 35, 0, 0, 111)


def test_traditional_has_no_upper_bonus():
    table = Table(seats=1, scoring="traditional")
    table.fill(0, sixes=30, fives=25)
    assert "UpperBonus" not in kinds(table.play((4, 4, 4, 4, 2), "fours"))
    assert table.sheet().total == 71


def test_checklist_a_second_yacht_earns_100_over_50_and_nothing_over_0():
    for first, bonus in ((50, 100), (0, 0)):
        table = Table(scoring="yahtzee")
        table.fill(0, yacht=first)
        scored = table.play((2, 2, 2, 2, 2), "twos")[0]
        assert scored == t.Scored(0, "twos", 10, bonus)
        assert table.sheet() == t.Sheet({"yacht": first, "twos": 10}, 10, 0, first, bonus, 10 + first + bonus)


def test_report_63_no_bonus_before_the_50_and_no_limit_after_it():
    table = Table(seats=1, scoring="yahtzee")
    assert table.play((6,) * 5, "sixes")[0] == t.Scored(0, "sixes", 30)
    assert table.play((6,) * 5, "yacht")[0] == t.Scored(0, "yacht", 50)
    for box in ("choice", "threeKind", "fourKind", "fullHouse"):
        assert table.play((6,) * 5, box)[0].bonus == 100
    assert table.sheet().yacht_bonus == 400
    assert table.sheet().total == 30 + 50 + 30 + 30 + 30 + 25 + 400


def test_report_65_forced_order_matching_upper_box_first():
    """Checklist too: the matching upper box, else any lower box at its full value, else an upper box with 0."""
    table = Table(scoring="yahtzee")
    table.fill(0, yacht=50)
    table.roll(5, 5, 5, 5, 5)
    assert GAME.view(table.state, SPECTATOR).preview == {"fives": 25}
    for box in rows(table.options):
        if box not in ("fives", "yacht"):
            refused = table.score(box)
            assert code(refused) == "forced_box" and refused.detail.expected == ("fives",)
    assert table.score("fives")[0] == t.Scored(0, "fives", 25, 100)

    table = Table(scoring="yahtzee")
    table.fill(0, yacht=50, fives=10)
    table.roll(5, 5, 5, 5, 5)
    assert code(table.score("sixes")) == "forced_box"
    assert table.score("largeStraight")[0] == t.Scored(0, "largeStraight", 40, 100)

    table = Table(scoring="yahtzee")
    table.leave_open(0, "ones", "sixes")
    table.roll(5, 5, 5, 5, 5)
    assert GAME.view(table.state, SPECTATOR).preview == {"ones": 0, "sixes": 0}
    assert table.score("sixes")[0] == t.Scored(0, "sixes", 0, 100)


def test_report_67_a_free_joker_takes_any_box():
    for filled, points in (({}, 0), ({"threes": 9}, 25)):
        table = Table(scoring="yahtzee", yahtzee_joker="free")
        table.fill(0, yacht=50, **filled)
        assert table.play((3,) * 5, "fullHouse")[0] == t.Scored(0, "fullHouse", points, 100)


# --- turns and rounds


def test_the_deadline_is_the_whole_turns_and_stands_in_the_event():
    table = Table(turn_seconds=30)
    first = GAME.deadline(table.state)
    assert (first.turn, first.seats, first.since_ms, first.at_ms) == (1, (0,), T0, T0 + 30_000)
    table.at_ms = T0 + 7_000
    table.roll(1, 2, 3, 4, 5)
    assert GAME.deadline(table.state) == first, "a roll does not give more time"
    turned = table.score("choice")[-1]
    assert turned == t.TurnChanged(1, 2, T0 + 7_000, T0 + 37_000)
    assert GAME.deadline(table.state).at_ms == T0 + 37_000


def test_without_a_limit_a_turn_has_no_end():
    table = Table(turn_seconds=None)
    due = GAME.deadline(table.state)
    assert due.at_ms is None and due.seats == (0,)
    assert b"at_ms" not in encode(table.events[-1])


def test_rounds_grow_when_the_turn_wraps():
    table = Table(seats=2)
    assert kinds(table.play((1, 2, 3, 4, 5), "choice")) == ["Scored", "TurnChanged"]
    assert kinds(table.play((1, 2, 3, 4, 5), "choice")) == ["Scored", "RoundChanged", "TurnChanged"]
    assert (table.state.round, table.state.current, table.state.turn) == (2, 0, 3)


def test_seats_are_shuffled_unless_the_order_is_kept():
    orders = set()
    for n in range(40):
        ctx = Ctx(T0, Rng(bytes([n]) * 32))
        dealt, turned = GAME.start(t.Options(), 4, ctx)
        assert dealt.draws == ctx.rng.n == 3 and sorted(dealt.order) == [0, 1, 2, 3]
        assert turned.seat == dealt.order[0]
        orders.add(dealt.order)
    assert len(orders) > 10
    kept = Ctx(T0, Rng(bytes(32)), keep_order=True)
    assert GAME.start(t.Options(), 4, kept)[0] == t.Dealt((0, 1, 2, 3)) and kept.rng.n == 0


# --- the end


def play_out(table: Table, dice: tuple) -> None:
    """Everyone writes the first open box, always with these dice, until the end."""
    while GAME.result(table.state) is None:
        scores = table.sheet(table.state.current).scores
        table.play(dice, next(box for box in rows(table.options) if box not in scores))


def test_checklist_twelve_rounds_of_three_end_by_themselves_and_ties_share_a_rank():
    table = Table(seats=3)
    table.play((1, 1, 1, 2, 3), "ones")
    play_out(table, (1, 1, 4, 4, 6))
    assert (table.state.round, table.state.turn) == (12, 36)
    assert kinds(table.events[-1:]) == ["Scored"], "no turn follows the last box"
    result = GAME.result(table.state)
    assert [(line.rank, line.seat) for line in result.ranking] == [(1, 0), (2, 1), (2, 2)]
    assert result.winners == (0,)
    assert GAME.deadline(table.state) is None and not GAME.legal(table.state, 0)
    assert code(table.roll()) == "not_playing"


def test_equal_totals_win_together_and_the_next_rank_is_third():
    table = Table(seats=3)
    table.play((1, 1, 2, 3, 4), "ones")
    table.play((1, 1, 2, 3, 4), "ones")
    play_out(table, (1, 4, 4, 6, 6))
    result = GAME.result(table.state)
    assert [line.rank for line in result.ranking] == [1, 1, 3] and result.winners == (0, 1)


@pytest.mark.parametrize(("scoring", "rounds"), [("yacht51", 12), ("traditional", 12), ("yahtzee", 13)])
def test_checklist_solo(scoring, rounds):
    table = Table(seats=1, scoring=scoring)
    play_out(table, (6, 6, 6, 6, 6))
    assert table.state.turn == rounds == table.state.rounds
    (line,) = GAME.result(table.state).ranking
    assert (line.rank, line.seat) == (1, 0)
    assert line.total == line.upper + line.upper_bonus + line.lower + line.yacht_bonus == table.sheet().total
    assert set(GAME.result(table.state).sheets["0"]) == set(rows(table.options))


def test_the_result_counts_yachts():
    table = Table(seats=1, scoring="yahtzee")
    table.leave_open(0, "choice", "threeKind")
    table.play((2,) * 5, "threeKind")
    table.play((1, 2, 3, 4, 6), "choice")
    assert GAME.result(table.state).ranking[0] == t.Rank(1, 0, 176, 0, 0, 76, 100, 2)


# --- giving up


def test_checklist_concede_out_of_turn_zeroes_open_boxes_and_skips_the_seat():
    table = Table(seats=3)
    table.play((6, 6, 6, 1, 1), "sixes")
    table.play((1, 2, 3, 4, 5), "choice")
    (conceded,) = table.do(t.Concede(), seat=0)
    assert set(conceded.zeroed) == set(rows(table.options)) - {"sixes"}
    assert table.sheet(0).total == 18 and len(table.sheet(0).scores) == 12
    assert table.state.current == 2, "somebody else's turn goes on"
    table.play((1, 2, 3, 4, 5), "choice")
    assert (table.state.current, table.state.round) == (1, 2)
    play_out(table, (1, 1, 1, 1, 2))
    result = GAME.result(table.state)
    assert {line.seat for line in result.ranking} == {0, 1, 2}
    assert result.sheets["0"]["sixes"] == 18 and result.sheets["0"]["yacht"] == 0


def test_conceding_in_turn_drops_the_dice_and_passes_the_turn():
    table = Table(seats=2)
    table.roll(6, 6, 6, 6, 6)
    assert kinds(table.do(t.Concede())) == ["Conceded", "TurnChanged"]
    assert (table.state.current, table.state.dice, table.state.rolls) == (1, (), 0)
    assert code(table.do(t.Concede(), seat=0)) == "already_conceded"
    assert code(table.do(t.Roll(), seat=0)) == "not_your_turn"
    assert kinds(table.play((1, 2, 3, 4, 5), "choice")) == ["Scored", "RoundChanged", "TurnChanged"]
    assert table.state.current == 1, "a single survivor plays on"


def test_the_round_grows_when_the_last_seat_concedes_in_turn():
    table = Table(seats=2)
    table.play((1, 2, 3, 4, 5), "choice")
    assert kinds(table.do(t.Concede())) == ["Conceded", "RoundChanged", "TurnChanged"]
    assert table.state.round == 2


def test_who_conceded_may_win_and_keeps_the_bonuses():
    table = Table(seats=2)
    table.fill(0, sixes=30, fives=25)
    table.play((4, 4, 4, 1, 2), "fours")
    table.do(t.Concede(), seat=0)
    play_out(table, (1, 1, 2, 2, 3))
    best = GAME.result(table.state).ranking[0]
    assert (best.seat, best.total, best.upper_bonus) == (0, 102, 35)


def test_everyone_conceding_ends_the_game_at_once():
    table = Table(seats=3)
    for seat in (2, 0):
        table.do(t.Concede(), seat=seat)
        assert GAME.result(table.state) is None
    assert kinds(table.do(t.Concede(), seat=1)) == ["Conceded"]
    result = GAME.result(table.state)
    assert [line.rank for line in result.ranking] == [1, 1, 1] and result.winners == (0, 1, 2)


def test_conceding_the_last_open_boxes_ends_the_game():
    table = Table(seats=2)
    table.leave_open(0, "choice")
    table.leave_open(1, "choice", "ones")
    table.play((1, 2, 3, 4, 5), "choice")
    table.roll(1, 1, 1, 1, 1)
    assert kinds(table.do(t.Concede())) == ["Conceded"]
    assert GAME.result(table.state).winners == (0,)
    view = GAME.view(table.state, SPECTATOR)
    assert (view.current, view.dice, view.preview) == (t.UNSET, t.UNSET, t.UNSET)


# --- what is shown


def test_the_preview_lists_what_score_would_write():
    for scoring in ("yacht51", "yahtzee", "traditional"):
        table = Table(seats=1, scoring=scoring)
        table.fill(0, twos=4, choice=20)
        table.roll(3, 3, 5, 5, 5)
        for box, points in GAME.view(table.state, SPECTATOR).preview.items():
            events = GAME.decide(table.state, 0, t.Score(box), Ctx(T0, Rng(bytes(32))))
            assert (events[0].category, events[0].points) == (box, points)


def test_without_show_preview_only_the_seat_in_turn_has_one():
    table = Table(seats=3, show_preview=False)
    assert GAME.apart(table.state) == ()
    table.roll(1, 2, 3, 4, 5)
    assert GAME.apart(table.state) == (0,)
    assert GAME.view(table.state, Seated(0)).preview["largeStraight"] == 30
    assert GAME.view(table.state, Seated(1)).preview is t.UNSET
    assert GAME.view(table.state, SPECTATOR).preview is t.UNSET
    shown = Table(seats=3)
    shown.roll(1, 2, 3, 4, 5)
    assert GAME.apart(shown.state) == ()
    assert GAME.view(shown.state, SPECTATOR) == GAME.view(shown.state, Seated(0))


def test_checklist_the_view_holds_public_fields_only():
    table = Table(seats=2)
    before = encode(GAME.view(table.state, Seated(0)))
    assert b"dice" not in before and b"preview" not in before
    table.roll(1, 2, 3, 4, 5)
    assert set(t.View.__struct_encode_fields__) == {
        "order",
        "round",
        "rounds",
        "held",
        "rolls_used",
        "sheets",
        "conceded",
        "current",
        "dice",
        "preview",
    }
    assert b"null" not in encode(GAME.view(table.state, Seated(0)))


def test_the_specifications_own_sentences_are_kept():
    assert GAME.codes["no_rolls_left"] == "이번 차례에는 더 굴릴 수 없어요."
    assert GAME.codes["all_held"] == "굴릴 주사위를 하나 이상 풀어 주세요."


def test_no_sentence_has_a_hole_that_nobody_fills():
    assert not [text for text in GAME.codes.values() if "○" in text]
