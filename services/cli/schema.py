"""Writes schemas/json/: the JSON Schema of every message, so that clients in other languages need not read Python.

One document per direction or use, each with all its parts under `$defs` and its root an `anyOf` of the messages. The
files are committed, because the web client's types are made from them by Node, without Python; a test keeps them fresh.
"""

import json
import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from engine.room.events import RoomEvent
from engine.room.view import RoomView
from schemas import bodies, entry, wire
from services.cli._apidocs import asyncapi, openapi

FOLDER = Path(__file__).resolve().parents[2] / "schemas" / "json"
DIALECT = "https://json-schema.org/draft/2020-12/schema"

HTTP_BODIES = (
    bodies.CreateRoom,
    bodies.RoomCreated,
    bodies.RoomSummary,
    bodies.RoomList,
    bodies.GameSteps,
    bodies.MoveCode,
    bodies.Claim,
    bodies.AskMe,
    bodies.Me,
    bodies.GameInfo,
)


def document(title: str, types: tuple[Any, ...]) -> dict[str, Any]:
    """One self-contained schema that accepts any of `types`."""
    roots, parts = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    root = roots[0] if len(roots) == 1 else {"anyOf": list(roots)}
    # The order of definitions follows the walk through the types; sorted, a diff shows only what changed.
    return {"$schema": DIALECT, "title": title, **root, "$defs": dict(sorted(parts.items()))}


def documents() -> dict[str, dict[str, Any]]:
    """File name in schemas/json -> schema."""
    return {
        "ask.json": document("ClientMessage", (wire.AnyAsk,)),
        "tell.json": document("ServerMessage", (wire.AnyTell,)),
        "http.json": document("HttpBody", HTTP_BODIES),
        "room.json": document("RoomPart", (RoomView, RoomEvent)),
        "entry.json": document("LogEntry", (entry.AnyCommand,)),
        "openapi.json": openapi(),
        "asyncapi.json": asyncapi(),
    }


def text(schema: dict[str, Any]) -> str:
    """A schema as it stands in its file."""
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def stale(folder: Path = FOLDER) -> list[str]:
    """Names of files that are missing, differ from what `write` would write, or are left over."""
    fresh = {name: text(schema) for name, schema in documents().items()}
    stored = {path.name: path.read_text("utf-8") for path in folder.glob("*.json")}
    return sorted(name for name in fresh.keys() | stored.keys() if fresh.get(name) != stored.get(name))


def write(folder: Path = FOLDER) -> list[str]:
    """Bring `folder` up to date; returns the names of the files that changed."""
    changed = stale(folder)
    folder.mkdir(parents=True, exist_ok=True)
    fresh = documents()
    for name in changed:
        if name in fresh:
            (folder / name).write_text(text(fresh[name]), "utf-8")
        else:
            (folder / name).unlink()
    return changed


def main(arguments: list[str] | None = None) -> int:
    """`--check` writes nothing and exits 1 when a file is stale; without it, writes. Changed names go to stdout."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments not in ([], ["--check"]):
        print("usage: python -m services.cli.schema [--check]", file=sys.stderr)
        return 2
    names = stale() if arguments else write()
    for name in names:
        print(name)
    if arguments and names:
        print("stale: run `python -m services.cli.schema` and commit the result", file=sys.stderr)
    return 1 if arguments and names else 0


@click.command("schema")
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 and the names when a file is stale.")
def command(check: bool) -> None:
    """Write the JSON Schemas of all messages to schemas/json (from a source checkout)."""
    raise SystemExit(main(["--check"] if check else []))


if __name__ == "__main__":
    raise SystemExit(main())
