"""Golden logs: whole games of every rule set, decided again by today's code (tests/golden/make.py says what a change means)."""

import re
from pathlib import Path

import pytest

import engine.games
from engine import chain
from engine.fold import fold, verify
from engine.kit import kit
from tests.golden import make

LOGS = sorted(make.HERE.glob("*/*.jsonl"))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_log_is_decided_again_to_the_same_bytes(path: Path) -> None:
    log = make.read(path)
    k = kit(log.head.game)
    room = fold(k, log.events)
    assert room.version == log.foot.version and room.phase == "over"
    if not k.game.decides(log.head.rules_version):
        return  # an older release's: its events must fold for ever, its decisions were made under other rules
    codes = []
    report = verify(k, log.head.id, log.entries, log.events, {}, None, lambda at, decided: codes.append(decided.code))
    assert report.ok, report
    assert codes == [line.code for line in log.lines]
    assert chain.text(report.head) == log.foot.head and report.room == room


@pytest.mark.parametrize("game", sorted(engine.games.games()))
def test_every_game_has_golden_logs_for_all_its_cases(game: str) -> None:
    missing = [case.name for case in make.cases(game) if not make.path_of(game, case).exists()]
    assert not missing, f"python -m tests.golden.make {game}"
    assert set(LOGS) >= {make.path_of(game, case) for case in make.cases(game)}


def test_no_log_is_left_over() -> None:
    """A case that was renamed leaves a file that nobody regenerates; logs of older rules versions stay on purpose."""
    for path in LOGS:
        name, rules, form = re.fullmatch(r"(.+)\.v(\d+)(?:\.f(\d+))?", path.stem).groups(default="1")
        game = path.parent.name
        known = {case.name for case in make.cases(game)}
        older = int(rules) < engine.games.find(game).rules_version or int(form) < chain.FORMAT
        assert name in known or older, path


@pytest.mark.parametrize("game", sorted(engine.games.games()))
def test_regenerating_a_log_changes_nothing(game: str) -> None:
    for case in make.cases(game)[:2]:
        assert make.play(game, case) == make.path_of(game, case).read_bytes(), f"python -m tests.golden.make {game}"


MARKS = {
    "yacht": (
        '"cause":"deadline" "cause":"absent" "away":[ "back" "conceded" "withheld":[ "upper_bonus" "bonus":100'
        ' "code":"bad_action" "scoring":"yahtzee" "yahtzeeJoker":"free" "scoring":"traditional" "points":40,"bonus":100'
        ' "upperBonus":"none" "upperBonus":35 "upperBonus":50 "fullHouseScore":40 "littleStraightScore":15'
    ),
    "yut": (
        '"cause":"deadline" "cause":"absent" "nak" "backdo" "captured" "stacked" "discarded" "finished_pieces" "conceded"'
        ' "side_finished" "mode":"team" "finishRule":"reach" "ranking":"all" "code":"bad_action"'
    ),
}


@pytest.mark.parametrize("game", sorted(MARKS))
def test_the_logs_have_in_them_what_they_are_for(game: str) -> None:
    text = "".join(path.read_text() for path in LOGS if path.parent.name == game)
    assert [mark for mark in MARKS[game].split() if mark not in text] == []
