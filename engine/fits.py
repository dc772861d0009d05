"""The judge of schemas/fits.py: whether options go together, and whether the people at the table can play by them."""

from functools import lru_cache
from typing import Any

from msgspec import UNSET

from engine.game import Rejected
from schemas.base import Detail
from schemas.fits import Fit, Seating


def refused(
    fits: tuple[Fit, ...], seatings: tuple[Seating, ...], options: Any, seats: tuple[int, ...]
) -> Rejected | None:
    """bad_options of the first option without a meaning, else of the number or places of the taken `seats`; or None.

    options: a game's Options; None and UNSET are left out. seats: () while only options are known. In the detail `beside`
    holds the other options that are in the way, as they stand, and `expected` what they would have to be; for seats
    `expected` is what the mode takes: the numbers of players, or the seats (then `got` is a list, too).
    """
    for option in dict.fromkeys(fit.option for fit in fits):
        got = _value(options, option)
        own = [fit for fit in fits if fit.option == option]
        if got is not None and not any(_holds(fit.needs, options) for fit in own):
            beside = {name: _value(options, name) for fit in own for name in fit.needs}
            expected = {name: _values(own, name) for name in beside}
            return Rejected("bad_options", Detail(option, expected, got, beside=beside))
    mode = next((one for one in seatings if _holds(one.needs, options)), None)
    if mode is None or not seats:
        return None
    beside = {name: _value(options, name) for name in mode.needs}
    if len(seats) not in mode.counts:
        return Rejected("bad_options", Detail("seats", mode.counts, len(seats), beside=beside))
    if mode.in_row and sorted(seats) != list(range(len(seats))):
        return Rejected("bad_options", Detail("seats", tuple(range(len(seats))), list(seats), beside=beside))
    return None


def _holds(needs: dict[str, tuple], options: Any) -> bool:
    return all(_value(options, name) in values for name, values in needs.items())


def _values(fits: list[Fit], name: str) -> tuple:
    return tuple(dict.fromkeys(value for fit in fits for value in fit.needs.get(name, ())))


def _value(options: Any, name: str) -> Any:
    """The value of an option by its name on the wire; None when it is left out."""
    value = getattr(options, _attributes(type(options))[name])
    return None if value is UNSET else value


@lru_cache(64)
def _attributes(kind: type) -> dict[str, str]:
    return dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))
