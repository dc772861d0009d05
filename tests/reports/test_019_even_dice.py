"""Goal: every face is as likely as every other, and there is no seventh. Method: 600 000 dice of one game's key from the
generator that games use; the largest float below 1 and 0 through the same mapping; and that a Yacht table has these dice.
"""

import hashlib
import math

import pytest

from engine.game import Ctx
from engine.games.yacht import GAME
from engine.games.yacht.types import Options, Roll
from engine.rng import Rng, derive_key

SEED = hashlib.sha256(b"report 19").digest()
DICE = 600_000


def rng() -> Rng:
    return Rng(derive_key(SEED, "K7Q2MX/1", (bytes(32),)))


def test_each_face_of_600_000_dice_is_a_sixth() -> None:
    """1 200 is four standard deviations; the seed is fixed, so this is a fact and no draw."""
    die = rng().die
    counts = [0] * 8
    for _ in range(DICE):
        counts[die()] += 1
    assert counts[0] == counts[7] == 0
    assert all(abs(count - DICE // 6) <= 1_200 for count in counts[1:7]), counts


@pytest.mark.parametrize(("value", "face"), [(math.nextafter(1.0, 0.0), 6), (0.0, 1), (math.nextafter(0.0, 1.0), 1)])
def test_the_ends_of_the_range_are_faces(monkeypatch: pytest.MonkeyPatch, value: float, face: int) -> None:
    monkeypatch.setattr("engine.rng.unit", lambda digest: value)
    assert rng().die() == face
    assert 0 <= rng().below(6) <= 5


def test_a_table_rolls_these_dice() -> None:
    """No other way from number to face between the generator and the event."""
    options = Options()
    expected, drawn = rng(), rng()
    for _ in range(2_000):
        state = GAME.new(options, 1)
        for event in GAME.start(options, 1, Ctx(0, drawn, keep_order=True)):
            state = GAME.evolve(state, event)
        rolled = GAME.decide(state, 0, Roll(), Ctx(0, drawn))[0]
        assert rolled.dice == tuple(expected.die() for _ in range(5))
