"""The cross-field rules of the options, in one place, and the Korean sentences of the game's own reject codes."""

from engine.fits import refused
from engine.game import Rejected
from engine.games.yut.types import Options
from schemas.fits import Fit, Seating

CODES = {
    "cannot_throw": "지금은 윷을 던질 차례가 아니에요.",
    "throw_first": "먼저 윷을 던져야 해요.",
    "no_such_throw": "그런 윷 결과가 없어요.",
    "cannot_move": "그 말은 움직일 수 없어요.",
    "already_conceded": "이미 기권했어요.",
    "already_finished": "말을 모두 낸 편은 기권할 수 없어요.",
}
FITS = (
    Fit("backdoFromDo", {"backdo": (True,)}, "chammeogi"),
    Fit("backdoCaptureBonus", {"backdo": (True,)}, True),
    Fit("ranking", {"mode": ("individual",)}, "first"),
    Fit("teamConcede", {"mode": ("team",)}, "everyone"),
)
# In a team game seats alternate: even ones are blue, odd ones red.
SEATINGS = (
    Seating({"mode": ("individual",)}, (2, 3, 4)),
    Seating({"mode": ("team",)}, (4, 6, 8), in_row=True),
)


def check(options: Options, seats: tuple[int, ...]) -> Rejected | None:
    """What contradicts itself or the taken seats, as bad_options. `seats` is () while only options are known."""
    return refused(FITS, SEATINGS, options, seats)


def allies(options: Options, seats: tuple[int, ...], seat: int) -> tuple[int, ...]:
    """In teams the even seats play blue, the odd ones red."""
    if options.mode != "team":
        return (seat,)
    return tuple(other for other in seats if other % 2 == seat % 2)
