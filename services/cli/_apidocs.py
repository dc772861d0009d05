"""OpenAPI 3.1 of the HTTP side and AsyncAPI 3 of the socket, made from the schemas like everything in schemas/json.

Both keep their parts where the two formats want them (`components`), so that generators of other languages can read them.
What a person has to know and no schema says (which calls there are, what they do) stands in the tables here; a test calls
each of them on a running gateway.
"""

from typing import Any, get_args

import msgspec

from schemas import bodies, wire
from schemas.base import END
from schemas.codes import CLOSES

REF = "#/components/schemas/{name}"
VERSION = "1"
ABOUT = (
    "Noripan hosts turn-based party games. A player is a signed token: in a cookie for browsers (believed only from "
    "pages of the server), in `Authorization: Bearer` or the socket's `hello` for programs. Refusals are `Reject` bodies."
)

# (method, path, summary, body, (status, answer, what it is), statuses of refusals)
CALLS: tuple[tuple[str, str, str, Any, tuple[int, Any, str], tuple[int, ...]], ...] = (
    (
        "post",
        "/api/me",
        "Who am I: the caller's identity, or a new one.",
        bodies.AskMe,
        (200, bodies.Me, "you"),
        (400, 403),
    ),
    (
        "post",
        "/api/me/move",
        "A one-time code with which another device becomes this player.",
        None,
        (200, bodies.MoveCode, "the code"),
        (403, 429),
    ),
    (
        "post",
        "/api/me/claim",
        "Become the player of a code. All earlier tokens of that player are void from then on.",
        bodies.Claim,
        (200, bodies.Me, "you"),
        (400, 403, 429),
    ),
    (
        "get",
        "/api/games",
        "The installed games, their options and actions.",
        None,
        (200, tuple[bodies.GameInfo, ...], "games"),
        (),
    ),
    (
        "get",
        "/api/rooms",
        "Public rooms with somebody in them, the last changed first.",
        None,
        (200, bodies.RoomList, "rooms"),
        (400,),
    ),
    (
        "post",
        "/api/rooms",
        "Make a room.",
        bodies.CreateRoom,
        (201, bodies.RoomCreated, "the room"),
        (400, 403, 413, 422, 429),
    ),
    (
        "get",
        "/api/rooms/{code}",
        "A room as strangers may see it.",
        None,
        (200, bodies.RoomSummary, "the room"),
        (404,),
    ),
    (
        "get",
        "/api/rooms/{code}/games/{n}/steps",
        "A game of a room step by step, as the caller may see it: for replay.",
        None,
        (200, bodies.GameSteps, "steps"),
        (400, 403, 404, 429),
    ),
    (
        "get",
        "/api/rooms/{code}/games/{n}/evidence",
        "The log of a finished game as JSON lines, for docs/check.py or another checker (docs/format.md).",
        None,
        (200, str, "the log"),
        (400, 403, 404, 409, 429, 500),
    ),
)
# name -> (where, schema); those in a path are required
PARAMETERS: dict[str, tuple[str, dict[str, Any]]] = {
    "code": ("path", {"type": "string", "pattern": "^[2-9A-HJ-NP-Za-hj-np-z]{6}" + END}),
    "n": ("path", {"type": "integer", "minimum": 1}),
    "from": ("query", {"type": "integer", "minimum": 0, "default": 0}),
    "after": ("query", {"type": "string"}),
}
QUERIES = {"get /api/rooms": ("after",), "get /api/rooms/{code}/games/{n}/steps": ("from",)}
STATUS_TEXT = {
    400: "the body or a parameter cannot be understood",
    403: "the token, the code or the page that asks is not good, or the room lets nobody watch",
    404: "no such room or game",
    409: "the game is not over, or its end is still hidden from the caller",
    413: "the body is too large",
    422: "options that the game does not have",
    429: "too often",
    500: "the log does not re-execute",
    503: "Redis does not answer",
}


def _components(types: tuple[Any, ...]) -> tuple[list[dict], dict[str, Any]]:
    roots, parts = msgspec.json.schema_components(types, ref_template=REF)
    return list(roots), dict(sorted(parts.items()))


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _lines(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/x-ndjson": {"schema": schema}}


def _parameter(name: str) -> dict[str, Any]:
    where, schema = PARAMETERS[name]
    return {"name": name, "in": where, "required": where == "path", "schema": schema}


def openapi() -> dict[str, Any]:
    """The OpenAPI 3.1 document."""
    asked = [call[3] for call in CALLS if call[3] is not None]
    answers = [call[4][1] for call in CALLS if call[4][1] is not str]
    roots, parts = _components((*asked, *answers, wire.Reject))
    reject = roots.pop()
    schema_of = dict(zip([*asked, *answers], roots, strict=True))
    paths: dict[str, Any] = {}
    for method, path, summary, body, (status, answer, what), refusals in CALLS:
        content = _lines({"type": "string"}) if answer is str else _json(schema_of[answer])
        responses = {str(status): {"description": what, "content": content}}
        for number in (*refusals, 503):
            responses[str(number)] = {"description": STATUS_TEXT[number], "content": _json(reject)}
        call: dict[str, Any] = {
            "operationId": method + path.replace("/api", "").replace("/", "_").translate({123: None, 125: None}),
            "summary": summary,
            "security": [{}, {"bearer": []}, {"cookie": []}],
            "responses": responses,
        }
        if body is not None:
            call["requestBody"] = {"required": body is not bodies.AskMe, "content": _json(schema_of[body])}
        named = [name for name in PARAMETERS if f"{{{name}}}" in path] + list(QUERIES.get(f"{method} {path}", ()))
        if named:
            call["parameters"] = [_parameter(name) for name in named]
        paths.setdefault(path, {})[method] = call
    return {
        "openapi": "3.1.0",
        "info": {"title": "Noripan", "version": VERSION, "description": ABOUT},
        "paths": paths,
        "components": {
            "schemas": parts,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "noripan"},
            },
        },
    }


def asyncapi() -> dict[str, Any]:
    """The AsyncAPI 3 document."""
    asks, tells = get_args(wire.AnyAsk), get_args(wire.AnyTell)
    roots, parts = _components((*asks, *tells))
    names = [root["$ref"].rpartition("/")[2] for root in roots]
    messages = {
        name: {
            "name": kind.__struct_config__.tag,
            "title": name,
            "contentType": "application/json",
            "payload": root,
        }
        for name, kind, root in zip(names, (*asks, *tells), roots, strict=True)
    }
    closes = "; ".join(
        f"{code} {name}: {text}" for name, (code, text) in sorted(CLOSES.items(), key=lambda one: one[1])
    )
    of_channel = {name: {"$ref": f"#/components/messages/{name}"} for name in sorted(messages)}

    def operation(action: str, kinds: tuple, summary: str) -> dict[str, Any]:
        refs = [{"$ref": f"#/channels/socket/messages/{kind.__name__}"} for kind in kinds]
        return {"action": action, "channel": {"$ref": "#/channels/socket"}, "summary": summary, "messages": refs}

    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Noripan",
            "version": VERSION,
            "description": f"{wire.__doc__.strip()} Close codes: {closes}.",
        },
        "defaultContentType": "application/json",
        "channels": {
            "socket": {
                "address": "/ws",
                "title": "One player's (or family's) connection to one room",
                "messages": of_channel,
                "bindings": {"ws": {"method": "GET"}},
            }
        },
        "operations": {
            "ask": operation("receive", asks, "What clients send; `hello` is the first."),
            "tell": operation("send", tells, "What the server sends."),
        },
        "components": {"messages": dict(sorted(messages.items())), "schemas": parts},
    }
