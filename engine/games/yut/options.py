"""The cross-field rules of the options, in one place, and the Korean sentences of the game's own reject codes."""

from msgspec import UNSET

from engine.game import Rejected
from engine.games.yut.types import Options
from schemas.base import Detail

CODES = {
    "cannot_throw": "지금은 윷을 던질 차례가 아니에요.",
    "throw_first": "먼저 윷을 던져야 해요.",
    "no_such_throw": "그런 윷 결과가 없어요.",
    "cannot_move": "그 말은 움직일 수 없어요.",
    "already_conceded": "이미 기권했어요.",
    "already_finished": "말을 모두 낸 편은 기권할 수 없어요.",
}
TEAM_SIZES = (4, 6, 8)

# option -> what gives it a meaning
_NEEDS = {
    "backdo_from_do": ("backdoFromDo", "left out unless backdo is true", lambda o: o.backdo),
    "backdo_capture_bonus": ("backdoCaptureBonus", "left out unless backdo is true", lambda o: o.backdo),
    "ranking": ("ranking", "left out unless mode is individual", lambda o: o.mode == "individual"),
    "team_concede": ("teamConcede", "left out unless mode is team", lambda o: o.mode == "team"),
}


def check(options: Options, seats: tuple[int, ...]) -> Rejected | None:
    """What contradicts itself or the taken seats, as bad_options. `seats` is () while only options are known."""
    for name, (wire, expected, meaningful) in _NEEDS.items():
        got = getattr(options, name)
        if got is not UNSET and not meaningful(options):
            return _bad(wire, expected, got)
    if not seats:
        return None
    count = len(seats)
    if options.mode == "individual":
        return None if 2 <= count <= 4 else _bad("seats", "2 to 4 players in individual mode", count)
    if count == 2:
        return _bad("mode", "individual for two players", options.mode)
    if count not in TEAM_SIZES:
        return _bad("seats", "4, 6 or 8 players in team mode", count)
    if sorted(seats) != list(range(count)):
        return _bad("seats", f"seats 0 to {count - 1} without a gap: even ones blue, odd ones red", list(seats))
    return None


def allies(options: Options, seats: tuple[int, ...], seat: int) -> tuple[int, ...]:
    """In teams the even seats play blue, the odd ones red."""
    if options.mode != "team":
        return (seat,)
    return tuple(other for other in seats if other % 2 == seat % 2)


def _bad(name: str, expected: str, got) -> Rejected:
    return Rejected("bad_options", Detail(field=name, expected=expected, got=got))
