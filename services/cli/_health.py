"""`--check` of a process: whether it can do its work now, asked from beside it (a container's health check does that); and
`--alive` of a gateway, which has an address for that.
"""

import asyncio

from services.alive import silence
from services.cli.up import answers
from services.settings import Settings, redis_url_of
from services.store import check as store_check
from services.store.check import FAULTS


def complaint(process: str, settings: Settings, path: str) -> str:
    """What keeps `process` from working, "" when nothing does. Raises SettingsError when no server is named.

    A gateway answers for itself, at `path`. Workers and the scheduler have no door to knock at: the server they depend on
    is asked, and their sign of life is looked for.
    """
    if process == "gateway":
        if asyncio.run(answers(settings, path)):
            return ""
        return f"the gateway on {settings.host}:{settings.port} does not answer /{path} with 200"
    try:
        asyncio.run(store_check.check(redis_url_of(settings)))
    except FAULTS as error:
        return store_check.complaint(error)
    return silence(settings, process)
