"""The Yut board as data: 29 nodes, the ways over them, and how far each node is from the goal.

The outer ring runs 0 (start and end) -> 1 .. 19 -> 0; two diagonals cross in node 22. A move that STARTS on a corner
(5, 10) or on the centre turns onto the short cut; one that passes them goes straight on. A move's path therefore
depends on its first node and its length only, and all paths are made once, here.
"""

from engine.games.yut.types import HOME

NODES = 29
CENTRE = 22
STEPS = {"do": 1, "gae": 2, "geol": 3, "yut": 4, "mo": 5, "backdo": -1}

PASSING = {node: node + 1 for node in range(1, 19)} | {
    **{HOME: 1, 19: 0},
    **{20: 21, 21: 22, 23: 24, 24: 15},
    **{25: 26, 26: 22, 27: 28, 28: 0},
}
STRAIGHT = {21: 23, 26: 27}  # through the centre, by the node before it
TURNING = {5: 20, 10: 25, CENTRE: 27}  # on starting from here

# Fewest steps from a node until a piece is out, under finish rule "pass". For ranking and the order of
# automatic moves only; no move is made by it.
DISTANCE: dict[int | str, int] = {
    **{HOME: 12, 0: 1, 1: 11, 2: 10, 3: 9, 4: 8, 5: 7, 6: 11, 7: 10, 8: 9, 9: 8, 10: 7, 11: 10, 12: 9, 13: 8, 14: 7},
    **{15: 6, 16: 5, 17: 4, 18: 3, 19: 2, 20: 6, 21: 5, 22: 4, 23: 8, 24: 7, 25: 6, 26: 5, 27: 3, 28: 2},
}


def next_node(node: int | str, before: int | str | None) -> int:
    """The node after `node`. `before` is the node passed just before it in this move, None when the move starts here.

    Never asked for 0: whoever goes on from there is out.
    """
    if before is None and node in TURNING:
        return TURNING[node]
    if node == CENTRE:
        return STRAIGHT[before]
    return PASSING[node]


def _path(start: int | str, steps: int) -> tuple[int, ...]:
    path: list[int] = []
    node, before = start, None
    while node != 0 and len(path) < steps:
        node, before = next_node(node, before), node
        path.append(node)
    return tuple(path)


# PATHS[start][steps]: the nodes a piece comes to, ending early with 0 where the board ends. A path shorter than its
# steps has left the board.
PATHS: dict[int | str, tuple[tuple[int, ...], ...]] = {
    start: tuple(_path(start, steps) for steps in range(6)) for start in (HOME, *range(NODES))
}


def trace(node: int | str, trail: tuple[int, ...], outcome: str, reach: bool, finish: bool) -> tuple:
    """Where `outcome` leads from `node`: (path, cut, out), see `Moved`. HOME cannot take a backdo.

    reach, finish: the options finishRule and backdoFromDo say so. A backdo returns by the trail; with no record it
    goes to the node before on the outer ring, and from node 1 to node 0 as one that has been around.
    """
    steps = STEPS[outcome]
    if steps > 0:
        path = PATHS[node][steps]
        return path, 0, len(path) < steps or (reach and path[-1] == 0)
    if len(trail) > 1:
        return trail[-2:-1], 2, False
    if node == 1:
        return (0,), 1, finish or reach
    return (node - 1 if node else 19,), 1, False
