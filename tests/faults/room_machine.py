"""A room on a real server, driven by a seed: players who do everything people do, workers that die, time that passes.

`Machine.run` does one thing after the other: a command of some player (sensible or not), a repeat of an old one, a lost
or found connection, a deadline; then a worker decides (healthy, new, fenced, dying before what follows its commit, with
its snapshot damaged), or nobody does for a while. After every step `Watcher.look` compares what a client, a reader and an
auditor would have. Nothing here knows the rules: it knows what must be true whatever they are.
"""

import hashlib
import random
from collections import Counter
from unittest.mock import patch

import msgspec

from engine.game import SPECTATOR
from engine.kit import kit
from engine.rng import commitment
from engine.room.deadline import due
from engine.room.state import Room
from engine.room.view import room_view
from schemas import entry as cmd
from schemas.base import encode
from services.store.keys import key
from services.store.turn import EPOCH_OVER
from services.store.write import MOVED, NEW, REPEAT
from tests.faults.room_watcher import Watcher
from tests.store.party import UNTIMED, Party, heard, worker

STEPS = 65
PLAYERS = ("ann", "ben", "cho", "dan", "eve")
CHOICES = {
    "duel": (UNTIMED, {"turnSeconds": 5}, {}),
    "yacht": (UNTIMED, {}, {"scoring": "yahtzee", "turnSeconds": 30}, {"showPreview": False}),
}


def nonce_of(player: str, n: int) -> bytes:
    return hashlib.sha256(f"nonce of {player} in game {n}".encode()).digest()


class Machine:
    def __init__(self, url: str, seed: int) -> None:
        self.rnd = random.Random(seed)
        self.game = self.rnd.choice(sorted(CHOICES))
        self.party = Party(url)
        self.sent: list[tuple[cmd.AnyCommand, int, bytes, str]] = []  # command, number, private, entry
        self.counts: Counter = Counter()
        self.dirty = False  # entries may be unread

    async def run(self, steps: int = STEPS) -> Counter:
        """Raises AssertionError at the first step after which something is not as it must be."""
        p = self.party
        try:
            # Secrets of the seed, so that a seed is the same game again.
            with patch("secrets.token_bytes", self.rnd.randbytes):
                async with heard(p) as since:
                    self.watch = Watcher(p, since)
                    await p.open("ann", self.game, self.settings(), self.rnd.choice(CHOICES[self.game]))
                    await self.work()
                    for _ in range(steps):
                        await self.step()
                        if self.rnd.random() < 0.8:
                            await self.work()
                        if self.watch.counts["room_closed"] > 6:
                            break  # nothing more will happen here
                    await self.work()
                    self.counts += await self.watch.finish()
                    return self.counts
        finally:
            await p.caller.close()

    def settings(self) -> cmd.Settings:
        pick = self.rnd.choice
        return cmd.Settings(
            pick((True, False)), pick((True, False)), countdown_s=pick((0, 0, 3)), idle_s=pick((30, 1800))
        )

    # --- what people do

    async def step(self) -> None:
        room = await self.party.state()
        kind = self.rnd.random()
        if room is None or kind < 0.62:
            await self.say(self.forward(room) if room is not None and self.rnd.random() < 0.8 else self.anything(room))
        elif kind < 0.72:
            await self.repeat()
        elif kind < 0.86:
            await self.connection()
        elif kind < 0.93 and room.phase != "closed":
            await self.expire()
        else:
            await self.say(self.anything(room))

    def forward(self, room: Room) -> cmd.AnyCommand:
        """What brings the room on."""
        rnd = self.rnd
        seated = [seat.player for seat in room.seats if seat is not None]
        if room.phase == "lobby":
            if len(seated) < 2 or rnd.random() < 0.15:
                return self.join(rnd.choice(PLAYERS), room)
            return cmd.Start(room.host or rnd.choice(PLAYERS)) if rnd.random() < 0.2 else self.anything(room)
        if room.phase == "opening":
            waiting = [seat.player for seat in room.seats if seat.nonce_hash and not seat.opened]
            return cmd.Nonce(rnd.choice(waiting or seated))
        if room.phase == "playing":
            seat = rnd.choice(due(kit(self.game), room).seats)
            legal = kit(self.game).game.legal(room.state, seat)
            action = b'{"type":"concede"}' if self.game == "yacht" and rnd.random() < 0.5 else encode(rnd.choice(legal))
            return cmd.Act(room.seats[seat].player, seat, msgspec.Raw(action))
        here = [seat.player for seat in room.seats if seat is not None and seat.connected]
        return cmd.Rematch(rnd.choice(here or seated or PLAYERS))

    def join(self, player: str, room: Room | None) -> cmd.Join:
        rnd = self.rnd
        n = 1 if room is None else int(room.id.partition("/")[2])
        promise = commitment(nonce_of(player, n)) if rnd.random() < 0.3 else None
        return cmd.Join(player, rnd.choice((None, None, rnd.randrange(5))), promise)

    def anything(self, room: Room | None) -> cmd.AnyCommand:
        """Any command of anybody (the host a little more often), possible or not."""
        rnd = self.rnd
        seated = [] if room is None else [seat.player for seat in room.seats if seat is not None]
        player = rnd.choice(seated) if seated and rnd.random() < 0.5 else rnd.choice(PLAYERS)
        if room is not None and room.host and rnd.random() < 0.4:
            player = room.host
        seat, other = rnd.randrange(5), rnd.randrange(3)
        n = 1 if room is None else int(room.id.partition("/")[2])
        action = rnd.choice((b'{"type":"roll"}', b'{"type":"choose","hand":"rock"}', b"7", b'{"type":"concede"}'))
        return rnd.choice(
            (
                lambda: self.join(player, room),
                lambda: cmd.Leave(player),
                lambda: cmd.Move(player, seat),
                lambda: cmd.Swap(player, seat, other),
                lambda: cmd.Ready(player, rnd.random() < 0.7),
                lambda: cmd.Promise(player, commitment(nonce_of(player, n))),
                lambda: cmd.Kick(player, other),
                lambda: cmd.Transfer(player, other),
                lambda: cmd.Touch(player),
                lambda: cmd.Rematch(player, rnd.random() < 0.7),
                lambda: cmd.Start(player),
                lambda: cmd.Nonce(player),
                lambda: cmd.Configure(player, rnd.choice(CHOICES[self.game]), self.settings()),
                lambda: cmd.Configure(player, {"turnSeconds": 61}),
                lambda: cmd.Act(player, seat, msgspec.Raw(action), rnd.choice((None, 1, seat))),
            )
        )()

    async def say(self, command: cmd.AnyCommand) -> None:
        """Send it; sometimes to a game that is over, or that has not begun."""
        p, n = self.party, int(await self.party.n)
        private = nonce_of(command.player, n) if isinstance(command, cmd.Nonce) and self.rnd.random() < 0.9 else b""
        to = n if self.rnd.random() < 0.95 else n + self.rnd.choice((-1, 1))
        reply = await p.send(command, to, private)
        number = p.numbers[command.player]
        if to != n:
            assert reply.status == MOVED
            return
        assert reply.status == NEW
        self.watch.appended(f"tab-{command.player}:{number}", reply.entry)
        self.sent.append((command, number, private, reply.entry))
        self.dirty = True

    async def repeat(self) -> None:
        """An old number again, perhaps with another meaning: never a second effect, always the first outcome."""
        if not self.sent:
            return
        command, number, private, entry = self.rnd.choice(self.sent[-60:])
        if self.party.numbers[command.player] - number >= 64:
            return
        again = command if self.rnd.random() < 0.7 else cmd.Leave(command.player)
        n = int(await self.party.n) - self.rnd.choice((0, 0, 1))
        reply = await self.party.again(again, number, n, private)
        known = self.watch.outcomes.get(f"tab-{command.player}:{number}", "")
        assert (reply.status, reply.entry) == (REPEAT, entry), (command, reply)
        assert reply.code == known or self.dirty and not known, (command, reply, known)
        self.counts["repeats"] += 1

    async def connection(self) -> None:
        player, gateway = self.rnd.choice(PLAYERS), self.rnd.choice(("g1", "g2"))
        if await self.party.writer.presence(self.party.room, player, gateway, self.rnd.random() < 0.6, 600_000):
            self.dirty = True

    async def expire(self) -> None:
        """The room's deadline passes, if it has one."""
        await self.work()
        room = await self.party.state()
        now = due(kit(self.game), room)
        if (
            room.phase in ("lobby", "over")
            and not room.counting_ms
            and not room.next_seated
            and self.rnd.random() < 0.7
        ):
            return  # idle rooms close, and then there is little to see
        if now is not None and now.at_ms is not None:
            await self.party.expire()
            self.counts["deadlines"] += 1
            self.dirty = True
            await self.work()

    # --- what workers do

    async def work(self) -> None:
        """One of the ways in which everything that waits comes to be decided, and then a look at it."""
        p, how = self.party, self.rnd.random()
        if how < 0.5:
            await p.work()
        elif how < 0.65:
            p.drainer = worker(p)
            await p.work()
        elif how < 0.75:
            await p.work_and_die()
        elif how < 0.82:
            await self.overtaken()
        elif how < 0.92:
            await self.fenced()
        else:
            fields = self.rnd.choice((("snap", "bad"), ("chance", "bad"), ("snap", "bad", "chance", "bad")))
            await p.caller.call("HSET", key("r", p.room), *fields)
            await p.work(worker(p))
        self.dirty = False
        await self.watch.look()

    async def overtaken(self) -> None:
        """Somebody says something between a commit and what should follow it."""
        p = self.party
        await p.writer.sweep(p.part)
        commits, _ = await p.drainer._fold((await p.turn()).claims)
        await p.turn(commits, rooms=0)
        await self.say(cmd.Touch(self.rnd.choice(PLAYERS)))
        await p.drainer._after(commits)
        await p.work()

    async def fenced(self) -> None:
        """A worker is paused before its commit; another one does the work; then the first goes on."""
        p = self.party
        await p.writer.sweep(p.part)
        epoch = await p.epoch()
        paused = p.drainer
        commits, _ = await paused._fold((await p.turn()).claims)
        if not commits:
            return
        assert await p.writer.handoff(p.part, epoch)
        await p.work(worker(p))
        if self.rnd.random() < 0.5:
            assert (await p.turn(commits, epoch=epoch)).status == EPOCH_OVER
        else:
            await p.writer.sweep(p.part)
            late = await p.turn(commits)  # even under the epoch that is good now
            assert late.refused == len(commits)
            await paused._after(commits)
            await p.work()
        self.counts["fenced"] += len(commits)


def seen(room: Room, viewer=SPECTATOR):
    return msgspec.json.decode(encode(room_view(kit(room.game), room, viewer)))


def main() -> None:
    """Play one seed and tell it."""
    import asyncio
    import sys
    import tempfile

    from services.store.server import embedded

    class Told(Machine):
        async def say(self, command):
            print("say", encode(command).decode())
            await super().say(command)

        async def work(self):
            await super().work()
            print("   ", await self.party.n, seen(await self.party.state()))

    with tempfile.TemporaryDirectory() as folder, embedded(folder) as server:
        print(asyncio.run(Told(server.url, int(sys.argv[1])).run()))


if __name__ == "__main__":
    main()
