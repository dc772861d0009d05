"""Goal: the board, the distances and the chances are right. Method: derive each again from first principles, with another
model than the game uses: lines that a piece follows, breadth-first search, and exact fractions."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest

from engine.games.yut.board import DISTANCE, PASSING, PATHS, STRAIGHT, TURNING
from engine.games.yut.throw import read, throw
from engine.games.yut.types import HOME, OUTCOMES, Options
from engine.games.yut.view import remaining
from engine.rng import Rng
from tests.engine.test_yut_table import Table

RING = [*range(20), 0]
ONE = [5, 20, 21, 22, 23, 24, 15]  # 모 -> 찌모
TWO = [10, 25, 26, 22, 27, 28, 0]  # 뒷모 -> 참먹이


def walked(start: int | str, steps: int) -> list[int]:
    """Follow lines: a standing piece takes the line that brings it home soonest, and stays on it until it ends."""
    if start == 0:
        return []
    if start == HOME:
        line, at = RING, 0
    else:
        line = next(line for line in (TWO, ONE, RING) if start in line[:-1])
        at = line.index(start)
    path = []
    while len(path) < steps:
        at += 1
        if at == len(line):
            if line[-1] == 0:
                break
            line, at = RING, RING.index(line[-1]) + 1
        path.append(line[at])
    return path


@pytest.mark.parametrize("start", [HOME, *range(29)])
def test_every_path_follows_the_lines_of_the_board(start):
    for steps in range(1, 6):
        assert list(PATHS[start][steps]) == walked(start, steps), (start, steps)


def test_the_board_has_29_nodes_and_no_dead_end():
    nodes = set(RING) | set(ONE) | set(TWO)
    assert nodes == set(range(29))
    assert set(PASSING) | {0, 22} == nodes | {HOME}


def test_distances_are_the_shortest_ways_out():
    ways: dict = {node: {after} for node, after in PASSING.items()}
    ways[22] = set(STRAIGHT.values())
    for node, after in TURNING.items():
        ways[node].add(after)
    ways[0] = {"goal"}
    for start in (HOME, *range(29)):
        reached, steps = {start}, 0
        while "goal" not in reached:
            reached = set().union(*(ways[node] for node in reached))
            steps += 1
        assert DISTANCE[start] == steps, start


def test_remaining_distance_counts_every_piece_and_reach_takes_one_off_each_unfinished():
    side = Table({22: 2, 3: 1}, {}, pieces=5).state.sides[0]
    assert remaining(side, False) == 2 * 4 + 9 + 2 * 12
    assert remaining(side, True) == remaining(side, False) - 5
    out = Table({"done": 4}, {}).state.sides[0]
    assert remaining(out, False) == remaining(out, True) == 0


# --- chances

TABLE = {  # 004 5.1
    "realistic": {"do": 0.1152, "backdo": 0.0384, "gae": 0.3456, "geol": 0.3456, "yut": 0.1296, "mo": 0.0256},
    "fair": {"do": 0.1875, "backdo": 0.0625, "gae": 0.375, "geol": 0.25, "yut": 0.0625, "mo": 0.0625},
}
P = {"realistic": Fraction(3, 5), "fair": Fraction(1, 2)}


@pytest.mark.parametrize("model", ["realistic", "fair"])
def test_chances_of_all_sixteen_falls_add_up_to_the_table(model):
    p = P[model]
    chance = dict.fromkeys(TABLE[model], Fraction(0))
    for sticks in product((False, True), repeat=4):
        weight = Fraction(1)
        for flat in sticks:
            weight *= p if flat else 1 - p
        chance[read(sticks, True)] += weight
    assert chance["backdo"] == p * (1 - p) ** 3 and chance["do"] == 3 * p * (1 - p) ** 3
    for flats, outcome in ((2, "gae"), (3, "geol"), (4, "yut"), (0, "mo")):
        assert chance[outcome] == comb(4, flats) * p**flats * (1 - p) ** (4 - flats)
    assert {outcome: float(value) for outcome, value in chance.items()} == TABLE[model]


def test_without_backdo_the_mark_means_nothing():
    assert read((True, False, False, False), True) == "backdo"
    assert read((True, False, False, False), False) == "do"
    assert read((False, True, False, False), True) == "do"


@pytest.mark.parametrize("model", ["realistic", "fair"])
def test_100_000_throws_fall_as_the_table_says(model):
    rng, options = Rng(b"yut " + model.encode()), Options(stick_model=model)
    count = dict.fromkeys(OUTCOMES, 0)
    for _ in range(100_000):
        count[throw(options, rng)[1]] += 1
    assert rng.n == 400_000 and count["nak"] == 0
    for outcome, chance in TABLE[model].items():
        assert abs(count[outcome] / 100_000 - chance) <= 0.005, (outcome, count)


@pytest.mark.parametrize("percent", [3, 5, 10])
def test_nak_falls_as_often_as_the_option_says_and_leaves_the_other_chances_alone(percent):
    rng, options = Rng(b"nak"), Options(nak_percent=percent)
    fallen = [throw(options, rng) for _ in range(40_000)]
    nak = fallen.count(None)
    assert abs(nak / 40_000 - percent / 100) <= 0.005
    assert rng.n == nak + 5 * (40_000 - nak)
    gae = sum(1 for one in fallen if one and one[1] == "gae")
    assert abs(gae / (40_000 - nak) - 0.3456) <= 0.01


def test_sticks_are_drawn_one_by_one_with_the_marked_one_first():
    class Values(Rng):
        def __init__(self, *values):
            super().__init__(b"")
            self.values = values

        def next(self):
            self.n += 1
            return self.values[self.n - 1]

    assert throw(Options(), Values(0.59, 0.6, 0.7, 0.99)) == ((True, False, False, False), "backdo")
    assert throw(Options(stick_model="fair"), Values(0.5, 0.49, 0.7, 0.99)) == ((False, True, False, False), "do")
    assert throw(Options(nak_percent=3), Values(0.0299999)) is None
    assert throw(Options(nak_percent=3), Values(0.03, 0.0, 0.0, 0.0, 0.0)) == ((True,) * 4, "yut")
