"""What all requests and sockets of one gateway share, and the tasks behind it."""

import asyncio
import contextlib

import structlog
from redis.exceptions import RedisError

from engine.faults import place
from services.gateway.house import House
from services.gateway.hub import Hub
from services.gateway.identity import CHANNEL, Identities
from services.gateway.limits import Addresses, Buckets
from services.gateway.lookup import Lookup
from services.gateway.presence import Presence
from services.gateway.tokens import Tokens
from services.settings import Settings, redis_url_of, token_keys
from services.store.clock import Clock
from services.store.delayed import Readers
from services.store.known import Known
from services.store.memory import Memory
from services.store.redis import Caller, Unreachable, connect
from services.store.steps import History
from services.store.subscriber import Subscriber
from services.store.write import Writer

log = structlog.get_logger()

STOP_S = 1.5
# A code for another device is one in 32^8 and lives two minutes: these make guessing hopeless, not merely slow.
CLAIMS_PER_MINUTE = 10
MOVES_PER_MINUTE = 5
# So many seconds' worth of an address's messages at once: a school comes back together when its line does.
MESSAGES_S_AT_ONCE = 10
# A page of steps costs some milliseconds; whoever looks at a game asks for a few, and a class may sit behind one address.
STEPS_PER_MINUTE = 600
# What one address may say in one room, since players are free to make: a family around one table says less.
TALK_A_SECOND, TALK_AT_ONCE = 2.0, 20
# Games that one address may have decided again from their start, because it watches late where nobody else does.
LATE_PER_MINUTE = 30


class Context:
    """`start` inside the event loop; `ends` and then `stop`: its people are handed over to other gateways."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.tokens = Tokens(token_keys(settings))
        self.addresses = Addresses(settings.sockets_max_per_address, settings.rooms_per_minute)
        rate = settings.messages_per_address
        self.messages = Buckets(rate, MESSAGES_S_AT_ONCE * max(1.0, rate))
        self.requests = Buckets.per_minute(settings.requests_per_minute)
        self.claims = Buckets.per_minute(CLAIMS_PER_MINUTE)
        self.moves = Buckets.per_minute(MOVES_PER_MINUTE)
        self.steps = Buckets.per_minute(STEPS_PER_MINUTE)
        self.talk = Buckets(TALK_A_SECOND, TALK_AT_ONCE)
        self._late = Buckets.per_minute(LATE_PER_MINUTE)
        self.draining = False  # told to end: still serving, no longer ready
        self._tasks: list[asyncio.Task] = []

    async def start(self) -> None:
        url = redis_url_of(self.settings)
        self.caller = Caller(connect(url))
        self.writer = Writer(self.caller, self.settings.lease_ms)
        self.clock = Clock(self.caller)
        self.now_ms = self.clock.now_ms  # the Redis server's time, as near as it was measured lately
        self.memory = Memory(self.caller)
        self.known = Known(self.caller)
        self.presence = Presence(self.writer)
        self.house = House(self.writer, self.presence.generation)
        await self.house.open()
        self.identities = Identities(self.caller)
        self.readers = readers = Readers(self.caller)
        self.lookup = Lookup(self.caller, readers, self.now_ms)
        self.history = History(self.caller, readers, self.now_ms)
        self.subscriber = Subscriber(url, self._heard, self._subscribed)
        self.subscriber.add(CHANNEL)
        self.hub = Hub(self.caller, self.subscriber.add, self.subscriber.remove, self.now_ms, readers, self.known.doubt)
        self._tasks = [
            asyncio.create_task(self._forever(part))
            for part in (
                self.subscriber.run,
                self.presence.run,
                self.house.run,
                self.clock.run,
                self.memory.run,
                self.known.run,
            )
        ]
        log.info("gateway ready", port=self.settings.port)

    def ends(self) -> None:
        """From now on sockets are closed because this gateway ends: their players are not gone."""
        if self._tasks:
            self.presence.ending = True

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                await asyncio.gather(self.house.close(), self.presence.hand_over())
        await self.caller.close()

    def _heard(self, name: bytes, data: bytes) -> None:
        if name == CHANNEL:
            self.identities.heard(data)
        else:
            self.hub.message(name, data)

    def _subscribed(self, name: bytes) -> None:
        if name == CHANNEL:
            self.identities.subscribed()
            self.history.forget()
        else:
            self.hub.subscribed(name)

    def may_begin_late(self, address: str) -> bool:
        """Whether a late reader may begin at the start of a game for this address."""
        return self._late.take(address, asyncio.get_running_loop().time())

    async def ready(self) -> bool:
        """Whether rooms can be served: Redis answers and publications arrive."""
        try:
            async with asyncio.timeout(1):
                await self.caller.call("PING")
        except (RedisError, *Unreachable):
            return False
        return self.subscriber.connected

    async def _forever(self, part) -> None:
        """A bug in one of the tasks is logged and the task goes on; without it every room would stand still."""
        while True:
            try:
                await part()
            except Exception as error:
                log.error("task failed", part=part.__qualname__, fault=place(error))
                await asyncio.sleep(0.2)
