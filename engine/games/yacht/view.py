"""What is shown: the view, who sees more than others, and the result.

Nothing is hidden in Yacht. The only difference between viewers is the preview: a host may keep it to the seat in turn.
"""

from msgspec import UNSET

from engine.game import Seated, Viewer
from engine.games.yacht import types as t
from engine.games.yacht.rules import KEYS
from engine.games.yacht.scoring import YACHT_BONUS, outcomes


def view(state: t.State, viewer: Viewer) -> t.View:
    """The table as `viewer` sees it."""
    seat, dice, options = state.current, state.dice, state.options
    preview = UNSET
    if dice and (options.show_preview or (type(viewer) is Seated and viewer.seat == seat)):
        allowed = outcomes(dice, state.sheets[KEYS[seat]], options)
        preview = {box: worth.points for box, worth in allowed.items()}
    return t.View(
        state.order,
        state.round,
        state.rounds,
        state.held,
        state.rolls,
        state.sheets,
        state.conceded,
        seat if state.left else UNSET,
        dice or UNSET,
        preview,
    )


def apart(state: t.State) -> tuple[int, ...]:
    """The seat in turn, while it alone sees a preview."""
    return (state.current,) if state.dice and not state.options.show_preview else ()


def result(state: t.State) -> t.Result | None:
    """The ranking once no box is open; who gave up is ranked by total like anyone."""
    if state.left:
        return None
    sheets = [state.sheets[KEYS[seat]] for seat in range(len(state.order))]
    totals = [sheet.total for sheet in sheets]
    ranking = tuple(
        t.Rank(
            1 + sum(other > sheet.total for other in totals),
            seat,
            sheet.total,
            sheet.upper,
            sheet.upper_bonus,
            sheet.lower,
            sheet.yacht_bonus,
            (sheet.scores.get("yacht", 0) > 0) + sheet.yacht_bonus // YACHT_BONUS,
        )
        for seat, sheet in sorted(enumerate(sheets), key=lambda pair: -pair[1].total)
    )
    winners = tuple(line.seat for line in ranking if line.rank == 1)
    return t.Result(ranking, winners, {key: sheet.scores for key, sheet in state.sheets.items()})
