"""`noripan replay`: what happened in a game, for people, for programs, or for somebody who wants to check it.

What is shown goes the way of everything that leaves the server (P6): events masked and views built for one viewer, a
spectator unless `--as` says otherwise. The events stream is the truth; that an event came from this entry at that time is
found by deciding the entries again. Where that fails (see `noripan audit`), or for a game of older rules, events are told
without a time.
"""

import click
import msgspec

from engine.audience import shown
from engine.fold import Decided, Entry, Report, entry_ms, fold
from engine.game import SPECTATOR, Seated, Viewer
from engine.room.state import Room
from engine.room.view import room_view
from schemas.base import encode
from services.cli._log import GameName, GameNameType, Usage, drawing, plain, run, text_of, when, words
from services.settings import Settings
from services.store.clock import server_ms
from services.store.delayed import shown_version
from services.store.evidence import NotSound, decide_again, evidence, is_over
from services.store.read import Log, read_log, read_names
from services.store.redis import Caller


@click.command("replay")
@click.argument("game", type=GameNameType(), metavar="CODE[/N]")
@click.option("--at", "version", type=click.IntRange(min=1), metavar="V", help="Stop after event V.")
@click.option("--as", "seat", type=click.IntRange(0, 31), metavar="SEAT", help="What this seat saw; else a spectator.")
@click.option("--json", "as_json", is_flag=True, help="JSON lines: an event each, then the view.")
@click.option(
    "--evidence", "as_evidence", is_flag=True, help="JSON lines for a checker (docs/format.md); finished games only."
)
def command(game: GameName, version: int | None, seat: int | None, as_json: bool, as_evidence: bool) -> None:
    """Show a game of a room: what happened, and the table at the end or after event V."""
    if as_evidence and (version is not None or seat is not None or as_json):
        raise Usage("--evidence is the whole log in a form of its own: it takes none of --at, --as and --json")
    viewer = SPECTATOR if seat is None else Seated(seat)
    run(lambda caller, settings: replay(caller, settings, game, version, viewer, as_json, as_evidence))


async def replay(
    caller: Caller,
    settings: Settings,
    name: GameName,
    version: int | None,
    viewer: Viewer,
    as_json: bool,
    as_evidence: bool,
) -> int:
    whole = await find_log(caller, name)
    log = whole if isinstance(viewer, Seated) else await as_late_as_spectators(caller, name, whole, as_evidence)
    room = fold(log.kit, log.events[:version])
    if room is None:
        raise Usage(f"{name}: its lobby is not open yet")
    if version is not None and version > len(log.events):
        raise Usage(f"--at {version}: {log.game_id} has {len(log.events)} events")
    if isinstance(viewer, Seated) and (viewer.seat >= len(room.seats) or room.seats[viewer.seat] is None):
        raise Usage(f"--as {viewer.seat}: nobody has that seat")
    decided, report = decide_again(whole, room)
    if as_evidence:
        return _evidence(log, room, decided, report)
    if not report.ok:
        click.echo(f"{log.game_id} does not re-execute from {report.where} on: {report.what}", err=True)
    owners = [one.entry for one in decided for _ in one.event_bytes]
    if as_json:
        _json_lines(log, room, owners, viewer)
    else:
        names = await read_names(caller, name.room)
        _transcript(log, room, owners, viewer, settings, names)
    return 0


async def find_log(caller: Caller, name: GameName) -> Log:
    """The log of a game. Raises Usage when there is no such room or game, or its program is not installed."""
    try:
        log = await read_log(caller, name.room, name.n)
    except KeyError as error:
        raise Usage(f"{name}: the game {error} is not installed here (NORIPAN_GAMES)") from None
    if log is None or (log.head is None and not log.entries):
        raise Usage(f"{name}: no such {'room' if name.n is None else 'game'} here")
    return log


async def as_late_as_spectators(caller: Caller, name: GameName, log: Log, evidence: bool) -> Log:
    """The log as far as somebody without a seat may see it now: this is no faster way in than a socket (`delay_s`)."""
    n = int(log.game_id.partition("/")[2])
    upto = await shown_version(caller, name.room, n, await server_ms(caller))
    if upto is None:
        return log
    if evidence:
        raise Usage(f"{log.game_id} is shown to spectators with a delay, and that is not over yet")
    return log._replace(events=log.events[:upto])


def _told(log: Log, room: Room, owners: list[Entry], viewer: Viewer):
    """(version, entry or None, event as the viewer may see it or None, its bytes) for events 1 … room.version."""
    for index in range(room.version):
        data = log.events[index]
        entry = owners[index] if index < len(owners) else None
        masked = shown(log.kit, [log.kit.decode_event(data)], [data], viewer)
        yield index + 1, entry, (log.kit.decode_event(masked[0]), masked[0]) if masked else None


def _json_lines(log: Log, room: Room, owners: list[Entry], viewer: Viewer) -> None:
    """A hidden event keeps its version and has no `event`: a gap in versions always means loss."""
    for version, entry, told in _told(log, room, owners, viewer):
        line: dict = {"version": version}
        if entry is not None:
            line |= {"entry": entry.id.decode(), "at_ms": entry_ms(entry.id)}
        if told is not None:
            line["event"] = msgspec.Raw(told[1])
        click.echo(encode(line))
    click.echo(encode({"version": room.version, "view": room_view(log.kit, room, viewer)}))


def _transcript(
    log: Log, room: Room, owners: list[Entry], viewer: Viewer, settings: Settings, names: dict[str, str]
) -> None:
    text = text_of(log.kit.game.name, settings.games)
    seen = "a spectator" if viewer == SPECTATOR else f"seat {viewer.seat}"  # type: ignore[union-attr]
    click.echo(f"{log.game_id}  {room.game}, {room.phase}, {room.version} of {len(log.events)} events, seen by {seen}")
    for index, seat in enumerate(room.seats):
        if seat is not None:
            known = f" ({plain(names[seat.player])})" if seat.player in names else ""
            click.echo(f"seat {index}: {plain(seat.player)}{known}")
    click.echo()
    width = len(str(room.version))
    for version, entry, told in _told(log, room, owners, viewer):
        at = when(entry_ms(entry.id)) if entry is not None else " " * 23 + "?"
        click.echo(f"{version:>{width}}  {at}  {'(hidden)' if told is None else words(told[0], text)}")
    click.echo()
    click.echo(drawing(log.kit, room_view(log.kit, room, viewer), text, room.options))


def _evidence(log: Log, room: Room, decided: list[Decided], report: Report) -> int:
    if not is_over(room):
        raise Usage(f"{log.game_id} is not over: its secret is published with its end, and evidence needs it")
    try:
        lines = evidence(log, room, decided, report)
    except NotSound as error:
        click.echo(f"{log.game_id}: {error}", err=True)
        return 1
    for line in lines:
        click.echo(line)
    return 0
