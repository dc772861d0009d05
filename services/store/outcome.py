"""From a decided batch to what goes into Redis: the Commit. Pure; shared by the drain, its tests and the bench."""

from msgspec import UNSET

from engine.audience import publication
from engine.fold import Decided, Entry, Position, Tried, advance, park
from engine.kit import Kit, encode_chance
from engine.room.deadline import due
from engine.room.state import CLOSED, Room
from engine.room.view import RoomView
from schemas.base import Detail, encode
from schemas.codes import REJECTS
from schemas.wire import Reject
from services.store.publication import Publication, encode_publication
from services.store.read import Parked, to_snapshot
from services.store.turn import Claim, Commit
from services.store.write import slot

UNUSED_MS = 3_600_000  # a room in which no game ever began is no evidence: so long after it closed its keys are gone


def reject_text(codes: dict[str, str], code: str) -> str:
    """The default Korean sentence of a code: the game's own or the room's."""
    return codes.get(code) or REJECTS.get(code, code)


def reject_frame(codes: dict[str, str], code: str, action_id: int, detail: Detail) -> bytes:
    """The `reject` message for the client that asked; an empty detail is left out."""
    return encode(Reject(code, reject_text(codes, code), action_id, UNSET if detail == Detail() else detail))


def _unused(room: Room) -> bool:
    return room.phase == CLOSED and room.state is None


def _seated(room: Room | None) -> str:
    return " ".join(["", *[seat.player for seat in (room.seats if room else ()) if seat], ""])


def fold_claim(
    k: Kit,
    claim: Claim,
    before: Position,
    entries: list[Entry],
    seen: RoomView | None = None,
    condemned: Entry | None = None,
) -> tuple[Position, list[Decided], Commit, RoomView | None]:
    """Decide entries of a claim and make the commit: (position after, what was decided, commit, spectators' view after).

    The whole of a decision is tried, its views, masks and stored bytes too: where any of them raises, the entry that it is
    made for is parked, and the others are not touched (P7). condemned: an entry after these that is parked unseen.
    """
    game_id = f"{claim.room}/{claim.n}"

    def made(at: Position, after: Position, one: Decided) -> None:
        commit_of(k, claim, at, after, [one])

    def batch(tried: Tried | None) -> tuple[Position, list[Decided], Commit, RoomView | None]:
        after, decided = advance(k, before, entries, game_id, tried)
        if condemned is not None:
            after, one = park(after, condemned, "killed")
            decided.append(one)
        return after, decided, *commit_of(k, claim, before, after, decided, seen)

    try:
        return batch(None)
    except Exception:  # which of the entries it is tells each by itself
        return batch(made)


def commit_of(
    k: Kit,
    claim: Claim,
    before: Position,
    after: Position,
    decided: list[Decided],
    seen: RoomView | None = None,
) -> tuple[Commit, RoomView | None]:
    """The commit of a claim whose entries (at least one) were decided in order, and the spectators' view after it.

    seen: that view of `before`, when known. The second part is None when nothing changed for anybody.
    """
    game_id = f"{claim.room}/{claim.n}"
    events: list[bytes] = []
    rejects: list[tuple[str, str]] = []
    parked: list[bytes] = []
    frames: dict[str, list[bytes]] = {}
    for one in decided:
        events += one.event_bytes
        if one.why:
            parked.append(encode(Parked(one.entry.id.decode(), one.why)))
        if one.code != "ok" and one.entry.origin:
            origin = one.entry.origin.decode()
            field, number = slot(origin)
            rejects.append((field, f"{number} {one.entry.id.decode()} {one.code}"))
            session = origin.rpartition(":")[0]
            frames.setdefault(session, []).append(reject_frame(k.game.codes, one.code, int(number), one.detail))
    deadline = due(k, after.room)
    published = publication(k, before, after, decided, game_id, seen, deadline)
    message = b""
    if published is not None:
        message = encode_publication(
            Publication(game_id, published.from_version, published.version, published.updates, frames)
        )
    elif frames:
        message = encode_publication(Publication(game_id, claim.version, claim.version, {}, frames))
    room = after.room
    changed = after.chance is not before.chance
    commit = Commit(
        claim.room,
        claim.n,
        claim.version,
        claim.cursor,
        claim.version + len(events),
        decided[-1].entry.id,
        claim.decided + len(decided),
        after.head,
        b"" if room is None else to_snapshot(k, room),
        encode_chance(after.chance) if changed else b"",
        None if deadline is None else deadline.at_ms,
        0 if deadline is None else deadline.turn,
        _seated(room),
        UNUSED_MS if room is not None and claim.n == 1 and _unused(room) else None,
        message,
        events,
        rejects,
        parked,
    )
    return commit, None if published is None else published.public
