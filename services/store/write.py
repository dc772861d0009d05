"""The write scripts as typed calls. Each is one round trip; see the .lua file of the same name for its contract."""

from dataclasses import dataclass
from typing import NamedTuple

from services.store.keys import BELL, HOUSE, QUEUE, key, part_key, partition, tag
from services.store.redis import Caller

NEW, REPEAT, NO_ROOM, MOVED, TOO_OLD, OVERLOADED, STRANGER, NAME_TAKEN, TOO_OFTEN, LOG_FULL = (
    0,
    1,
    -1,
    -2,
    -3,
    -4,
    -5,
    -6,
    -7,
    -8,
)
UNREAD_MAX = 256  # entries a room may have waiting before it answers `overloaded`
SAID_KEPT = 50  # things said at a table that late comers still see
SAY_MAX, SAY_MS = 6, 10_000
WINDOW = 64  # action ids remembered per session; append.lua and `slot` agree on it
# Sessions whose outcomes are remembered, per player in a room and per room; a fuller room takes no further ones until some
# were silent for SESSION_KEPT_MS, so that nobody pushes out the sessions of others who are merely offline for a moment.
# append.lua has the same numbers.
SESSIONS_MAX, ROOM_SESSIONS_MAX, SESSION_KEPT_MS = 16, 256, 600_000


def part_name(part: int) -> str:
    """How scripts, jobs and doorbells call a partition: `p07`."""
    return f"p{part:02d}"


def slot(origin: str) -> tuple[str, str]:
    """(field of the room's hash, action id) for an origin `<session>:<action id>`."""
    session, _, number = origin.rpartition(":")
    return f"@{session}:{int(number) % WINDOW}", number


class Appended(NamedTuple):
    """status: NEW … LOG_FULL. entry: its id. code: of a repeat, "" while undecided, "ok", or the reject code."""

    status: int
    entry: str = ""
    code: str = ""


@dataclass(frozen=True)
class Writer:
    """The scripts of gateways and schedulers. lease_ms: a scheduled drain must start within this time."""

    caller: Caller
    lease_ms: int = 800

    async def append(
        self,
        room: str,
        n: int,
        session: str,
        action_id: int,
        data: bytes,
        private: str = "",
        player: str = "",
        nickname: str = "",
        stranger: str = "",
        owner: str = "",
        skeleton: str = "",
    ) -> Appended:
        """Append a client's command to game n of a room. Safe to repeat with the same session and id (P3).

        nickname, skeleton: of a Join; what the player wants to be called, and what that looks like.
        stranger: "unless noticed", "when long" or "surely", of a player without a seat (`services.gateway.strangers`).
        owner: whose session it is, when that is not `player`.
        """
        keys = (key("r", room), QUEUE, BELL)
        args = [n, session, action_id, data, private, self.lease_ms, UNREAD_MAX, owner or player]
        if nickname or stranger or (owner and owner != player):
            args += (player, nickname, stranger, skeleton or nickname)
        reply = await self.caller.run("append", keys, args)
        return Appended(reply[0], *(part.decode() for part in reply[1:]))

    async def create(self, room: str, game: str, data: bytes, private: str) -> str | None:
        """Create a room with its Open entry; the entry id, or None when the code is taken."""
        part = partition(room)
        keys = (
            key("r", room),
            key("a", f"{room}/1"),
            part_key("ready", part),
            part_key("m", part),
            QUEUE,
            BELL,
        )
        entry = await self.caller.run("create", keys, (room, game, data, private, part_name(part), self.lease_ms))
        return None if entry is None else entry.decode()

    async def forget(self, room: str) -> bool:
        """Remove a room that was created and is not open; False when it is open by now."""
        part = partition(room)
        keys = (key("r", room), key("a", f"{room}/1"), part_key("ready", part), part_key("stuck", part))
        return bool(await self.caller.run("forget", keys, (room,)))

    async def presence(self, room: str, player: str, generation: str, present: bool, gateway_lease_ms: int) -> bool:
        """A gateway's first socket of a player opened, or its last one closed. True when an entry was appended."""
        part = partition(room)
        keys = (
            key("s", room),
            part_key("g", part),
            part_key("ready", part),
            part_key("m", part),
            QUEUE,
            BELL,
        )
        args = (tag(part), part_name(part), room, player, generation, int(present), gateway_lease_ms, self.lease_ms)
        return bool(await self.caller.run("presence", keys, args))

    async def serve(self, generation: str, lease_ms: int) -> bool:
        """A gateway serves for so long: while none does, nobody is played for (0: it ends to). Tests and tools that run
        schedulers without one say so, too. True: none did just before, and the rooms have to be told by `due`.
        """
        return bool((await self.caller.run("serve", (HOUSE,), (generation, lease_ms)))[1])

    async def beat(self, part: int, generation: str, gateway_lease_ms: int) -> bool:
        """Renew a gateway's lease on a partition; False: its sockets were taken off, register them again."""
        return bool(await self.caller.run("beat", (part_key("g", part),), (generation, gateway_lease_ms)))

    async def held(self, part: int, generation: str) -> set[tuple[str, str]]:
        """The (room, player) that a gateway holds in a partition, by what Redis knows."""
        found = await self.caller.call("SMEMBERS", f"{part_key('gr', part)}:{generation}")
        return {tuple(pair.decode().split(" ", 1)) for pair in found}

    async def due(self, part: int, limit: int = 200, rearm_ms: int = 3000) -> tuple[int, int, bool]:
        """(Timeouts appended, lateness of the oldest in ms, whether more are due) for one partition."""
        keys = (part_key("due", part), part_key("ready", part), part_key("m", part), QUEUE, BELL, HOUSE)
        reply = await self.caller.run("due", keys, (tag(part), part_name(part), limit, rearm_ms, self.lease_ms))
        return reply[0], reply[1], bool(reply[2])

    async def sweep(self, part: int, limit: int = 200) -> tuple[bool, int]:
        """(a drain was scheduled, sockets of dead gateways removed) for one partition."""
        keys = (part_key("m", part), part_key("ready", part), QUEUE, BELL, part_key("g", part), HOUSE)
        reply = await self.caller.run("sweep", keys, (tag(part), part_name(part), self.lease_ms, limit))
        return bool(reply[0]), reply[1]

    async def next_game(
        self, room: str, n: int, cursor: bytes, data: bytes, private: str, seated: tuple[str, ...]
    ) -> bool:
        """Open game n + 1 of a room whose game n ended at `cursor`; False when the room stands elsewhere or is not done."""
        part = partition(room)
        keys = (
            key("r", room),
            key("a", f"{room}/{n}"),
            key("a", f"{room}/{n + 1}"),
            key("s", room),
            part_key("ready", part),
            part_key("m", part),
            QUEUE,
            BELL,
            part_key("due", part),
        )
        args = (tag(part), part_name(part), room, n, cursor, data, private, self.lease_ms, *seated)
        return await self.caller.run("next", keys, args) is not None

    async def say(self, room: str, player: str, frame: bytes) -> int:
        """Say something at a table: 1 said, 0 too often (SAY_MAX in SAY_MS), -1 no room.

        frame: a ready `said`.
        """
        keys = (key("c", room), key("l", room), key("r", room))
        return await self.caller.run("say", keys, (room, player, frame, SAID_KEPT, SAY_MAX, SAY_MS))

    async def renew(self, part: int, epoch: str, lease_ms: int) -> bool:
        """Hold a partition for longer while rooms of it are folded; False when `epoch` is over."""
        return bool(await self.caller.run("renew", (part_key("m", part),), (epoch, lease_ms)))

    async def handoff(self, part: int, epoch: str) -> bool:
        """Schedule the next epoch of a partition; False when `epoch` is already over."""
        keys = (part_key("m", part), QUEUE, BELL)
        return bool(await self.caller.run("handoff", keys, (part_name(part), epoch, self.lease_ms)))
