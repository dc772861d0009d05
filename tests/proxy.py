"""A TCP proxy that does to a connection what networks do: delay, silence without an end, answers that never arrive.

with Proxy(port) as proxy:      listens on proxy.port, speaks to 127.0.0.1:port
    proxy.delay_s = 0.1         each chunk waits that long, each way
    proxy.hole = True           nothing passes and nothing closes (a pulled cable); False: goes on, new connections only
    proxy.lose = lambda n: …    answer chunk number n is swallowed and its connection cut
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable


class Proxy:
    """Runs in a thread with a loop of its own. `cut`: how many connections `lose` ended."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self.delay_s = 0.0
        self.hole = False
        self.lose: Callable[[int], bool] | None = None
        self.cut = 0
        self._answers = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._up = threading.Event()

    def __enter__(self) -> "Proxy":
        self._thread.start()
        assert self._up.wait(5)
        return self

    def __exit__(self, *error: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._up.set()
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.CancelledError):
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
            lost = asyncio.Event()
            ways = [
                asyncio.ensure_future(self._pass(reader, far_writer, lost, False)),
                asyncio.ensure_future(self._pass(far_reader, writer, lost, True)),
            ]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                if lost.is_set():
                    await asyncio.Event().wait()  # in the hole for good: no end ever arrives
            finally:
                for way in ways:
                    way.cancel()
                for end in (writer, far_writer):
                    end.transport.abort()

    async def _pass(self, source, sink, lost: asyncio.Event, answers: bool) -> None:
        with contextlib.suppress(OSError):
            while chunk := await source.read(65536):
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                if self.hole or lost.is_set():
                    lost.set()
                    continue
                if answers and self.lose is not None:
                    self._answers += 1
                    if self.lose(self._answers):
                        self.cut += 1
                        return
                sink.write(chunk)
                await sink.drain()
            if self.hole:
                lost.set()
