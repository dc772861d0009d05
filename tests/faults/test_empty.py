"""Goal: a server that comes back without its data drives nobody out, and says so; with its data everything goes on; and one
that stays empty is taken as it is in the end.

Method: the server is killed, its folder of data is set aside and later put back.
"""

import asyncio
import json
from pathlib import Path

from services.store.keys import META
from services.store.known import Known
from services.store.redis import Caller, connect
from tests.services.raw import Raw, request
from tests.stack import Process, Stack, wait_until


def set_aside(stack: Stack) -> Path:
    stack.server.kill()
    data = stack.folder / "valkey"
    aside = stack.folder / "aside"
    data.rename(aside)
    stack.server.start()
    return aside


def put_back(stack: Stack, aside: Path) -> None:
    stack.server.kill()
    data = stack.folder / "valkey"
    data.rename(stack.folder / "empty")
    aside.rename(data)
    stack.server.start()


def errors(process: Process) -> list[str]:
    lines = [json.loads(line) for line in process.log.read_text().splitlines() if line.startswith("{")]
    return [line["event"] for line in lines if line["level"] == "error"]


def test_an_empty_server_is_no_news_of_rooms(tmp_path: Path) -> None:
    with Stack(tmp_path) as stack:
        url = stack.urls[0]
        made = request("POST", f"{url}/api/rooms", {"game": "yacht"})[1]
        with Raw(url).hello(made["room"], made["token"]) as held:
            aside = set_aside(stack)
            assert held.code() == 1013, "come back later, and not: there is no such room"
        wait_until(lambda: request("GET", f"{url}/api/rooms/{made['room']}")[0] == 503, 60)
        wait_until(lambda: "its data is gone" in str(request("GET", f"{url}/readyz")[1]))
        assert request("GET", f"{url}/readyz")[0] == 503
        assert request("POST", f"{url}/api/rooms", {"game": "yacht"})[0] == 503
        for process in (stack.gateway[0], stack.scheduler[0]):
            wait_until(lambda process=process: any("without its data" in event for event in errors(process)))
        put_back(stack, aside)
        wait_until(lambda: request("GET", f"{url}/readyz")[0] == 200, 60)
        with Raw(url).hello(made["room"], made["token"]) as back:
            assert back.snapshot["view"]["phase"] == "lobby"


def test_one_that_stays_empty_is_taken_as_it_is(tmp_path: Path) -> None:
    async def body(url: str) -> None:
        caller = Caller(connect(url))
        known = Known(caller, 0.2)
        await caller.call("HSET", META, "partitions", 64)
        assert not await known.doubt() and not known.doubtful
        await caller.call("DEL", META)
        assert await known.doubt() and known.doubtful
        while await known.doubt():
            await asyncio.sleep(0.01)
        assert not known.doubtful and await caller.call("HGET", META, "partitions") == b"64"
        await caller.close()

    with Stack(tmp_path, gateways=0, workers=0, schedulers=0) as stack:
        asyncio.run(body(stack.server.url))
