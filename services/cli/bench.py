"""`noripan bench`: the budgets of docs/design.md 11 as JSON lines on stdout. Takes minutes, uses two cores, needs Linux."""

import click
import msgspec

GATES = {
    "engine": {"action_us": ("<=", 60), "fold_events_per_s": (">=", 150_000), "growth_ratio": ("<=", 1.15)},
    "engine yut": {"action_us": ("<=", 90), "fold_events_per_s": (">=", 120_000)},
    "pipeline": {
        "actions_per_s": (">=", 8000),
        "idle_p50_ms": ("<=", 1.0),
        "gap_own_ms": ("<=", 1.0),  # the same budget for a room that pauses, as people do
        "cpu_us_per_action": ("<=", 130),
        "vs_naive": (">=", 3.5),
    },
    "fanout": {
        "socket_event_us": ("<=", 15),
        "different_frames": ("<=", 1),  # every watcher gets the bytes that were made once
        "resume_p99_ms": ("<=", 250),
        "wait_max_s": ("<=", 10),
    },
}


def emit(record: dict) -> list[str]:
    """Print a record; the gates it misses, as text."""
    click.echo(msgspec.json.encode(record).decode())
    gates = GATES.get(f"{record['bench']} {record.get('game')}") or GATES[record["bench"]]
    missed = []
    for name, (sense, gate) in gates.items():
        value = record.get(name)
        if value is not None and not (value <= gate if sense == "<=" else value >= gate):
            missed.append(f"{record['bench']} {record.get('game', '')}: {name} {value}, expected {sense} {gate}")
    return missed


@click.command("bench")
@click.argument("what", type=click.Choice(["engine", "pipeline", "fanout", "all"]), default="all")
@click.option("--game", "games", multiple=True, help="Games of `bench engine`; default: all that are installed.")
@click.option("--rooms", default=1000, show_default=True, type=click.IntRange(1, 20_000))
@click.option("--seconds", default=8.0, show_default=True, type=click.FloatRange(0.5, 60))
@click.option("--log-length", default=100_000, show_default=True, type=click.IntRange(1000, 1_000_000))
@click.option("--watchers", default=200, show_default=True, type=click.IntRange(1, 2000))
@click.option("--sockets", default=2000, show_default=True, type=click.IntRange(1, 8000))
@click.option(
    "--naive/--no-naive", default=True, show_default=True, help="Also measure the naive scheme for comparison."
)
def command(
    what: str,
    games: tuple[str, ...],
    rooms: int,
    seconds: float,
    log_length: int,
    watchers: int,
    sockets: int,
    naive: bool,
) -> None:
    """Measure the budgets. Exit code 1 when a gate is missed, named on stderr."""
    from engine.games import games as installed

    missed: list[str] = []
    if what in ("engine", "all"):
        from services.bench import engine

        for name in games:
            if name not in installed():
                raise click.UsageError(f"--game {name}: expected one of {', '.join(installed())}")
        for record in engine.run(list(games or installed()), log_length, 400):
            missed += emit(record)
    if what in ("pipeline", "all"):
        from services.bench import pipeline

        missed += emit(pipeline.run(rooms, seconds, naive))
    if what in ("fanout", "all"):
        from services.bench import fanout

        missed += emit(fanout.run(watchers, sockets))
    for line in missed:
        click.echo(line, err=True)
    if missed:
        raise SystemExit(1)
