"""`--check` of a process: whether it can do its work now, asked from beside it (a container's health check does that)."""

import asyncio

from services.cli.up import answers
from services.settings import Settings, redis_url_of
from services.store import check as store_check
from services.store.check import FAULTS


def complaint(process: str, settings: Settings) -> str:
    """What keeps `process` from working, "" when nothing does. Raises SettingsError when no server is named.

    A gateway answers for itself (/readyz). Workers and the scheduler have no door to knock at; what they depend on is
    the server, and one of them that is stuck is noticed by its lease, not by this.
    """
    if process == "gateway":
        return "" if asyncio.run(answers(settings, "readyz")) else "the gateway does not answer /readyz with 200"
    try:
        asyncio.run(store_check.check(redis_url_of(settings)))
    except FAULTS as error:
        return store_check.complaint(error)
    return ""
