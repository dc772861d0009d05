"""`noripan audit`: is this log what was played? Decides every entry again and compares all that is stored.

Checked for each game: every event byte, the hash chain and its stored head, the secret and the nonces against what was
promised, every die (it is drawn again by the published formula), and the room's hash (version, cursor, snapshot, chance),
which a worker would go on from. Somebody who can write to Redis can also rewrite a log and its head together; against
that there are receipts: players' clients keep (entry, head) pairs, and `--receipt` compares one.

A running game is audited by its private fields without showing them. A game whose program is not installed here, or not in
the rules version that it was played by, is not checked: nothing is known against it.

Exit code 0: all is well. 1: something is wrong, and it is named. 2: nothing is known to be wrong, but something could not be
checked (or, as with every command, what was asked for cannot be done).
"""

from typing import Any

import click
import msgspec
from redis.exceptions import ResponseError

from engine import chain
from engine.fold import Decided, Position, verify
from engine.rng import NO_NONCE, commitment, derive_key
from engine.room import events as ev
from schemas.base import encode
from schemas.entry import Open, decode_command
from services.cli._log import GameName, GameNameType, Usage, all_rooms, run
from services.store.keys import key
from services.store.read import (
    Head,
    Log,
    LostEvents,
    events_between,
    from_snapshot,
    load_chance,
    read_head,
    read_log,
    read_past,
)
from services.store.redis import Caller

TRIES = 20
DAMAGE = (msgspec.MsgspecError, LookupError, ValueError, ResponseError)  # what reading a record that is none can raise


class Finding(msgspec.Struct, omit_defaults=True):
    """One game. where: entry id, `event N`, or the part of the store; what: why it is wrong. Both "" when all is well.

    checked False: it could not be judged, what says why; then it is not ok either.
    """

    game: str
    ok: bool
    where: str = ""
    what: str = ""
    entries: int = 0
    events: int = 0
    parked: int = 0
    head: str = ""
    phase: str = ""
    checked: bool = True


@click.command("audit")
@click.argument("game", type=GameNameType(), metavar="[CODE[/N]]", required=False)
@click.option("--all", "everything", is_flag=True, help="Every game that is in the store.")
@click.option("--receipt", nargs=2, multiple=True, metavar="ENTRY HEAD", help="What a client kept; repeatable.")
@click.option("--json", "as_json", is_flag=True, help="A JSON line for each game.")
def command(game: GameName | None, everything: bool, receipt: tuple[tuple[str, str], ...], as_json: bool) -> None:
    """Decide a game (with CODE alone: all games of that room) again and compare everything.

    Exit code 0: all is well; 1: something is wrong; 2: something could not be checked, and nothing is known to be wrong.
    """
    if (game is None) == (not everything):
        raise click.UsageError("expected a room, a game, or --all")
    if receipt and (game is None or game.n is None):
        raise click.UsageError("a receipt belongs to one game: name it, like K7Q2MX/1")
    run(lambda caller, settings: audit(caller, game, dict(receipt), as_json))


async def audit(caller: Caller, name: GameName | None, receipts: dict[str, str], as_json: bool) -> int:
    games = bad = unchecked = 0
    for room in await all_rooms(caller) if name is None else [name.room]:
        findings = await audit_room(caller, room, None if name is None else name.n, receipts)
        if name is not None and not findings:
            raise Usage(f"{name}: no such {'room' if name.n is None else 'game'} here")
        for finding in findings:
            games += 1
            bad += finding.checked and not finding.ok
            unchecked += not finding.checked
            click.echo(encode(finding).decode() if as_json else _line(finding))
    if name is None and not as_json:
        rest = f", {unchecked} not checked" if unchecked else ""
        click.echo(f"{games} games: {games - bad - unchecked} ok, {bad} bad{rest}")
    return 1 if bad else 2 if unchecked else 0


async def audit_room(caller: Caller, room: str, only: int | None, receipts: dict[str, str]) -> list[Finding]:
    """Findings for the games of a room that are in the store; earlier ones may be in the archive already."""
    try:
        head = await read_head(caller, room)
        if head is None:
            return []
    except DAMAGE as error:
        return [Finding(room, False, "the room's hash", f"it cannot be read ({type(error).__name__}: {error})")]
    numbers = range(1, head.n + 1) if only is None else [only]
    found = [await audit_game(caller, room, n, receipts) for n in numbers]
    return [finding for finding in found if finding is not None]


def _line(f: Finding) -> str:
    if not f.checked:
        return f"{f.game}  not checked: {f.what}"
    if not f.ok:
        return f"{f.game}  BAD  at {f.where}: {f.what}"
    parked = f", {f.parked} parked" if f.parked else ""
    return f"{f.game}  ok   {f.entries} entries, {f.events} events{parked}, {f.phase}, head {f.head or 'none yet'}"


class Stored(msgspec.Struct):
    """A room's hash at the moment its log was read; head None when it would not stand still.

    Of an earlier game of the room it has where that ended, and neither snapshot nor chance.

    gap: why the events stream is not events 1 … version under ids `<version>-0`, "" when it is.
    """

    head: Head | None = None
    chance: bytes = b""
    gap: str = ""


async def read(caller: Caller, room: str, n: int) -> tuple[Log | None, Stored]:
    """The log and the hash that belongs to it: read between two equal looks at the hash."""
    log = None
    for _ in range(TRIES):
        before = await read_head(caller, room)
        log = await read_log(caller, room, n)
        chance = await caller.call("HGET", key("r", room), "chance")
        gap = "" if log is None else await _gap(caller, log)
        if before is not None and before == await read_head(caller, room):
            if before.n == n:
                return log, Stored(before, chance or b"", gap)
            return log, Stored(await read_past(caller, room, n), gap=gap)
    return log, Stored()


async def _gap(caller: Caller, log: Log) -> str:
    try:
        await events_between(caller, log.game_id, 0, len(log.events))
    except LostEvents as error:
        return str(error)
    last = await caller.call("XREVRANGE", key("e", log.game_id), "+", "-", "COUNT", 1)
    beyond = last and int(last[0][0].partition(b"-")[0]) > len(log.events)
    return f"the stream goes on to {last[0][0].decode()} after the last event" if beyond else ""


async def audit_game(caller: Caller, room: str, n: int, receipts: dict[str, str]) -> Finding | None:
    """The finding for one game; None: it is not in the store."""
    try:
        log, stored = await read(caller, room, n)
    except KeyError as error:
        what = f"the game {error} is not installed here (NORIPAN_GAMES)"
        return Finding(f"{room}/{n}", False, checked=False, what=what)
    except DAMAGE as error:
        return Finding(f"{room}/{n}", False, "the store", f"a record cannot be read ({type(error).__name__}: {error})")
    if log is None or (log.head is None and not log.entries and not log.events):
        return None
    return judge(log, stored, receipts)


def judge(log: Log, stored: Stored, receipts: dict[str, str]) -> Finding:
    """Pure: what is wrong with a log, first things first."""
    size = {"entries": len(log.entries), "events": len(log.events)}
    other = _other_rules(log)
    if other:
        return Finding(log.game_id, False, checked=False, what=other, **size)
    broken = _broken_promise(log)
    if broken is not None:
        return Finding(log.game_id, False, *broken, **size)
    twice = _twice(log)
    if twice is not None:
        return Finding(log.game_id, False, *twice, **size)
    at = Position()
    heads: dict[str, str] = {}

    def decided(position: Position, one: Decided) -> None:
        nonlocal at
        at = position
        heads[one.entry.id.decode()] = chain.text(position.head)

    report = verify(log.kit, log.game_id, log.entries, log.events, log.parked, log.head, decided)
    finding = Finding(log.game_id, report.ok, report.where, report.what, report.entries, report.events)
    finding.parked = len(log.parked)
    finding.head = chain.text(report.head)
    finding.phase = "empty" if report.room is None else report.room.phase
    if report.ok:
        wrong = _unrevealed(log) or _other_hash(log, stored, at) or _other_receipt(heads, receipts)
        if wrong is not None:
            finding.ok, (finding.where, finding.what) = False, wrong
    if not any(b'"type":"revealed"' in data for data in log.events):
        for entry in log.entries:  # deciding a changed log may have come to an end that the game has not reached
            if entry.private:
                finding.what = finding.what.replace(entry.private.decode(errors="replace"), "…")
    return finding


Wrong = tuple[str, str] | None


def _other_rules(log: Log) -> str:
    """Why this program does not decide the log, "" when it does. The first entry and its event have to agree on that."""
    try:
        opened = log.kit.decode_event(log.events[0]) if log.events else None
        asked = decode_command(log.entries[0].data) if log.entries else None
    except msgspec.MsgspecError:
        return ""  # deciding again names it
    game = log.kit.game
    if (
        isinstance(opened, ev.Opened)
        and isinstance(asked, Open)
        and opened.rules_version == asked.rules_version
        and not game.decides(asked.rules_version)
    ):
        return f"played by rules version {opened.rules_version}; this program decides by {game.rules_version}"
    return ""


def _broken_promise(log: Log) -> Wrong:
    """The secret in the first entry is the one whose hash everybody saw, in a running game too."""
    for entry in log.entries[:1]:
        try:
            opened = decode_command(entry.data)
            secret = bytes.fromhex(entry.private.decode())
        except ValueError:  # of which msgspec's and Unicode's errors are some
            return entry.id.decode(), "the first entry does not open a lobby, or its secret cannot be read"
        if not isinstance(opened, Open):
            return entry.id.decode(), "the first entry does not open a lobby: one before it is missing"
        if opened.game != log.kit.game.name:
            return entry.id.decode(), f"it opens a game of {opened.game}, the log goes on as one of {log.kit.game.name}"
        if commitment(secret) != opened.commitment:
            return entry.id.decode(), "the secret is not the one that was committed to"
    return None


def _twice(log: Log) -> Wrong:
    """An action of a client counts once, whatever was repeated and lost on the way: its origin stands in one entry."""
    first: dict[bytes, bytes] = {}
    for entry in log.entries:
        if entry.origin and first.setdefault(entry.origin, entry.id) != entry.id:
            what = f"the action {entry.origin.decode()} is in entry {first[entry.origin].decode()} already"
            return entry.id.decode(), what
    return None


def _unrevealed(log: Log) -> Wrong:
    """What the end revealed is what was promised, worked out from the events alone."""
    events = [log.kit.decode_event(data) for data in log.events]
    number, revealed = next(((n, e) for n, e in enumerate(events, 1) if isinstance(e, ev.Revealed)), (0, None))
    if revealed is None:
        return None
    for promised in (event for event in events if isinstance(event, ev.Opened | ev.Started)):
        if commitment(bytes.fromhex(revealed.secret)) != promised.commitment:
            return f"event {number}", "the revealed secret is not the one that was committed to"
    started = next((event for event in events if isinstance(event, ev.Started)), None)
    if started is None:
        return None  # a lobby that was closed
    for seat, (promise, nonce) in enumerate(zip(started.nonce_hashes, revealed.nonces, strict=True)):
        if bytes.fromhex(nonce) != NO_NONCE and commitment(bytes.fromhex(nonce)) != promise:
            return f"event {number}", f"the revealed nonce of seat {seat} is not the one it promised"
    return None


def _other_hash(log: Log, stored: Stored, at: Position) -> Wrong:
    """The room's hash says what the streams say; a snapshot that cannot be used is no fault, workers discard it."""
    head, room = stored.head, at.room
    if stored.gap:
        return "events stream", stored.gap
    if head is None:
        return None
    last = log.entries[-1].id if log.entries else b"0-0"
    for what, got, expected in (
        ("version", head.version, len(log.events)),
        ("decided entries", head.decided, len(log.entries)),
        ("cursor", head.cursor, last),
    ):
        if got != expected:
            return what, f"the room's hash has {_text(got)}, the streams say {_text(expected)}"
    kept = from_snapshot(log.kit, head.snapshot, head.version)
    if kept is not None and kept != room:
        return "snapshot", "its state is not the fold of the events"
    chance = load_chance(stored.chance)
    if chance is not None and stored.chance and chance != at.chance:
        return "chance", "the stored secret, nonces or key are not those of the entries"
    if at.chance.key and room is not None:
        nonces = tuple(at.chance.nonces.get(seat, NO_NONCE) for seat in range(len(room.seats)))
        if derive_key(at.chance.secret, log.game_id, nonces) != at.chance.key:
            return "chance", "the key is not derived from the secret and the nonces"
    return None


def _other_receipt(heads: dict[str, str], receipts: dict[str, str]) -> Wrong:
    for entry, head in receipts.items():
        if entry not in heads:
            return entry, "a client has a receipt for this entry, and the log has no such entry"
        if heads[entry] != head:
            return entry, f"a client's receipt says {head}, this log comes to {heads[entry]}"
    return None


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
