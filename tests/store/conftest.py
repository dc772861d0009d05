"""Every server that is claimed, really running: the embedded Valkey always, redis-server when it is on the PATH."""

import shutil
from pathlib import Path

import pytest

from services.store.server import embedded

SERVERS = {"valkey": None, "redis": shutil.which("redis-server")}


@pytest.fixture(scope="session", params=[name for name in SERVERS if name == "valkey" or SERVERS[name]])
def server(request, tmp_path_factory):
    program = SERVERS[request.param]
    more = {"program": Path(program)} if program else {}
    with embedded(tmp_path_factory.mktemp(request.param), **more) as running:
        yield running


@pytest.fixture
def url(server):
    import redis

    with redis.Redis.from_url(server.url) as client:
        client.flushall()
    return server.url
