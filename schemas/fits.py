"""What of a game's options goes together, as data: its own check judges by it, and a form offers nothing else."""

from typing import Any

from msgspec import Struct

from schemas.base import Count


class Fit(Struct, frozen=True, omit_defaults=True):
    """`option` has a meaning where each option in `needs` has one of the values listed there, and only there.

    Names are those of the wire. Several Fits of one option: any of them will do; an option without one always has a
    meaning. usual: what the option is there when it is left out.
    """

    option: str
    needs: dict[str, tuple[Any, ...]]
    usual: Any = None


class Seating(Struct, frozen=True, omit_defaults=True):
    """How many may play where `needs` holds (as in Fit). in_row: on the first seats, without a gap between them."""

    needs: dict[str, tuple[Any, ...]]
    counts: tuple[Count, ...]
    in_row: bool = False
