"""A game's compiled parts: decoders for its entries, events and snapshots, made once per process.

Everything generic takes a Kit instead of a Game, so that no hot path builds a decoder and no module keeps a list of games.
"""

from functools import cache
from typing import Any, get_args

import msgspec

from engine.game import Game, read_options
from engine.games import find
from engine.room.events import RoomEvent
from engine.room.state import Chance, Room, evolve
from schemas.base import encode

SNAPSHOT_SCHEMA = 1  # raise when Room, Seat or Chance change shape: older snapshots are then rebuilt from the stream


class Kit:
    """decode_event(json) -> event; decode_action(json) -> action; decode_room / encode_room: snapshots (msgpack).

    All decoders raise msgspec.MsgspecError on damage.
    """

    def __init__(self, game: Game) -> None:
        room_tags = {kind.__struct_config__.tag for kind in get_args(RoomEvent)}
        for kind in get_args(game.Event) or (game.Event,):
            if kind.__struct_config__.tag in room_tags:
                raise ValueError(f"game {game.name!r}: event {kind.__struct_config__.tag!r} is one of the room's own")
        self.game = game
        self.snapshot_schema = b"%d.%d" % (SNAPSHOT_SCHEMA, game.rules_version)
        self.decode_event = msgspec.json.Decoder(RoomEvent | game.Event).decode
        self.decode_action = msgspec.json.Decoder(game.Action).decode
        self.decode_room = msgspec.msgpack.Decoder(Room[game.State]).decode
        self.encode_room = msgspec.msgpack.Encoder().encode
        self._options: dict[bytes, Any] = {}

    def options(self, raw: dict[str, Any]) -> Any:
        """The typed options of an accepted room. Raises ValueError for options that were never accepted."""
        name = encode(raw)
        found = self._options.get(name)
        if found is None:
            found = read_options(self.game, raw)
            if not isinstance(found, self.game.Options):
                raise ValueError(f"options not accepted: {found}")
            if len(self._options) < 1024:
                self._options[name] = found
        return found

    def evolve(self, room: Room | None, events: Any) -> Room | None:
        """Fold events onto a room."""
        return evolve(self, room, events)


@cache
def kit(name: str) -> Kit:
    """The Kit of a game by name. Raises KeyError when no such game is installed."""
    return Kit(find(name))


decode_chance = msgspec.msgpack.Decoder(Chance).decode
encode_chance = msgspec.msgpack.Encoder().encode
