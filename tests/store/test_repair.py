"""What a worker finds damaged in a room's hash it rebuilds from the streams, and puts back (docs/design.md 4).

Otherwise every later action of that room would read the whole log again (P8).
"""

import asyncio

import msgspec
import pytest

from schemas import entry as cmd
from services.cli.audit import audit_room
from services.store.keys import key
from services.worker import drain
from tests.store.party import party, worker

ROLL = cmd.Act("ann", 0, msgspec.Raw(b'{"type":"roll"}'))


@pytest.mark.parametrize("command", ["HSET", "HDEL"])
@pytest.mark.parametrize("fields", [("snap",), ("chance",), ("snap", "chance")], ids="+".join)
@pytest.mark.parametrize("playing", [False, True], ids=["lobby", "playing"])
def test_it_is_rebuilt_once_and_the_room_goes_on(url, monkeypatch, command, fields, playing):
    rebuilt = []
    rebuild = drain.rebuild

    async def counted(*args):
        rebuilt.append(args)
        return await rebuild(*args)

    monkeypatch.setattr(drain, "rebuild", counted)

    async def body():
        async with party(url, "ann", keep_order=True) as p:
            if playing:
                await p.send(cmd.Start("ann"))
                await p.work()
            kept = [await p.get(field) for field in ("snap", "chance")]
            values = [one for field in fields for one in ((field, "damaged") if command == "HSET" else (field,))]
            await p.caller.call(command, key("r", p.room), *values)
            for _ in range(3):  # each by a worker that remembers nothing
                await p.send(cmd.Touch("ann"))
                await p.work(worker(p))
            assert len(rebuilt) == 1
            assert await p.get("chance") == kept[1]
            if not playing:
                await p.send(cmd.Start("ann"))
            await p.send(ROLL)
            await p.work(worker(p))
            room = await p.state()
            assert room.state.dice and len(rebuilt) == 1, "the secret is there: dice can be drawn"
            (finding,) = await audit_room(p.caller, p.room, None, {})
            assert finding.ok, finding

    asyncio.run(body())
