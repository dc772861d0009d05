"""Goal: options that do not go together are refused with both named, in every game, and what a game says of itself in its
`fits` is what its check does. Method: every value beside every other one, and the file that the web client is tested with."""

from itertools import product

import pytest

from engine.game import Rejected, read_options
from engine.games import find, games
from engine.games.yacht.scoring import rules_of
from tests.engine.options_table import FIXTURE, fixture, values

WITH_FITS = [game for game in games().values() if game.fits]
every_game = pytest.mark.parametrize("game", WITH_FITS, ids=lambda game: game.name)


def test_the_web_clients_table_of_options_is_fresh() -> None:
    assert FIXTURE.read_bytes() == fixture(), "stale: python -m tests.engine.options_table"


def others(game) -> list[dict]:
    """Every combination of the options that others depend on."""
    names = sorted({name for fit in game.fits for name in fit.needs})
    known = values(game)
    return [dict(zip(names, chosen, strict=True)) for chosen in product(*(known[name] for name in names))]


@every_game
def test_an_option_is_taken_where_it_has_a_meaning_and_refused_elsewhere_naming_both(game) -> None:
    known = values(game)
    for option, beside in product(dict.fromkeys(fit.option for fit in game.fits), others(game)):
        fits = [fit for fit in game.fits if fit.option == option]
        meant = any(all(beside[name] in listed for name, listed in fit.needs.items()) for fit in fits)
        for value in known[option]:
            answer = read_options(game, {**beside, option: value})
            if meant:
                assert not isinstance(answer, Rejected), (beside, option, value)
                continue
            assert answer.code == "bad_options"
            detail = answer.detail
            assert (detail.field, detail.got) == (option, value)
            assert detail.beside == {name: beside[name] for name in detail.expected}
            assert any(beside[name] not in listed for name, listed in detail.expected.items())


@every_game
def test_what_is_usual_is_a_value_that_the_option_can_have(game) -> None:
    for fit in game.fits:
        assert fit.usual in values(game)[fit.option]


@pytest.mark.parametrize("fit", find("yacht").fits, ids=lambda fit: f"{fit.option} in {fit.needs['scoring'][0]}")
def test_to_say_what_is_usual_in_yacht_changes_nothing(fit) -> None:
    scoring = {"scoring": fit.needs["scoring"][0]}
    plain, said = (read_options(find("yacht"), raw) for raw in (scoring, {**scoring, fit.option: fit.usual}))
    assert rules_of(plain) == rules_of(said)


@pytest.mark.parametrize(
    ("options", "seats", "expected", "beside"),
    [
        ({}, (0,), (2, 3, 4), {"mode": "individual"}),
        ({}, (0, 1, 2, 3, 4), (2, 3, 4), {"mode": "individual"}),
        ({"mode": "team"}, (0, 1), (4, 6, 8), {"mode": "team"}),
        ({"mode": "team"}, (0, 1, 2), (4, 6, 8), {"mode": "team"}),
    ],
)
def test_the_numbers_of_players_that_a_mode_takes_are_told(options, seats, expected, beside) -> None:
    detail = read_options(find("yut"), options, seats).detail
    assert (detail.field, detail.expected, detail.got, detail.beside) == ("seats", expected, len(seats), beside)


def test_the_seats_that_a_team_game_takes_are_told() -> None:
    detail = read_options(find("yut"), {"mode": "team"}, (0, 1, 3, 4)).detail
    assert (detail.field, detail.expected, detail.got) == ("seats", (0, 1, 2, 3), [0, 1, 3, 4])
