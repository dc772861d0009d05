"""Goal: `noripan up` plays, and live rooms survive its restart, as the README says.

Method: the command itself on a free port and an empty folder, with an empty environment otherwise; a real client.
"""

import os
import signal
import subprocess
import sys
import urllib.request

import pytest
import redis

from services.client import Client, create_room
from services.store.server import free_port, half_the_memory
from tests.faults.test_processes import run
from tests.stack import ROOT, wait_until


class Up:
    """`noripan up` on a data folder."""

    def __init__(self, folder, port):
        self.url = f"http://127.0.0.1:{port}"
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "NORIPAN_DATA_DIR": str(folder / "data"),
            "NORIPAN_PORT": str(port),
        }
        self.log = folder / "up.log"

    def start(self):
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "services.cli.main", "up"], cwd=ROOT, env=self.env, stdout=out, stderr=out
            )
        wait_until(self._answers, said=lambda: self.log.read_text(errors="replace")[-3000:])

    def _answers(self):
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    def interrupt(self):
        """Ctrl-C; the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)

    def command(self, *args):
        return subprocess.run(
            [sys.executable, "-m", "services.cli.main", *args], cwd=ROOT, env=self.env, capture_output=True, text=True
        )


@pytest.fixture
def up(tmp_path):
    found = Up(tmp_path, free_port())
    found.start()
    yield found
    if found.process.poll() is None:
        found.process.kill()
        found.process.wait()


def test_a_room_survives_ctrl_c_and_the_next_start(up):
    async def first():
        room, token = await create_room(up.url, "yacht", {"turnSeconds": None})
        async with Client(up.url, room, token) as one:
            await one.join("하나")
            await one.start()
            await one.until(lambda c: c.view["phase"] == "playing")
            await one.act(0, {"type": "roll"})
            return room, token, one.view["table"]["dice"]

    async def second(room, token):
        async with Client(up.url, room, token) as one:
            dice = one.view["table"]["dice"]
            await one.act(0, {"type": "score", "category": "choice"})
            return dice, one.view["table"]["sheets"]["0"]["scores"]

    room, token, dice = run(first())
    assert up.interrupt() == 0, up.log.read_text()
    up.start()
    again, scores = run(second(room, token))
    assert again == dice and scores == {"choice": sum(dice)}
    audit = up.command("audit", "--all")
    assert audit.returncode == 0, audit.stdout + audit.stderr
    rooms = up.command("rooms")
    assert rooms.returncode == 0 and room in rooms.stdout


def test_a_second_up_on_the_same_folder_says_what_is_in_the_way(up):
    second = up.command("up")
    assert second.returncode != 0
    assert "NORIPAN_DATA_DIR" in second.stderr or "NORIPAN_PORT" in second.stderr
    assert up._answers()


def test_up_bounds_the_memory_of_its_server(up, tmp_path):
    def bound():
        with redis.Redis.from_url((tmp_path / "data/redis.url").read_text().strip()) as client:
            return int(client.config_get("maxmemory")["maxmemory"])

    assert bound() == half_the_memory() > 0
    assert up.interrupt() == 0
    up.env["NORIPAN_REDIS_MEMORY"] = "64mb"
    up.start()
    assert bound() == 64 << 20


def test_a_container_has_what_it_was_given(tmp_path):
    limit = tmp_path / "memory.max"
    for text, half in (
        ("1073741824\n", 1 << 29),
        ("max\n", half_the_memory()),
        (str(1 << 60), half_the_memory(tmp_path)),
    ):
        limit.write_text(text)
        assert half_the_memory(limit) == half
