"""The log: deciding it again gives the same bytes, and every way of tampering with it is named (P4).

Also the engine's promise about its own faults (P7): an entry whose decision raises is set aside, the room goes on, and the
record of that is input for whoever re-executes the log.
"""

import msgspec
import pytest
from msgspec.structs import replace

from engine.fold import Entry, Position, advance, fold, verify
from engine.game import SPECTATOR
from engine.games.yacht import GAME as YACHT
from engine.games.yacht import types as t
from engine.kit import Kit, kit
from engine.room.state import evolve
from engine.room.view import room_view
from schemas import entry as cmd
from tests.engine.room_kit import T0, Table, nonce_of


def finished() -> Table:
    """A game with everything in it: nonces, refusals, a timeout, a drop, a concession."""
    table = Table(keep_order=False).seat_all("ann", "ben", nonce=True)
    table.start()
    table.nonce("ann")
    table.nonce("ben")
    first = table.due.seats[0]
    table.act(1 - first, t.Roll())
    table.act(first, t.Roll())
    table.act(first, t.SetHold((True, True, False, False, False)))
    table.act(first, t.Roll(), at=T0 + 5_000)
    table.act(first, t.Score("choice"))
    table.timeout()
    table.drop("ann")
    table.act(first, t.Roll(), at=table.now + 100)
    table.act(0, t.Concede())
    table.act(1, t.Concede())
    assert table.room.phase == "over"
    return table


@pytest.fixture(scope="module")
def table() -> Table:
    return finished()


def test_deciding_again_gives_the_same_bytes_head_and_state(table):
    report = table.verify()
    assert report.ok and (report.where, report.what) == ("", "")
    assert (report.entries, report.events) == (len(table.entries), len(table.events))
    assert report.head == table.at.head and report.room == table.at.room
    table.check()


def test_the_state_after_n_events_is_the_fold_of_the_first_n(table):
    """Report 99: any version of a replay is a fold of its events, however they are cut into batches."""
    room = None
    for n, data in enumerate(table.events, 1):
        room = fold(table.kit, [data], room)
        assert room == fold(table.kit, table.events[:n]) and room.version == n
    assert room == table.at.room


def test_cutting_the_log_into_other_batches_changes_nothing(table):
    for size in (1, 2, 5, 100):
        at = Position()
        events = []
        for start in range(0, len(table.entries), size):
            at, decided = advance(table.kit, at, table.entries[start : start + size], table.game_id)
            events += [data for one in decided for data in one.event_bytes]
            stored = None if at.room is None else table.kit.decode_room(table.kit.encode_room(at.room))
            at = at._replace(room=stored)
        assert events == table.events and at.head == table.at.head


def changed(items: list, index: int, value) -> list:
    return [*items[:index], value, *items[index + 1 :]]


def test_every_changed_event_is_named(table):
    for index, data in enumerate(table.events):
        other = data.replace(b'"type"', b'"typE"', 1)
        report = table.verify(events=changed(table.events, index, other))
        assert not report.ok and f"event {index + 1} differs" in report.what
        assert report.where in [entry.id.decode() for entry in table.entries]


def test_a_changed_die_is_named(table):
    index = next(i for i, data in enumerate(table.events) if b'"rolled"' in data)
    rolled = table.kit.decode_event(table.events[index])
    other = replace(rolled, dice=(rolled.dice[0] % 6 + 1, *rolled.dice[1:]))
    report = table.verify(events=changed(table.events, index, msgspec.json.encode(other)))
    assert not report.ok and f"event {index + 1} differs" in report.what


def test_every_removed_event_is_named(table):
    for index in range(len(table.events)):
        report = table.verify(events=table.events[:index] + table.events[index + 1 :])
        assert not report.ok and (f"event {index + 1} " in report.what or "is missing" in report.what), report


def test_an_added_event_is_named(table):
    report = table.verify(events=[*table.events, table.events[-1]])
    assert not report.ok and report.where == f"event {len(table.events) + 1}"


def test_every_two_swapped_events_are_named(table):
    for index in range(len(table.events) - 1):
        events = list(table.events)
        if events[index] == events[index + 1]:
            continue
        events[index], events[index + 1] = events[index + 1], events[index]
        assert not table.verify(events=events).ok


def test_every_removed_entry_is_named(table):
    for index, entry in enumerate(table.entries):
        report = table.verify(entries=table.entries[:index] + table.entries[index + 1 :])
        assert not report.ok, entry


def test_every_changed_entry_is_named_refused_ones_too(table):
    for index, entry in enumerate(table.entries):
        if index < 3:
            continue  # the lobby: see the next test
        spaced = entry._replace(data=entry.data.replace(b"{", b"{ ", 1))
        later = entry._replace(id=entry.id + b"1")
        for other in (spaced, later):
            assert not table.verify(entries=changed(table.entries, index, other)).ok, entry


@pytest.mark.parametrize(
    ("index", "field", "value"),
    [
        (0, "options", {"scoring": "traditional"}),
        (0, "player", "eve"),
        (0, "commitment", "0" * 64),
        (1, "player", "eve"),
        (1, "seat", 5),
        (2, "nonce_hash", "0" * 64),
    ],
)
def test_what_counts_of_the_lobby_is_bound_by_its_events_and_the_start_record(table, index, field, value):
    """The chain begins with Start; entries before it are told by what came of them."""
    entry = table.entries[index]
    data = msgspec.json.encode({**msgspec.json.decode(entry.data), field: value})
    assert not table.verify(entries=changed(table.entries, index, entry._replace(data=data))).ok


@pytest.mark.parametrize("index", [0, 4, 5], ids=["secret", "nonce of ann", "nonce of ben"])
def test_a_changed_private_part_is_named(table, index):
    entry = table.entries[index]
    assert len(entry.private) == 64
    for private in (b"00" * 32, b"", b"zz", entry.private[:-2]):
        assert not table.verify(entries=changed(table.entries, index, entry._replace(private=private))).ok


def test_a_cut_tail_shows_in_the_head(table):
    """Entries and events cut together re-execute; only the stored head, or a receipt, knows better."""
    last = len(table.log[-1][1].event_bytes)
    report = table.verify(entries=table.entries[:-1], events=table.events[:-last])
    assert not report.ok and report.where == "head"
    receipt = table.log[-2][2].head
    assert verify(table.kit, table.game_id, table.entries[:-1], table.events[:-last], {}, receipt).ok


def test_another_head_is_named(table):
    report = table.verify(head=bytes(32))
    assert not report.ok and report.where == "head"
    assert table.verify(head=None).ok, "None: there is nothing to compare"


def test_the_log_of_another_game_does_not_pass_as_this_one(table):
    report = verify(table.kit, "K7Q2MX/2", table.entries, table.events, {}, table.at.head)
    assert not report.ok


# --- snapshots


def test_snapshots_survive_encode_and_decode_at_every_version(table):
    for _, _, after in table.log:
        stored = table.kit.encode_room(after.room)
        assert table.kit.decode_room(stored) == after.room
        assert table.kit.encode_room(table.kit.decode_room(stored)) == stored


def test_a_damaged_snapshot_is_refused_and_not_half_read(table):
    stored = table.kit.encode_room(table.room)
    for damaged in (b"", stored[:-1], stored[:40], b"\x90", b"\x00" + stored, stored + b"\x00"):
        with pytest.raises(msgspec.MsgspecError):
            table.kit.decode_room(damaged)


def test_an_unknown_event_stops_a_fold_with_a_typed_error(table):
    with pytest.raises(msgspec.MsgspecError):
        fold(table.kit, [*table.events[:3], b'{"type":"from_the_future"}'])


def test_events_of_an_older_release_without_newer_fields_are_still_read():
    """Report 137: every field that is not essential has a default, so old bytes fold."""
    room = fold(
        kit("yacht"),
        [
            b'{"type":"opened","id":"K7Q2MX/1","player":"ann","game":"yacht","rules_version":1,"options":{},'
            b'"settings":{},"commitment":"' + b"0" * 64 + b'"}',
            b'{"type":"seated","seat":0,"player":"ann"}',
        ],
    )
    assert room.seats[0].player == "ann" and room_view(kit("yacht"), room, SPECTATOR).seats["0"].connected


# --- faults of a game


def poisoned(error: Exception | None, *, endless: bool = False) -> Kit:
    """Yacht with a bug: holding all five dice raises (or runs into infinite recursion)."""

    def decide(state, seat, action, ctx):
        if type(action) is t.SetHold and all(action.held):
            if endless:
                return decide(state, seat, action, ctx)
            raise error
        if type(action) is t.SetHold and not any(action.held[1:]):
            ctx.rng.next()  # forgets to say that it drew
        return YACHT.decide(state, seat, action, ctx)

    return Kit(replace(YACHT, decide=decide))


ALL = t.SetHold((True,) * 5)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (lambda: Table(poisoned(KeyError("secret text"))), "KeyError"),
        (lambda: Table(poisoned(msgspec.ValidationError("odd"))), "ValidationError"),
        (lambda: Table(poisoned(None, endless=True)), "RecursionError"),
    ],
)
def test_an_entry_that_cannot_be_decided_is_parked_and_the_room_goes_on(table, why):
    """Reports 48 and 139: refused as `internal`, no event, nothing changed, and the record names the fault."""
    table = table().begin("ann", "ben")
    table.act(0, t.Roll())
    before = table.at
    poison = table.act(0, ALL)
    assert (poison.code, poison.events, poison.why) == ("internal", (), why)
    assert "secret text" not in repr(poison.detail)
    assert table.at.room is before.room and table.at.chance is before.chance
    assert table.at.head != before.head, "it is a link of the chain"
    assert table.act(0, t.Score("choice")).code == "ok"
    assert table.parked == {poison.entry.id: why}
    table.check()


def test_an_audit_reads_the_record_as_input_and_needs_it():
    table = Table(poisoned(KeyError())).begin("ann")
    table.act(0, t.Roll())
    poison = table.act(0, ALL)
    table.act(0, t.Score("choice"))
    report = table.verify(parked={})
    assert not report.ok and report.where == poison.entry.id.decode() and "KeyError" in report.what
    healthy = verify(kit("yacht"), table.game_id, table.entries, table.events, table.parked, table.at.head)
    assert healthy.ok, "the repaired game re-executes the old log: the entry stays parked"
    forged = {**table.parked, table.entries[3].id: "KeyError"}
    assert not table.verify(parked=forged).ok
    assert table.verify(parked={**table.parked, b"%d-0" % (T0 - 1): "KeyError"}).where == f"{T0 - 1}-0"


def test_a_game_that_hides_a_draw_is_parked():
    """Were it not, every later die would stand at another number than the log says."""
    table = Table(poisoned(None)).begin("ann")
    table.act(0, t.Roll())
    sloppy = table.act(0, t.SetHold((True, False, False, False, False)))
    assert (sloppy.code, sloppy.why) == ("internal", "AssertionError")
    table.check()


def test_a_fault_in_one_entry_of_a_batch_leaves_the_others():
    table = Table(poisoned(KeyError())).begin("ann")
    rest = [
        cmd.Act("ann", 0, msgspec.Raw(msgspec.json.encode(action))) for action in (t.Roll(), ALL, t.Score("choice"))
    ]
    entries = [Entry(b"%d-%d" % (T0 + 1, i), msgspec.json.encode(one)) for i, one in enumerate(rest)]
    at, decided = advance(table.kit, table.at, entries, table.game_id)
    assert [one.code for one in decided] == ["ok", "internal", "ok"] and at.room.version > table.room.version


def test_evolve_is_the_same_for_one_event_at_a_time_and_many(table):
    events = [table.kit.decode_event(data) for data in table.events]
    at_once = evolve(table.kit, None, events)
    one_by_one = None
    for event in events:
        one_by_one = evolve(table.kit, one_by_one, (event,))
    assert at_once == one_by_one and evolve(table.kit, None, ()) is None
    assert nonce_of("ann").hex() in table.events[-1].decode()
