"""`noripan`: the group of all commands. Nobody edits a list to add one.

A command is a module in this folder that exports a click command named `command`; it is called after the file (`_`
becomes `-`) and imported only when it is asked for, so that `noripan up` does not pay for the tools. Files that
begin with `_` are parts, not commands. The long-running processes are commands too: `noripan worker` is `python -m
services.worker`.

Exit codes: 0 clean, 1 findings (a damaged log, a missed budget), 2 usage (arguments or settings), as click has it.
"""

import importlib
import os
import pkgutil
import sys

import click

import services.cli
from services.alive import silence
from services.settings import SettingsError, load

PROCESSES = {
    "gateway": "Serve browsers: pages, HTTP and sockets. Run any number.",
    "worker": "Play the games: run any number, each takes any room.",
    "scheduler": "Watch deadlines and lost work. Run one or more.",
}


class Commands(click.Group):
    """A group whose commands are the files of this folder."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = {
            info.name.replace("_", "-") for info in pkgutil.iter_modules(services.cli.__path__) if info.name[0] != "_"
        }
        return sorted(names - {"main"} | set(PROCESSES))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name in PROCESSES:
            return _process(name)
        if name not in self.list_commands(ctx):
            return None
        return importlib.import_module(f"services.cli.{name.replace('-', '_')}").command


def _process(name: str) -> click.Command:
    @click.command(name, help=PROCESSES[name])
    @click.option("--check", is_flag=True, help="Only say whether one can work now: exit code 0, or 1 and why not.")
    @click.option("--alive", is_flag=True, help="Only say whether one lives, with or without Redis: exit code 0, or 1.")
    def run(check: bool, alive: bool) -> None:
        if not (check or alive):
            sys.exit(importlib.import_module(f"services.{name}.__main__").main())
        if complaint := _complaint(name, check):
            click.echo(complaint, err=True)
            sys.exit(1)

    return run


def _complaint(process: str, check: bool) -> str:
    """What keeps `process` from working (check) or from living, "" when nothing does. Raises SettingsError."""
    settings = load(os.environ)
    if not check and process != "gateway":
        return silence(settings, process)  # asked every few seconds for ever, so it imports nothing more
    health = importlib.import_module("services.cli._health")
    return health.complaint(process, settings, "readyz" if check else "healthz")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="noripan")
def cli() -> None:
    """Noripan hosts turn-based party games; every game is a log that anyone can re-execute and check.

    Settings come from the environment (NORIPAN_* and REDIS_URL).
    """


def main() -> None:
    try:
        cli(prog_name="noripan")
    except SettingsError as error:
        click.echo(error, err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
