"""A game's compiled parts: decoders for its entries, events and snapshots, made once per process.

Everything generic takes a Kit instead of a Game, so that no hot path builds a decoder and no module keeps a list of games.
"""

from functools import cache
from typing import Any, get_args

import msgspec
from msgspec import UNSET

from engine.game import Game, read_options
from engine.games import find
from engine.room.events import RoomEvent
from engine.room.state import Chance, Room, evolve
from schemas.base import encode

SNAPSHOT_SCHEMA = 2  # raise when Room, Seat or Chance change shape: older snapshots are then rebuilt from the stream


class Kit:
    """of_one_seat: for each type of the game's events, whether it names the one seat whose moves it changes; None for the
    room's own events.

    decode_event(json) -> event; decode_action(json) -> action; decode_room / encode_room: snapshots (msgpack).

    All decoders raise msgspec.MsgspecError on damage.
    """

    def __init__(self, game: Game) -> None:
        room_tags = {kind.__struct_config__.tag for kind in get_args(RoomEvent)}
        for kind in get_args(game.Event) or (game.Event,):
            if kind.__struct_config__.tag in room_tags:
                raise ValueError(f"game {game.name!r}: event {kind.__struct_config__.tag!r} is one of the room's own")
        self.game = game
        kinds = get_args(game.Event) or (game.Event,)
        self.of_one_seat: dict[type, bool | None] = dict.fromkeys(get_args(RoomEvent))
        self.of_one_seat |= {kind: "seat" in kind.__struct_fields__ for kind in kinds}
        self.snapshot_schema = b"%d.%d" % (SNAPSHOT_SCHEMA, game.rules_version)
        self.decode_event = msgspec.json.Decoder(RoomEvent | game.Event).decode
        self.decode_action = msgspec.json.Decoder(game.Action).decode
        self.decode_room = msgspec.msgpack.Decoder(Room[game.State]).decode
        self.encode_room = msgspec.msgpack.Encoder().encode
        self._options: dict[bytes, tuple[Any, dict[str, Any]]] = {}

    def options(self, raw: dict[str, Any]) -> Any:
        """The typed options of an accepted room. Raises ValueError for options that were never accepted."""
        return self._known(raw)[0]

    def options_view(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Every option with its value; one whose value is None (no limit, or decided by another option) is absent."""
        return self._known(raw)[1]

    def _known(self, raw: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        name = encode(raw)
        known = self._options.get(name)
        if known is None:
            options = read_options(self.game, raw)
            if not isinstance(options, self.game.Options):
                raise ValueError(f"options not accepted: {options}")
            pairs = zip(options.__struct_encode_fields__, options.__struct_fields__, strict=True)
            values = ((wire, getattr(options, field)) for wire, field in pairs)
            known = options, {wire: value for wire, value in values if value is not None and value is not UNSET}
            if len(self._options) < 1024:
                self._options[name] = known
        return known

    def evolve(self, room: Room | None, events: Any) -> Room | None:
        """Fold events onto a room."""
        return evolve(self, room, events)


@cache
def kit(name: str) -> Kit:
    """The Kit of a game by name. Raises KeyError when no such game is installed."""
    return Kit(find(name))


decode_chance = msgspec.msgpack.Decoder(Chance).decode
encode_chance = msgspec.msgpack.Encoder().encode
