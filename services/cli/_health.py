"""`--check` of a process: whether it can do its work now, asked from beside it (a container's health check does that)."""

import asyncio

from services.alive import STALE_S, is_alive
from services.cli.up import answers
from services.settings import Settings, env_name, redis_url_of
from services.store import check as store_check
from services.store.check import FAULTS


def complaint(process: str, settings: Settings) -> str:
    """What keeps `process` from working, "" when nothing does. Raises SettingsError when no server is named.

    A gateway answers for itself (/readyz). Workers and the scheduler have no door to knock at: the server they depend on
    is asked, and their sign of life is looked for.
    """
    if process == "gateway":
        if asyncio.run(answers(settings, "readyz")):
            return ""
        return f"the gateway on {settings.host}:{settings.port} does not answer /readyz with 200"
    try:
        asyncio.run(store_check.check(redis_url_of(settings)))
    except FAULTS as error:
        return store_check.complaint(error)
    if not is_alive(settings, process):
        return (
            f"no {process} with {env_name('data_dir')}={settings.data_dir} has done a round in the last {STALE_S:.0f} s"
        )
    return ""
