"""compose.yaml: no Docker is needed to know that it is well formed, that what it runs exists, and that its settings
load.

The file is read as compose reads it (anchors merged, variables filled in); commands and environments are then given
to the real command line, the real settings and the real server program.
"""

import json
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest
import redis
import yaml

from services.cli.main import cli
from services.settings import load
from services.store import server
from tests.stack import wait_until

ROOT = Path(__file__).parents[2]
FILE = yaml.safe_load((ROOT / "compose.yaml").read_text())
SCHEMA = json.loads((Path(__file__).parent / "compose.schema.json").read_text())
OURS = {name: service for name, service in FILE["services"].items() if "build" in service}
GIVEN = {"NORIPAN_TOKEN_KEY": "k" * 32, "STORE_PASSWORD": "p" * 32}


def filled(text: str, given: dict[str, str]) -> str:
    """`${NAME:-default}` and `${NAME:?complaint}` as compose fills them in."""

    def value(match: re.Match[str]) -> str:
        name, how, rest = match.groups()
        if how == ":?" and not given.get(name):
            raise KeyError(rest)
        return given.get(name) or (rest if how == ":-" else "")

    return re.sub(r"\$\{(\w+)(?:(:[-?])([^}]*))?\}", value, text)


def environment(service: dict, given: dict[str, str]) -> dict[str, str]:
    return {name: filled(str(value or ""), given) for name, value in service["environment"].items()}


def test_the_file_is_well_formed():
    jsonschema.Draft202012Validator(SCHEMA).validate(FILE)


@pytest.mark.parametrize(
    "path, value",
    [
        (("restart",), "sometimes"),
        (("helthcheck",), {}),
        (("ports",), ["8080:8080"]),
        (("read_only",), False),
        (("cap_drop",), []),
        (("security_opt",), []),
        (("mem_limit",), None),
    ],
)
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
        asked = "--check" if service["command"] == ["gateway"] else "--alive"
        assert service["healthcheck"]["test"] == ["CMD", "noripan", *service["command"], asked]


def test_every_process_gets_settings_that_load():
    for service in OURS.values():
        settings = load(environment(service, GIVEN))
        assert settings.redis_url == f"redis://:{GIVEN['STORE_PASSWORD']}@store:6379/0"
        assert (settings.token_key is not None) == (service["command"] == ["gateway"]), "only gateways see the key"


@pytest.mark.parametrize(
    "missing, said", [("NORIPAN_TOKEN_KEY", "one key of 32 or more"), ("STORE_PASSWORD", "password of the store")]
)
def test_a_missing_secret_stops_the_start(missing, said):
    with pytest.raises(KeyError, match=said):
        environment(OURS["gateway-1"], GIVEN | {missing: ""})


def test_the_store_command_gives_the_server_we_need(tmp_path):
    """Its own words, given to the embedded program (another port and folder, as the container has its own)."""
    store = FILE["services"]["store"]
    program, *words = (filled(word, GIVEN) for word in store["command"])
    assert program == "valkey-server"
    password = environment(store, GIVEN)["REDISCLI_AUTH"]
    port = server.free_port()
    place = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(tmp_path), "--logfile", str(tmp_path / "log")]
    process = subprocess.Popen([str(server.binary()), *words, *place])
    try:

        def serves() -> bool:
            assert process.poll() is None, (tmp_path / "log").read_text()
            return server.serving(port, password) == process.pid

        wait_until(serves)
        with pytest.raises(redis.exceptions.AuthenticationError), redis.Redis(port=port) as stranger:
            stranger.ping()
        client = redis.Redis(port=port, password=password)
        wanted = {"appendonly": "yes", "save": "", "maxmemory-policy": "noeviction", "stream-node-max-bytes": "512"}
        assert client.config_get(*wanted) == wanted
        assert int(client.config_get("maxmemory")["maxmemory"]) * 2 <= memory(store["mem_limit"])
        client.close()
    finally:
        process.terminate()
        process.wait()


def memory(text: str) -> int:
    """Bytes of a limit as compose spells it."""
    return int(text[:-1]) * {"m": 1 << 20, "g": 1 << 30}[text[-1]]
