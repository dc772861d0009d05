"""A finished game as a checker takes it (docs/format.md, section 1): JSON lines, made by deciding the log again."""

from engine import chain
from engine.fold import Decided, Report, verify
from engine.room.state import Room
from schemas.base import encode
from services.store.read import Log


class NotSound(Exception):
    """The log does not re-execute; `where` and `what` say from where on and why."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"at {where}: {what}")
        self.where, self.what = where, what


def decide_again(log: Log, room: Room) -> tuple[list[Decided], Report]:
    """The entries with what came of them, as far as they re-execute. room: the fold of the log's events."""
    decided: list[Decided] = []
    if not log.kit.game.decides(room.rules_version):
        what = f"it was played by rules version {room.rules_version}, this program has {log.kit.game.rules_version}"
        return decided, Report(False, "the start", what, 0, 0, b"", None)
    report = verify(
        log.kit, log.game_id, log.entries, log.events, log.parked, log.head, lambda at, one: decided.append(one)
    )
    return decided, report


def is_over(room: Room | None) -> bool:
    """Whether there is evidence: the game was played and its secret is published."""
    return room is not None and room.revealed is not None and room.state is not None


def evidence(log: Log, room: Room, decided: list[Decided], report: Report) -> list[bytes]:
    """The lines, without line feeds. Stored bytes as JSON strings, so that no JSON library can change what is hashed.

    The game `is_over`. Raises NotSound.
    """
    if not report.ok:
        raise NotSound(report.where, report.what)
    head = {
        "format": f"noripan/{room.format}",
        "id": log.game_id,
        "game": room.game,
        "rules_version": room.rules_version,
    }
    lines = [encode(head)]
    for one in decided:
        line: dict = {"entry": one.entry.id.decode()}
        if one.entry.origin:
            line["origin"] = one.entry.origin.decode()
        line |= {**_bytes(one.entry.data), "code": one.code}
        lines.append(encode({**line, "events": [data.decode() for data in one.event_bytes]}))
    lines.append(encode({"version": room.version, "head": chain.text(report.head)}))
    return lines


def _bytes(data: bytes) -> dict[str, str]:
    """Refused entries may be anything, so not all of them are text."""
    try:
        return {"data": data.decode()}
    except UnicodeDecodeError:
        return {"data_hex": data.hex()}
