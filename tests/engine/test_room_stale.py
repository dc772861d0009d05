"""A move says what it has seen: one that was decided on before the table changed for its seat is refused (`stale_view`)."""

import pytest

from engine.games.yacht import types as t
from schemas import entry as cmd
from tests.engine.room_kit import Table
from tests.games.duel import Choose

HOLD = t.SetHold((True, False, False, False, False))


def seen(table: Table) -> int:
    return table.room.version


def test_two_rolls_from_two_devices_are_one_roll():
    table = Table().begin("ann", "ben")
    view = seen(table)
    assert table.act(0, t.Roll(), after=view).code == "ok"
    second = table.act(0, t.Roll(), after=view)
    assert second.code == "stale_view" and second.events == ()
    assert (second.detail.field, second.detail.expected, second.detail.got) == ("after", view + 1, view)
    assert table.act(0, t.Roll(), after=seen(table)).code == "ok"
    table.check()


def test_who_does_not_say_what_they_saw_is_not_asked():
    table = Table().begin("ann", "ben")
    assert table.act(0, t.Roll()).code == table.act(0, t.Roll()).code == "ok"


def test_what_happens_beside_the_game_makes_no_view_old():
    table = Table().begin("ann", "ben")
    view = seen(table)
    table.drop("ben")
    table.back("ben")
    table.send(cmd.HouseAway(0, table.now))
    assert seen(table) == view + 3
    assert table.act(0, t.Roll(), after=view).code == "ok"


def test_somebody_else_who_gives_up_makes_no_view_old():
    table = Table().begin("ann", "ben", "cho")
    table.act(0, t.Roll())
    view = seen(table)
    assert table.act(2, t.Concede()).code == "ok"
    assert table.act(0, HOLD, after=view).code == "ok"
    assert table.act(0, t.Roll(), after=view).code == "stale_view"


def test_a_choice_of_one_of_several_who_have_to_act_makes_no_view_of_the_others_old():
    table = Table("duel").begin("ann", "ben")
    view = seen(table)
    assert table.act(0, Choose("rock"), after=view).code == "ok"
    assert table.act(1, Choose("rock"), after=view).code == "ok"
    late = table.act(0, Choose("paper"), after=view)
    assert late.code == "stale_view", "the next round is another view for both"


@pytest.mark.parametrize("turn", [1, None])
@pytest.mark.parametrize("after", [1, None])
def test_giving_up_is_never_too_late_for_a_turn_or_a_view(turn, after):
    table = Table().begin("ann", "ben", "cho")
    table.act(0, t.Roll())
    table.act(0, t.Score("choice"))
    assert table.act(0, t.Concede(), turn=turn, after=after).code == "ok"
    table.check()


def test_in_logs_of_the_first_format_it_could_be():
    table = Table(format=1).begin("ann", "ben", "cho")
    table.act(0, t.Roll())
    table.act(0, t.Score("choice"))
    assert table.act(0, t.Concede(), turn=1).code == "stale_turn"
    table.check()


def test_a_move_of_a_turn_that_is_over_is_named_as_that():
    table = Table().begin("ann", "ben")
    view = seen(table)
    table.act(0, t.Roll())
    table.act(0, t.Score("choice"))
    assert table.act(0, t.Roll(), turn=1, after=view).code == "stale_turn"


def test_an_automatic_turn_makes_the_view_old():
    table = Table().begin("ann")
    view = seen(table)
    table.timeout()
    assert table.act(0, t.Roll(), after=view).code == "stale_view"
