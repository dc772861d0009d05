"""Goal: the processes of compose.yaml, two gateways among them, are one product, without Docker.

Method: every process with the command and the environment that the file gives it (only addresses differ), health checks as
the file spells them, and a game of two whose players sit on different gateways.
"""

import contextlib
import subprocess
import sys

import yaml

from services.client import Client, create_room
from services.store.server import embedded, free_port
from tests.faults.campaign import Table, judge, play
from tests.faults.test_processes import run
from tests.services.test_compose import GIVEN, OURS, environment
from tests.stack import ROOT, wait_until

NORIPAN = [sys.executable, "-m", "services.cli.main"]


@contextlib.contextmanager
def composed(folder):
    """All services of the file that are ours, each as often as it says; yields the gateways' URLs."""
    with embedded(folder / "store") as store, contextlib.ExitStack() as stop:
        urls, checks = [], []
        for name, service in OURS.items():
            env = environment(service, GIVEN)
            env |= {"REDIS_URL": store.url, "PATH": "/usr/bin:/bin", "NORIPAN_DATA_DIR": str(folder / name)}
            if service["command"] == ["gateway"]:
                env["NORIPAN_PORT"] = str(free_port())
                urls.append(f"http://127.0.0.1:{env['NORIPAN_PORT']}")
            for _ in range(service.get("deploy", {}).get("replicas", 1)):
                log = stop.enter_context((folder / f"{name}.log").open("ab"))
                child = subprocess.Popen([*NORIPAN, *service["command"]], cwd=ROOT, env=env, stdout=log, stderr=log)
                stop.callback(child.wait, 60)
                stop.callback(child.terminate)
            checks.append(([*NORIPAN, *service["healthcheck"]["test"][2:]], env))
        for check, env in checks:
            wait_until(lambda c=check, e=env: subprocess.run(c, cwd=ROOT, env=e, capture_output=True).returncode == 0)
        yield store.url, urls


def test_the_composed_processes_play_a_game_across_two_gateways(tmp_path):
    async def scenario(store, urls):
        room, token = await create_room(urls[0], "yacht", {"turnSeconds": None})
        async with Client(urls[:1], room, token) as one, Client(urls[1:], room) as two:
            table = Table(room, [one, two])
            await one.join("하나")
            await two.join("둘")
            await one.start()
            for client in table.players:
                await client.until(lambda c: c.view["phase"] == "playing")
            await play(table, 3)
            return await judge(store, [table])

    with composed(tmp_path) as (store, urls):
        assert len(urls) == 2
        assert run(scenario(store, urls))["rooms"] == 1


def test_the_file_names_two_gateways_two_workers_and_a_scheduler():
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    counts = {name: service.get("deploy", {}).get("replicas", 1) for name, service in services.items()}
    assert counts == {"store": 1, "gateway-1": 1, "gateway-2": 1, "worker": 2, "scheduler": 1}
