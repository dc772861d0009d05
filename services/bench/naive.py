"""The yardstick of `bench pipeline`: stock arq, one job per action, the obvious commit. What one would write first.

Run as a worker: `python -m services.bench.naive`. The same engine, the same encodings; only the scheme differs.
"""

import asyncio
import os

from arq.connections import RedisSettings
from arq.worker import Worker

from engine.audience import publication
from engine.fold import Entry, Position, advance
from engine.kit import decode_chance, encode_chance, kit
from services.store.publication import Publication, encode_publication
from services.store.read import from_snapshot, to_snapshot

NAIVE_QUEUE = "arq:queue:naive"


async def act(ctx: dict, room: str, data: bytes, private: str, origin: str) -> None:
    """Load, decide, store, publish. One room's jobs never overlap here, because the driver sends one at a time."""
    redis = ctx["redis"]
    game_id = f"{room}/1"
    name = f"naive:r:{room}"
    snapshot, version, chance, head = await redis.hmget(name, "snap", "v", "chance", "head")
    k = kit("yacht")
    version = int(version or 0)
    state = from_snapshot(k, snapshot, version) if version else None
    before = Position(state, decode_chance(chance) if chance else Position().chance, head or b"")
    entry_id = await redis.xadd(f"naive:a:{game_id}", {"d": data, "o": origin})
    after, decided = advance(k, before, (Entry(entry_id, data, private.encode(), origin.encode()),), game_id)
    published = publication(k, before, after, decided, game_id)
    async with redis.pipeline(transaction=True) as pipe:
        for i, event in enumerate(decided[0].event_bytes):
            pipe.xadd(f"naive:e:{game_id}", {"e": event}, id=f"{version + 1 + i}-0")
        values = {"snap": to_snapshot(k, after.room), "v": after.room.version, "head": after.head}
        pipe.hset(name, mapping=values | {"chance": encode_chance(after.chance)})
        if published is not None:
            message = Publication(game_id, published.from_version, published.version, published.updates)
            pipe.publish(f"v:{room}", encode_publication(message))
        await pipe.execute()


def main() -> None:
    asyncio.set_event_loop(asyncio.new_event_loop())
    settings = RedisSettings.from_dsn(os.environ["REDIS_URL"])
    Worker([act], queue_name=NAIVE_QUEUE, redis_settings=settings, poll_delay=0.01, max_jobs=100, keep_result=0).run()


if __name__ == "__main__":
    main()
