"""The command line: every file is a command, every command loads and explains itself, and a wrong call ends with 2."""

import os
import signal
import subprocess
import sys

import click
import pytest
import redis
from click.testing import CliRunner

from services.alive import sign
from services.cli.main import PROCESSES, cli
from services.settings import load
from services.store.server import embedded, free_port
from tests.stack import wait_until

NAMES = cli.list_commands(None)


def test_the_commands_are_the_files_and_the_processes():
    assert {"up", *PROCESSES} <= set(NAMES)
    assert not {"main", "-supervisor", "_supervisor"} & set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_loads_and_says_what_it_does(name):
    command = cli.get_command(None, name)
    assert isinstance(command, click.Command) and command.name == name
    assert len(command.get_short_help_str(200)) > 10


@pytest.mark.parametrize("args", [["no-such-command"], ["--no-such-flag"], ["up", "surplus"]])
def test_a_wrong_call_ends_with_2(args):
    assert CliRunner().invoke(cli, args).exit_code == 2


@pytest.mark.parametrize("name", ["worker", "scheduler"])
def test_a_check_asks_the_server(name, tmp_path):
    def check(url: str):
        env = {"REDIS_URL": url, "NORIPAN_DATA_DIR": str(tmp_path / "data")}
        return CliRunner().invoke(cli, [name, "--check"], env=env)

    with embedded(tmp_path / "store") as store:
        nobody = check(store.url)
        assert nobody.exit_code == 1 and f"no {name}" in nobody.stderr
        env = {**os.environ, "REDIS_URL": store.url, "NORIPAN_DATA_DIR": str(tmp_path / "data")}
        process = subprocess.Popen([sys.executable, "-m", f"services.{name}"], env=env, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: check(store.url).exit_code == 0)
            process.send_signal(signal.SIGSTOP)
            wait_until(lambda: check(store.url).exit_code == 1)
        finally:
            process.kill()
            process.wait()
        sign(load({"NORIPAN_DATA_DIR": str(tmp_path / "data")}), name).touch()
        assert check(store.url).exit_code == 0
        redis.Redis(port=store.port).config_set("maxmemory-policy", "allkeys-lru")
        unfit = check(store.url)
        assert unfit.exit_code == 1 and "noeviction" in unfit.stderr
        url = store.url
    away = check(url)
    assert away.exit_code == 1 and "does not answer" in away.stderr


def test_a_check_of_a_gateway_asks_the_gateway():
    done = CliRunner().invoke(cli, ["gateway", "--check"], env={"NORIPAN_PORT": str(free_port())})
    assert done.exit_code == 1 and "/readyz" in done.stderr


def test_wrong_settings_end_with_2_and_name_the_variable():
    done = subprocess.run(
        [sys.executable, "-m", "services.cli.main", "up"],
        env={**os.environ, "NORIPAN_WORKERS": "many"},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "NORIPAN_WORKERS='many': expected a number of processes, 1 to 64\n"


def test_a_command_is_imported_only_when_it_is_asked_for():
    """`up` and the processes start without paying for the tools."""
    code = (
        "import sys; from services.cli.main import cli; cli.get_command(None, 'up');"
        "print([name for name in sys.modules if name.startswith('services.cli.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(["services.cli.main", "services.cli._supervisor", "services.cli.up"])
