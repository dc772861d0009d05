"""What a commit publishes on its room's channel: ready bytes per audience, which the gateways only route."""

import msgspec

# Other messages of that channel:
NAMES = b"names "  # whose nickname is new or another one now
PEOPLE = b"people "  # and how many people are here, players included
SAID = b"said "  # and a `said` frame


class Publication(msgspec.Struct, frozen=True, array_like=True):
    """updates: audience ("public" or a seat number) -> one `update` frame. rejects: session -> `reject` frames.

    A client at `from_version` may get the update; at any other version it has a gap (or has seen it already).
    """

    game: str
    from_version: int
    version: int
    updates: dict[str, bytes]
    rejects: dict[str, list[bytes]] = {}


encode_publication = msgspec.msgpack.Encoder().encode
decode_publication = msgspec.msgpack.Decoder(Publication).decode
