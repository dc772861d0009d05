"""Goal: whatever a stranger sends, they get a typed answer or a close with the right code, nothing is written, and nobody
else notices. Method: raw sockets against a real gateway, with the room's streams compared before and after.
"""

import json
import socket

import pytest
from websockets.frames import Frame, Opcode

from tests.services.raw import Raw, Table, request
from tests.services.raw import table as table
from tests.stack import Stack, wait_until
from tests.stack import stack as stack

CHOOSE = {"type": "choose", "hand": "rock"}
BAD = [
    ("null", "bad_message", None),
    ("[]", "bad_message", None),
    ("3", "bad_message", None),
    ('"x"', "bad_message", None),
    ("", "bad_message", None),
    ("{}", "bad_message", None),
    ("{", "bad_message", None),
    ('{"type":"ping","t":NaN}', "bad_message", None),
    ('{"type":"ping","t":Infinity}', "bad_message", None),
    ('{"type":"ping","t":1e999}', "bad_message", None),
    ('{"type":"ping","t":-1}', "bad_message", None),
    ('{"type":"ping","t":9007199254740992}', "bad_message", None),
    ('{"type":"ping","t":' + "9" * 5000 + "}", "bad_message", None),
    ('{"type":"ping","t":1.5}', "bad_message", None),
    ('{"type":"ping","t":true}', "bad_message", None),
    ('{"type":"timeout","turn":1}', "bad_message", None),
    ('{"type":"open","id":7}', "bad_message", 7),
    ('{"type":"start","id":0}', "bad_message", None),
    ('{"type":"start","id":8,"player":"somebody"}', "bad_message", 8),
    ('{"type":"start","id":9,"id":"x"}', "bad_message", None),
    ('{"type":"act","id":11,"seat":32,"action":{"type":"choose","hand":"rock"}}', "bad_message", 11),
    ('{"type":"act","id":12,"seat":-1,"action":{}}', "bad_message", 12),
    ('{"type":"act","id":13,"seat":0}', "bad_message", 13),
    ('{"type":"act","id":14,"seat":0,"action":null}', "bad_action", 14),
    ('{"type":"act","id":15,"seat":0,"action":{"type":"roll"}}', "bad_action", 15),
    ('{"type":"act","id":16,"seat":0,"action":{"type":"choose","hand":"gun"}}', "bad_action", 16),
    ('{"type":"act","id":17,"seat":0,"action":{"type":"choose","hand":"rock","auto":true}}', "bad_action", 17),
    ('{"type":"act","id":18,"seat":0,"action":{"type":"choose","hand":NaN}}', "bad_message", None),
    ('{"type":"configure","id":19,"options":{"turnSeconds":7}}', "bad_options", 19),
    ('{"type":"configure","id":20,"options":{"rounds":3}}', "bad_options", 20),
    ('{"type":"configure","id":21,"settings":{"cheat":true}}', "bad_message", 21),
    ('{"type":"join","id":22,"name":"   "}', "bad_name", 22),
    ('{"type":"join","id":23,"name":"\\u202eevil"}', "bad_name", 23),
    ('{"type":"join","id":24,"name":"\\ud800"}', "bad_message", None),
    ('{"type":"nonce","id":25,"nonce":"00"}', "bad_message", 25),
    ('{"type":"leave","id":27,"as":"somebody"}', "not_your_seat", 27),
    ('{"type":"legal","seat":1}', "not_your_seat", None),
    ('{"type":"legal","seat":31}', "not_your_seat", None),
    ('{"type":"ping","t":' + "[" * 4000 + "]" * 4000 + "}", "too_deep", None),
    ('{"type":"act","id":26,"seat":0,"action":' + '{"a":' * 900 + "1" + "}" * 901, "too_deep", None),
]


@pytest.mark.parametrize(("message", "code", "number"), BAD, ids=range(len(BAD)))
def test_bad_messages_are_answered_and_not_written(table: Table, message: str, code: str, number: int | None) -> None:
    before = table.written()
    table.sockets[0].say(message)
    told = table.sockets[0].hear("reject")
    assert (told["code"], told.get("id")) == (code, number)
    assert told["text"] and table.tokens[0] not in json.dumps(told)
    assert len(json.dumps(told)) < 1000
    table.sockets[0].say({"type": "ping", "t": 1})
    table.sockets[0].hear("pong")
    assert table.written() == before
    table.sockets[1].say({"type": "ping", "t": 2})
    assert table.sockets[1].hear("pong")["t"] == 2


# What only the room can judge is in the log as refused, so it is numbered beside what was accepted: no event is written.
JUDGED = [
    ({"type": "act", "seat": 1, "action": CHOOSE}, "not_your_seat"),
    ({"type": "act", "seat": 9, "action": CHOOSE}, "not_your_seat"),
    ({"type": "act", "seat": 0, "action": CHOOSE, "turn": 99}, "stale_turn"),
    ({"type": "join", "name": "다시"}, "not_in_lobby"),
    ({"type": "leave"}, "not_in_lobby"),
    ({"type": "start"}, "not_in_lobby"),
    ({"type": "configure", "options": {}}, "not_in_lobby"),
    ({"type": "nonce", "nonce": "00" * 32}, "not_opening"),
]


@pytest.mark.parametrize(("message", "code"), JUDGED, ids=range(len(JUDGED)))
def test_wrong_seat_phase_and_turn_change_nothing(table: Table, message: dict, code: str) -> None:
    _, events = table.written()
    number = 100 + next(index for index, case in enumerate(JUDGED) if case[0] is message)
    for _ in range(2):  # the same answer again
        table.sockets[0].say(message | {"id": number})
        told = table.sockets[0].hear("reject", number)
        assert told["code"] == code
    assert table.written()[1] == events


def test_a_stranger_in_the_room_can_do_nothing_in_it(table: Table) -> None:
    stranger = request("POST", f"{table.url}/api/me", {})[1]["token"]
    _, events = table.written()
    with Raw(table.url).hello(table.room, stranger) as raw:
        assert raw.welcome["seats"] == []
        for number, (message, code) in enumerate(
            [
                ({"type": "act", "seat": 0, "action": CHOOSE}, "not_your_seat"),
                ({"type": "start"}, "not_in_lobby"),
                ({"type": "join", "name": "손님"}, "not_in_lobby"),
            ],
            start=1,
        ):
            raw.say(message | {"id": number})
            assert raw.hear("reject", number)["code"] == code
    assert table.written()[1] == events


# Closes


def wire_bytes(raw: Raw, opcode: Opcode, data: bytes) -> None:
    """Send a frame that the library would not."""
    raw.socket.socket.sendall(Frame(opcode, data).serialize(mask=True))


@pytest.mark.parametrize(
    ("opcode", "data", "code"),
    [
        (Opcode.TEXT, b" " * 8193, 1009),
        (Opcode.TEXT, b"x" * 2**20, 1009),
        (Opcode.TEXT, b'{"type":"ping","t":\xff\xfe}', 1007),
        (Opcode.TEXT, b"\xc3", 1007),
        (Opcode.BINARY, b'{"type":"ping","t":1}', 1003),
    ],
)
def test_what_is_no_message_closes_with_its_code(table: Table, opcode: Opcode, data: bytes, code: int) -> None:
    before = table.written()
    with Raw(table.url).hello(table.room, table.tokens[0]) as raw:
        wire_bytes(raw, opcode, data)
        assert raw.code() == code
    assert table.written() == before


def test_a_frame_of_exactly_eight_kib_is_read(table: Table) -> None:
    with Raw(table.url).hello(table.room, table.tokens[0]) as raw:
        raw.say(b'{"type":"ping","t":1}'.ljust(8192).decode())
        raw.hear("pong")


def test_who_says_no_hello_is_closed(stack: Stack) -> None:
    with Raw(stack.urls[0]) as raw:
        raw.say({"type": "start", "id": 1})
        assert raw.hear("reject", 1)["code"] == "hello_first"
        assert raw.code() == 4400


@pytest.mark.parametrize("token", ["", "x", "a.b", "ü", "forged", "x" * 5000])
def test_forged_tokens_are_closed(table: Table, token: str) -> None:
    if token == "forged":
        token = table.tokens[0].rpartition(".")[0] + "." + table.tokens[1].rpartition(".")[2]
    with Raw(table.url) as raw:
        raw.say({"type": "hello", "room": table.room, "session": "abcd", "token": token})
        assert raw.code() == 4401


def test_unknown_rooms_are_told_and_closed(table: Table) -> None:
    with Raw(table.url) as raw:
        raw.say({"type": "hello", "room": "ZZZZZZ", "session": "abcd", "token": table.tokens[0]})
        assert raw.hear("reject")["code"] == "no_room"
        assert raw.code() == 4404


def test_a_socket_stays_in_its_room(table: Table) -> None:
    with Raw(table.url).hello(table.room, table.tokens[0], "same-session") as raw:
        raw.say({"type": "hello", "room": "ZZZZZZ", "session": "same-session"})
        assert raw.hear("reject")["code"] == "bad_message"
        raw.say({"type": "hello", "room": table.room, "session": "same-session"})
        assert raw.hear("snapshot")["version"] == raw.snapshot["version"]


# Resume


def test_resume_gets_the_missing_events_and_the_view(stack: Stack) -> None:
    table = Table(stack)
    try:
        first = Raw(table.url).hello(table.room, table.tokens[1])
        at = first.snapshot["version"]
        first.close()
        table.sockets[0].say({"type": "act", "id": 9, "seat": 0, "action": CHOOSE})
        update = table.sockets[0].hear("update")
        for url in stack.urls:
            with Raw(url).hello(table.room, table.tokens[1], game=1, version=at) as again:
                snapshot = again.snapshot
                assert snapshot["version"] == update["version"]
                assert snapshot["events"] == [{"type": "chosen", "seat": 0}]  # of a choice that is not mine to see
                assert snapshot["view"]["table"]["chosen"] == [0]
                assert snapshot["head"] == update["head"] and snapshot["entry"] == update["entry"]
            for position in ({"game": 2, "version": 1}, {"game": 1, "version": 10**9}, {"version": 3}):
                with Raw(url).hello(table.room, table.tokens[1], **position) as odd:
                    assert odd.snapshot["version"] == update["version"] and "events" not in odd.snapshot
    finally:
        table.close()


def test_a_repeat_of_what_was_accepted_says_so(stack: Stack) -> None:
    table = Table(stack)
    try:
        act = {"type": "act", "id": 9, "seat": 0, "action": CHOOSE}
        table.sockets[0].say(act)
        session = table.sockets[0].welcome["session"]
        assert table.sockets[0].hear("update")["done"] == [[session, 9]]
        [[shown, number]] = table.sockets[1].hear("update")["done"]
        assert number == 9 and shown != session, "a session's name is its owner's alone"
        with Raw(stack.urls[1]).hello(table.room, table.tokens[0], table.sockets[0].welcome["session"]) as tab:
            tab.say(act)
            assert tab.hear("ack", 9)["outcome"] == "ok"
            tab.say(act | {"id": 80})  # another id in the same session: a second action, refused by the rules
            assert tab.hear("reject", 80)["code"] == "already_chosen"
            tab.say(act | {"id": 16})
            assert tab.hear("reject", 16)["code"] == "too_old"
    finally:
        table.close()


# Many sockets, slow sockets


def test_gateways_hold_a_constant_number_of_connections(stack: Stack) -> None:
    """Field report 134: sockets cost no Redis connections."""
    table = Table(stack)
    before = stack.redis.info("clients")["connected_clients"]
    held = [Raw(table.url).hello(table.room, table.tokens[index % 2]) for index in range(40)]
    try:
        assert stack.redis.info("clients")["connected_clients"] <= before + 2
    finally:
        for raw in held:
            raw.close()
        table.close()
    wait_until(lambda: stack.redis.pubsub_numsub(f"v:{table.room}")[0][1] == 0)


def test_slow_readers_are_closed_alone(stack: Stack) -> None:
    """One reads nothing while much happens at its table: it is closed with 4408, and nobody beside it waits."""
    table = Table(stack, "yacht", 1)
    player = table.sockets[0]
    with socket.socket() as quiet:
        quiet.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        quiet.connect(("127.0.0.1", stack.gateway[0].port))
        with Raw(table.url, sock=quiet, max_queue=1).hello(table.room, table.tokens[0]) as slow:
            player.say({"type": "act", "id": 10, "seat": 0, "action": {"type": "roll"}})
            player.hear("ack", 10)
            number = 10
            for _ in range(200):  # 6400 changes, half a megabyte of updates
                for _ in range(32):
                    number += 1
                    held = [number % 2 == 0, True, False, False, False]
                    player.say({"type": "act", "id": number, "seat": 0, "action": {"type": "set_hold", "held": held}})
                while number not in [done[1] for done in player.hear("update").get("done", [])]:
                    pass
                if b"slow reader closed" in stack.gateway[0].log.read_bytes():
                    break
            assert slow.code() == 4408
    table.close()
