"""The throw: four sticks, one draw each, stick 0 marked (docs/rules.md)."""

from engine.games.yut.types import Options, Sticks
from engine.rng import Rng

FLAT = {"realistic": 0.6, "fair": 0.5}  # chance that a stick lands flat side up
_BY_FLATS = ("mo", "do", "gae", "geol", "yut")
AGAIN = ("yut", "mo")


def read(sticks: Sticks, backdo: bool) -> str:
    """The outcome of four sticks. Without the backdo option the mark means nothing."""
    flats = sum(sticks)
    if flats == 1 and sticks[0] and backdo:
        return "backdo"
    return _BY_FLATS[flats]


def throw(options: Options, rng: Rng) -> tuple[Sticks, str] | None:
    """Sticks and outcome, or None for nak. Draws: one for nak where the option is on, then, without nak, one per
    stick.
    """
    if options.nak_percent and rng.next() < options.nak_percent / 100:
        return None
    flat = FLAT[options.stick_model]
    draw = rng.next
    sticks = (draw() < flat, draw() < flat, draw() < flat, draw() < flat)
    return sticks, read(sticks, options.backdo)
