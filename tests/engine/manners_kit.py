"""Tables at the moments that table manners are about: a game just over, the next game of a room, a lobby with settings."""

import msgspec

from engine.game import SPECTATOR
from engine.kit import kit
from engine.room.lobby import reopening
from engine.room.state import Room
from schemas import entry as cmd
from schemas.base import encode
from tests.engine.room_kit import Table

NEXT_SECRET = bytes(range(32, 64))


class Reopened(Table):
    """The next game of a room that agreed on a rematch, opened as a worker opens it."""

    def __init__(self, room: Room, n: int = 2) -> None:
        self._opening = msgspec.json.decode(reopening(kit(room.game), room, NEXT_SECRET), type=cmd.AnyCommand)
        super().__init__(room.game, n=n, secret=NEXT_SECRET)

    def send(self, command, at=None, private=b"", origin=""):
        return super().send(self._opening if isinstance(command, cmd.Open) else command, at, private, origin)


def lobby(*players: str, game: str = "yacht", **settings: object) -> Table:
    """A lobby of ann's with these settings and players."""
    table = Table(game).seat_all(*players)
    assert table.send(cmd.Configure("ann", None, cmd.Settings(keep_order=True, **settings))).code == "ok"
    return table


def over(*players: str, game: str = "yacht", **settings: object) -> Table:
    """A game that was just given up by everybody (of a duel: played)."""
    table = lobby(*players, game=game, **settings)
    assert table.start().code == "ok"
    while table.room.phase == "playing":
        if game == "duel":
            for seat, hand in ((0, "rock"), (1, "paper")):
                assert table.act(seat, encode({"type": "choose", "hand": hand})).code == "ok"
        else:
            for seat in range(len(players)):
                assert table.act(seat, b'{"type":"concede"}').code == "ok"
    assert table.room.phase == "over"
    return table


def votes(table: Table) -> dict[str, bool]:
    """player -> wants another game, as the view shows it."""
    return {seat.player: seat.rematch is True for seat in table.view(SPECTATOR).seats.values()}
