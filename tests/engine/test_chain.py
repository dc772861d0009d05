"""The hash chain against worked vectors, which docs/format.md prints too, and against a second writing of the formula."""

import hashlib
import hmac
import random
from pathlib import Path

import pytest

from engine import chain
from engine.game import SPECTATOR, open_to_all
from engine.games import games
from engine.games.yacht import types as t
from engine.rng import prefixed
from schemas.base import encode
from tests.engine.room_kit import SECRET, Table
from tests.games.duel import Choose

STARTED = b'{"type":"started"}'
H0 = "6aebe4b1203131d58be4439c1edffc0380a496031e9e7f9b77131fb98d56d0fe"
H1 = "10ed125fe131515b37438d5904a8d7375994a880010033d9d2348a96008024b9"
H2 = "1a8f0c0632419fc12584f96c3d75eb79fcd2e6b3a33089cb95d956c572bd60f8"
TEXT2 = "Go8MBjJBn8ElhPlsPXXrefzS5rOjMInLldlWxXK9YPg"
BLIND1 = "60bec8e04c4122e52a03b0ce052d994645f424d667ebc938452e1e05835f7049"  # secret 000102…1f
BLINDED1 = "b1e8ae66345138c11bd372c87742c67767d869e1d34671fb00d3333d7adbe782"


def hashed(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(len(part).to_bytes(4, "big") + part for part in parts)).digest()


def test_worked_vectors():
    h0 = chain.start(STARTED)
    assert h0.hex() == H0
    first, second = b"1750000000000-0", b"1750000000001-0"
    data, events = b'{"type":"start","player":"ann"}', [STARTED, b'{"type":"began"}']
    h1 = chain.link(h0, first, data, "ok", b"", events)
    assert h1.hex() == H1
    h2 = chain.link(h1, second, data, "not_in_lobby", b"", [])
    assert h2.hex() == H2
    assert chain.text(h2) == TEXT2
    blind = chain.blind(2, bytes(range(32)), first)
    assert blind.hex() == BLIND1 and chain.blind(1, bytes(range(32)), first) == b""
    assert chain.link(h0, first, data, "ok", blind, events).hex() == BLINDED1


def test_a_part_is_four_bytes_of_length_and_itself():
    assert prefixed(b"ab", b"", b"c") == b"\0\0\0\2ab\0\0\0\0\0\0\0\1c"
    assert prefixed(b"a", b"b") != prefixed(b"ab") != prefixed(b"ab", b"")


def test_every_part_of_a_link_matters():
    head, args = bytes(32), (b"1-0", b"{}", "ok", b"blind", [b"a", b"b"])
    links = {
        chain.link(head, *args),
        chain.link(b"\1" + head[1:], *args),
        chain.link(head, b"1-1", *args[1:]),
        chain.link(head, b"1-0", b"{ }", "ok", b"blind", [b"a", b"b"]),
        chain.link(head, b"1-0", b"{}", "internal", b"blind", [b"a", b"b"]),
        chain.link(head, b"1-0", b"{}", "ok", b"", [b"a", b"b"]),
        chain.link(head, b"1-0", b"{}", "ok", b"other", [b"a", b"b"]),
        chain.link(head, b"1-0", b"{}", "ok", b"blind", [b"b", b"a"]),
        chain.link(head, b"1-0", b"{}", "ok", b"blind", [b"ab"]),
        chain.link(head, b"1-0", b"{}", "ok", b"blind", [b"a"]),
    }
    assert len(links) == 10


def test_text_is_base64url_without_padding():
    assert chain.text(b"") == "" and chain.text(bytes(32)) == "A" * 43
    assert chain.text(b"\xff" * 32) == "_" * 42 + "8"


@pytest.mark.parametrize("form", [1, 2])
def test_the_chain_of_a_game_is_the_formula_from_start_on(form: int):
    """Nothing before the start; then a link for every entry, accepted or refused."""
    table = Table(format=form)
    table.join("ann")
    table.join("ann")
    assert table.at.head == b""
    table.start()
    table.act(0, t.Score("ones"))
    table.act(0, t.Roll())
    table.timeout()
    head = None
    for _, decided, after in table.log:
        if head is None and decided.event_bytes and b'"type":"started"' in decided.event_bytes[0]:
            head = hashlib.sha256(decided.event_bytes[0]).digest()
        if head is not None:
            entry = decided.entry
            blind = [hmac.digest(SECRET, b"noripan/2:blind:" + entry.id, "sha256")] if form == 2 else []
            head = hashed(head, entry.id, entry.data, decided.code.encode(), *blind, *decided.event_bytes)
            assert after.head == head
    assert head == table.at.head and len(head) == 32


def test_a_hidden_move_is_not_found_by_trying_all_that_it_could_be():
    """Who watches knows everything that a link is made of but the hidden part, and that has three values."""
    table = Table("duel").begin("ann", "ben")
    before = table.at.head
    decided = table.act(0, Choose("paper"))
    entry, masked = decided.entry, table.game.mask(decided.events[0], SPECTATOR)
    assert masked is None or b"paper" not in encode(masked)
    for hand in ("rock", "paper", "scissors"):
        data = entry.data.replace(b"paper", hand.encode())
        events = [decided.event_bytes[0].replace(b"paper", hand.encode())]
        for known in ((), (b"",), (bytes(32),)):
            assert hashed(before, entry.id, data, b"ok", *known, *events) != table.at.head


HIDING = sorted(name for name, game in games().items() if game.mask is not open_to_all)


@pytest.mark.parametrize("name", HIDING)
@pytest.mark.parametrize("seed", range(3))
def test_of_every_game_that_hides_something_no_head_can_be_made_from_what_all_know(name: str, seed: int):
    """Not even by who guesses the hidden part right: the true entry and events without the secret are not the link."""
    table, rnd, hidden = Table(name).begin("ann", "ben"), random.Random(seed), 0
    while table.room.phase == "playing":
        due = table.due.seats
        seat = rnd.choice(due)
        before = table.at.head
        decided = table.act(seat, rnd.choice(table.game.legal(table.room.state, seat)))
        masked = [
            table.game.mask(event, SPECTATOR) for event in decided.events if type(event) in table.game.Event.__args__
        ]
        if all(one is event for one, event in zip(masked, decided.events, strict=False)):
            continue
        hidden += 1
        entry = decided.entry
        for known in ((), (b"",), (bytes(32),), (hmac.digest(b"", b"noripan/2:blind:" + entry.id, "sha256"),)):
            assert hashed(before, entry.id, entry.data, b"ok", *known, *decided.event_bytes) != table.at.head
        blind = hmac.digest(SECRET, b"noripan/2:blind:" + entry.id, "sha256")
        assert hashed(before, entry.id, entry.data, b"ok", blind, *decided.event_bytes) == table.at.head
    assert hidden and HIDING


def test_private_parts_are_not_in_the_chain():
    """They leave the server only at the end; until then the commitments in the start record stand for them."""
    open_heads = set()
    for private in (b"", b"x"):
        table = Table().begin("ann")
        table.send(b'{"type":"start","player":"ann"}', private=private)
        open_heads.add(table.at.head)
    assert len(open_heads) == 1


def test_the_published_format_prints_these_vectors():
    page = (Path(__file__).parents[2] / "docs" / "format.md").read_text()
    for vector in (H0, H1, H2, TEXT2, BLIND1, BLINDED1, "00000002 6162 00000000 00000001 63"):
        assert vector in page
