"""`--check` of a process: whether it can do its work now, asked from beside it (a container's health check does that)."""

import asyncio

from redis.exceptions import RedisError

from services.cli.up import answers
from services.settings import Settings, redis_url_of
from services.store.check import UnfitServer, check
from services.store.redis import Unreachable


def complaint(process: str, settings: Settings) -> str:
    """What keeps `process` from working, "" when nothing does. Raises SettingsError when no server is named.

    A gateway answers for itself (/readyz). Workers and the scheduler have no door to knock at; what they depend on is
    the server, and one of them that is stuck is noticed by its lease, not by this.
    """
    if process == "gateway":
        return "" if asyncio.run(answers(settings, "readyz")) else "the gateway does not answer /readyz with 200"
    try:
        asyncio.run(check(redis_url_of(settings)))
    except UnfitServer as error:
        return f"REDIS_URL: {error}"
    except (RedisError, *Unreachable) as error:
        return f"REDIS_URL: the server does not answer ({type(error).__name__})"
    return ""
