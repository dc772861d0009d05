"""From a client's ask to the entry that goes into the log. What can be told to be nonsense here never gets there.

Judging is the worker's: this looks at the form alone (is it an action of this game, are these options, is that a name).
Actions are written anew from what was understood, so that the log holds one spelling and nothing besides.
"""

from typing import NamedTuple, get_args

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from engine.game import Rejected, read_options
from engine.kit import Kit
from schemas import entry, wire
from schemas.base import ActionId, Detail, encode
from services.gateway.names import clean


class _WithId(Struct):
    id: ActionId | UnsetType = UNSET


_read_id = msgspec.json.Decoder(_WithId).decode


def id_of(data: bytes) -> int | UnsetType:
    """The id in a message that could not be read as a whole, so that its sender knows which was refused."""
    try:
        return _read_id(data).id
    except (msgspec.MsgspecError, RecursionError):
        return UNSET


GOT_BYTES_MAX = 200  # of a refused value, as much is shown again


class Written(NamedTuple):
    """data: the command. private: hex, beside it. nickname: what the player wants to be called."""

    data: bytes
    private: str = ""
    nickname: str = ""


def _plain() -> dict[type, tuple[type, tuple[str, ...]]]:
    """Deeds that are their own command: the same name and the same fields, with the authenticated player in front."""
    made = {}
    for kind in get_args(wire.AnyDeed):
        command = getattr(entry, kind.__name__)
        fields = command.__struct_fields__[1:]
        if set(fields) == set(kind.__struct_fields__) - {"id", "player"}:
            made[kind] = (command, fields)
    return made


PLAIN = _plain()


def doer(ask: wire.AnyAsk, people: tuple[str, ...], seats: dict[str, str]) -> str | Rejected:
    """Which of a connection's `people` does this: who sits on the seat that acts, or who is named, else the first.

    Of a seat that none of them holds, as far as the gateway knows, the log is asked with the first: it knows.
    """
    if type(ask) is wire.Act:
        holder = seats.get(str(ask.seat), "")
        return holder if holder in people else people[0]
    if ask.player is None:
        return people[0]
    if ask.player in people:
        return ask.player
    return Rejected("not_your_seat", Detail("as", "a player of this connection"))


def write(ask: wire.AnyDeed, player: str, k: Kit) -> Written | Rejected:
    """The entry of an ask by the authenticated `player`, in a room that plays the game of `k`."""
    kind = type(ask)
    if kind is wire.Act:
        try:
            action = k.decode_action(ask.action)
        except (msgspec.MsgspecError, RecursionError) as error:
            return Rejected("bad_action", explained(error, "action"))
        return Written(encode(entry.Act(player, ask.seat, Raw(encode(action)), ask.turn, ask.after)))
    if kind is wire.Join:
        name = clean(ask.name)
        if name is None:
            return Rejected("bad_name", Detail("name", "1..16 visible characters"))
        return Written(encode(entry.Join(player, ask.seat, ask.nonce_hash)), "", name)
    if kind is wire.Nonce:
        return Written(encode(entry.Nonce(player)), ask.nonce)
    if kind is wire.Configure:
        if ask.options is not None:
            read = read_options(k.game, ask.options)
            if isinstance(read, Rejected):
                return bounded(read)
        return Written(encode(entry.Configure(player, ask.options, ask.settings)))
    command, fields = PLAIN[kind]
    return Written(encode(command(player, *(getattr(ask, name) for name in fields))))


def bounded(rejected: Rejected) -> Rejected:
    """Without the refused value when it is long: an answer must not be a mirror."""
    detail = rejected.detail
    if detail.got is not None and len(encode(detail.got)) > GOT_BYTES_MAX:
        return Rejected(rejected.code, msgspec.structs.replace(detail, got=None))
    return rejected


def explained(error: Exception, field: str = "") -> Detail:
    """msgspec's own words: `Expected `int` <= 31 - at `$.seat`` -> field, expected."""
    message, _, path = str(error).partition(" - at `$")
    path = path.rstrip("`").lstrip(".")
    if isinstance(error, RecursionError):
        message = "less nesting"
    return Detail(field=".".join(part for part in (field, path) if part), expected=message[:GOT_BYTES_MAX])
