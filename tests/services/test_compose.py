"""compose.yaml: no Docker is needed to know that it is well formed, that what it runs exists, and that its settings
load.

The file is read as compose reads it (anchors merged, variables filled in); commands and environments are then given
to the real command line, the real settings and the real server program.
"""

import json
import re
import subprocess
import time
from pathlib import Path

import jsonschema
import pytest
import redis
import yaml

from services.cli.main import cli
from services.settings import load
from services.store import server

ROOT = Path(__file__).parents[2]
FILE = yaml.safe_load((ROOT / "compose.yaml").read_text())
SCHEMA = json.loads((Path(__file__).parent / "compose.schema.json").read_text())
OURS = {name: service for name, service in FILE["services"].items() if "build" in service}
GIVEN = {"NORIPAN_TOKEN_KEY": "k" * 32}


def filled(text: str, given: dict[str, str]) -> str:
    """`${NAME:-default}` and `${NAME:?complaint}` as compose fills them in."""

    def value(match: re.Match[str]) -> str:
        name, how, rest = match.groups()
        if how == ":?" and not given.get(name):
            raise KeyError(rest)
        return given.get(name) or (rest if how == ":-" else "")

    return re.sub(r"\$\{(\w+)(:[-?])?([^}]*)\}", value, text)


def environment(service: dict, given: dict[str, str]) -> dict[str, str]:
    return {name: filled(str(value or ""), given) for name, value in service["environment"].items()}


def test_the_file_is_well_formed():
    jsonschema.Draft202012Validator(SCHEMA).validate(FILE)


@pytest.mark.parametrize("path, value", [(("restart",), "sometimes"), (("helthcheck",), {}), (("ports",), ["x"])])
def test_the_schema_would_notice(path, value):
    broken = json.loads(json.dumps(FILE))
    broken["services"]["gateway-1"][path[0]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(broken)


def test_names_refer_to_what_is_there():
    for service in FILE["services"].values():
        assert set(service.get("depends_on", {})) <= set(FILE["services"])
        assert {mount.partition(":")[0] for mount in service.get("volumes", [])} <= set(FILE["volumes"])
    ports = [port.rpartition(":")[0] for service in FILE["services"].values() for port in service.get("ports", [])]
    assert len(ports) == len(set(ports))


def test_every_process_runs_and_every_command_exists():
    assert (ROOT / "Dockerfile").read_text().count('ENTRYPOINT ["noripan"]') == 1
    commands = cli.list_commands(None)
    run = [service["command"][0] for service in OURS.values()]
    assert set(run) <= set(commands)
    assert {"gateway", "worker", "scheduler"} == set(run) and run.count("gateway") == 2
    for service in OURS.values():
        assert service["healthcheck"]["test"] == ["CMD", "noripan", *service["command"], "--check"]


def test_every_process_gets_settings_that_load():
    for service in OURS.values():
        settings = load(environment(service, GIVEN))
        assert settings.redis_url == "redis://store:6379/0"
        assert (settings.token_key is not None) == (service["command"] == ["gateway"]), "only gateways see the key"


def test_a_missing_token_key_stops_the_start():
    with pytest.raises(KeyError, match="one key of 32 or more"):
        environment(OURS["gateway-1"], {})


def test_the_store_command_gives_the_server_we_need(tmp_path):
    """Its own words, given to the embedded program (another port and folder, as the container has its own)."""
    program, *words = FILE["services"]["store"]["command"]
    assert program == "valkey-server"
    port = server.free_port()
    place = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(tmp_path), "--logfile", str(tmp_path / "log")]
    process = subprocess.Popen([str(server.binary()), *words, *place])
    try:
        end = time.monotonic() + 20
        while server.serving(port) != process.pid:
            assert process.poll() is None and time.monotonic() < end, (tmp_path / "log").read_text()
            time.sleep(0.01)
        client = redis.Redis(port=port)
        wanted = {"appendonly": "yes", "save": "", "maxmemory-policy": "noeviction", "stream-node-max-bytes": "512"}
        assert client.config_get(*wanted) == wanted
        client.close()
    finally:
        process.terminate()
        process.wait(20)
