"""Names of all keys (docs/design.md 4). All keys of a partition carry its hash tag `{pNN}`; no other module spells a key.

Hash `{pNN}:r:<room>`, one per room, rebuilt from the streams:
  n       number of the current game        g       name of its game
  v       version                           cur     id of the last decided entry ("0-0" before the first)
  a       entries appended
  d       decided entries                   head    chain head (32 bytes, empty before Start)
  snap    snapshot, `<schema>.<rules>:` + msgpack   chance  private chance, msgpack
  turn    turn of the deadline              due     its time in ms, empty when none
  base    cursor of the room's game before, absent in the first
  past:<n>  `<v> <cur> <d> <head>` with which an earlier game of the room ended
  seated  players with a seat in the current game, a space around each     asking  those whose Join is not decided yet
  tmo     `<turn> <entry id>` of the last Timeout appended     claims  folds that failed or
          were lost with their worker; 0: one of those that may have been
  away    number of the last time away of the house that was written into its log
  by      door of the worker that committed last, absent in a game that nobody has committed
  @<session>:<id mod 64>  `<id> <entry> [code]`: the last 64 outcomes of a client session
Zset `{pNN}:o:<room>`: `<owner> <session>` of those, by the time of its last entry; bounded, and the longest silent one goes
  with its fields.
Hash `{pNN}:n:<room>`: player -> `<skeleton> LF <nickname>` of who has a seat or had one in a game of the room; `{pNN}:w:<room>`:
  the same of those whose Join is not decided (expires). Not part of the log, erased with the person (names.lua).
List `{pNN}:c:<room>`: the last things said, gone a day after the last; hash `{pNN}:l:<room>`: how often players spoke lately.
Streams `{pNN}:a:<game>` (entries) and `{pNN}:e:<game>` (events; records of parked entries between them).
Sorted sets `{pNN}:ready`: rooms with unread entries, by age; `{pNN}:due`: rooms with a deadline, by its time.
Hash `{pNN}:s:<room>`: player -> generations of the gateways that hold sockets of theirs.
Hash `{pNN}:g`: gateway generation -> `<end> <length>` of its lease in ms;
  set `{pNN}:gr:<generation>`: `<room> <player>` it holds.
Hash `{pNN}:m`: epoch, job (scheduled drain), lease (its end, ms), door (channel of the worker lingering here),
hold (ms for which its claims hold the partition: no lease ends later from now), claimed (rooms that a worker folds right
now, or tries alone), turned (epoch of the last turn).
  away (number of the last time away of the house that its rooms know), telling (`<number> <cursor>`, while they are told)
Hash `noripan:house`: g:<generation> (`<end> <length>` of the lease of a gateway that serves), until and hold (the latest of
  them), n, from, to (number, beginning and end of the newest time in which no gateway served).
Zset `{pNN}:stuck`: rooms that no worker could fold, by the time of the next try.
"""

import zlib

PARTITIONS = 64
QUEUE = "arq:queue:noripan"  # zset of job ids, arq's
BELL = "arq:bell:noripan"  # list of tokens: "look at the queue"
PUBLIC = "noripan:public"  # zset of public rooms that can be joined or watched, by time of their last change
PLAYERS = "noripan:players"  # hash: player -> generation of the tokens that are good, absent: 0; channel: it was raised
HOUSE = "noripan:house"  # hash: when gateways serve, see the page above
MOVES = "noripan:move:"  # prefix: one-time code -> `<player> <generation>`, while a player moves to another device
META = "noripan:meta"  # hash: what was fixed at the first start


def partition(room: str) -> int:
    """CRC-32 of the room code modulo the number of partitions."""
    return zlib.crc32(room.encode()) % PARTITIONS


def tag(part: int) -> str:
    """The hash tag of a partition: `{p07}`."""
    return "{p%02d}" % part


def room_of(game_id: str) -> str:
    """K7Q2MX of `K7Q2MX/2`; a room code is its own."""
    return game_id.partition("/")[0]


def key(kind: str, name: str) -> str:
    """`{pNN}:<kind>:<name>` of a room or a game of it: r, a, e, n, w, o, s, c, l."""
    return f"{tag(partition(room_of(name)))}:{kind}:{name}"


def part_key(kind: str, part: int) -> str:
    """`{pNN}:<kind>` of a partition: m, ready, due, g."""
    return f"{tag(part)}:{kind}"


def channel(room: str) -> str:
    """Pub/sub channel of a room's publications."""
    return f"v:{room}"
