"""Goal: what the interface documents say is so. Method: the documents are checked for form, and every call that they name
is made on a running gateway, its answer held against the schema.
"""

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from schemas import wire
from services.cli import _apidocs
from tests.services.raw import Raw, request
from tests.stack import Stack
from tests.stack import stack as stack

OPENAPI, ASYNCAPI = _apidocs.openapi(), _apidocs.asyncapi()


def references(part: Any) -> set[str]:
    if isinstance(part, dict):
        own = {part["$ref"]} if isinstance(part.get("$ref"), str) else set()
        return own.union(*map(references, part.values()))
    return set().union(*map(references, part)) if isinstance(part, list) else set()


def resolve(document: dict, reference: str) -> Any:
    found: Any = document
    for name in reference.removeprefix("#/").split("/"):
        found = found[name.replace("~1", "/")]
    return found


def validator(document: dict, schema: dict) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": document["components"]})


@pytest.mark.parametrize("document", [OPENAPI, ASYNCAPI], ids=["openapi", "asyncapi"])
def test_all_references_lead_somewhere_and_schemas_are_schemas(document: dict) -> None:
    for reference in references(document):
        assert resolve(document, reference) is not None, reference
    for name, schema in document["components"]["schemas"].items():
        Draft202012Validator.check_schema(schema)
        assert re.fullmatch(r"[A-Za-z0-9._-]+", name)
    used = {name.rpartition("/")[2] for name in references(document) if "/schemas/" in name}
    assert used == set(document["components"]["schemas"])


def test_the_form_of_openapi() -> None:
    assert OPENAPI["openapi"].startswith("3.1.") and {"title", "version"} <= OPENAPI["info"].keys()
    ids = [call["operationId"] for path in OPENAPI["paths"].values() for call in path.values()]
    assert len(set(ids)) == len(ids)
    for path, calls in OPENAPI["paths"].items():
        assert path.startswith("/api/")
        for method, call in calls.items():
            assert method in ("get", "post") and call["summary"]
            assert any(status[0] == "2" for status in call["responses"])
            assert all(answer["description"] for answer in call["responses"].values())
            named = {parameter["name"] for parameter in call.get("parameters", ()) if parameter["in"] == "path"}
            assert named == set(re.findall(r"{(\w+)}", path))


def test_the_form_of_asyncapi() -> None:
    assert ASYNCAPI["asyncapi"].startswith("3.0.")
    said = {kind.__struct_config__.tag for kind in (*wire.AnyAsk.__args__, *wire.AnyTell.__args__)}
    assert {message["name"] for message in ASYNCAPI["components"]["messages"].values()} == said
    for operation in ASYNCAPI["operations"].values():
        assert operation["action"] in ("send", "receive")
        assert resolve(ASYNCAPI, operation["channel"]["$ref"])["address"] == "/ws"


def test_every_call_is_there_and_answers_as_written(stack: Stack) -> None:
    url = stack.urls[0]
    _, me, _ = request("POST", f"{url}/api/me", {})
    bearer = {"authorization": f"Bearer {me['token']}"}
    _, code, _ = request("POST", f"{url}/api/me/move", {}, **bearer)
    _, room, _ = request("POST", f"{url}/api/rooms", {"game": "duel", "settings": {"public": True}})
    bodies = {
        "/api/me": {"new": True},
        "/api/me/move": None,
        "/api/me/claim": {"code": code["code"]},
        "/api/rooms": {"game": "duel"},
    }
    for path, calls in OPENAPI["paths"].items():
        for method, call in calls.items():
            body = bodies.get(path) if method == "post" else None
            named = bearer if path == "/api/me/move" else {}
            target = url + path.replace("{code}", room["room"]).replace("{n}", "1")
            status, answer, _ = request(
                method.upper(), target, {} if method == "post" and body is None else body, **named
            )
            if path.endswith("/evidence"):  # of a game that is not over there is none
                assert status == 409 and answer["code"] == "not_over", answer
                continue
            assert str(status) in call["responses"] and status < 300, (path, status, answer)
            schema = call["responses"][str(status)]["content"]["application/json"]["schema"]
            validator(OPENAPI, schema).validate(answer)
            if "requestBody" in call:
                wanted = call["requestBody"]["content"]["application/json"]["schema"]
                validator(OPENAPI, wanted).validate(body)
                status, answer, _ = request(method.upper(), target, {"nonsense": 1})
                assert str(status) in call["responses"] and 400 <= status < 500
                schema = call["responses"][str(status)]["content"]["application/json"]["schema"]
                validator(OPENAPI, schema).validate(answer)


def test_messages_are_as_written(stack: Stack) -> None:
    _, made, _ = request("POST", f"{stack.urls[0]}/api/rooms", {"game": "duel"})
    payload = {message["name"]: message["payload"] for message in ASYNCAPI["components"]["messages"].values()}
    with Raw(stack.urls[0]).hello(made["room"], made["token"]) as raw:
        for told in (raw.welcome, raw.snapshot):
            validator(ASYNCAPI, payload[told["type"]]).validate(told)
        raw.say({"type": "join", "id": 1, "name": "하나"})
        raw.say({"type": "say", "kind": "emote", "body": "wow"})
        raw.say({"type": "say", "kind": "emote", "body": "?"})
        seen = set()
        while not {"ack", "update", "names", "said", "reject"} <= seen:
            told = json.loads(raw.socket.recv(timeout=60))
            validator(ASYNCAPI, payload[told["type"]]).validate(told)
            seen.add(told["type"])


def test_they_are_served_and_can_be_read(stack: Stack) -> None:
    for name, document in (("openapi", OPENAPI), ("asyncapi", ASYNCAPI)):
        document = json.loads(json.dumps(document))
        status, served, headers = request("GET", f"{stack.urls[0]}/api/{name}.json")
        assert status == 200 and served == document and headers["content-type"] == "application/json"
    assert request("GET", f"{stack.urls[0]}/api/ask.json")[0] == 404
    assert request("GET", f"{stack.urls[0]}/api/..%2Fentry.json")[0] == 404
    status, page, headers = request("GET", f"{stack.urls[0]}/docs")
    assert status == 200 and headers["content-type"].startswith("text/html")
    assert "<script" not in page and "style=" not in page and "http:" not in page and "https:" not in page
    for path in OPENAPI["paths"]:
        assert path in page
    for message in ASYNCAPI["components"]["messages"].values():
        assert f'id="{message["title"]}"' in page
    status, css, headers = request("GET", f"{stack.urls[0]}/docs.css")
    assert status == 200 and headers["content-type"].startswith("text/css") and "{" in css
