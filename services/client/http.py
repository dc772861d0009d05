"""The few HTTP calls of a client, on a thread each: they happen once per player and room."""

import asyncio
import json
import urllib.error
import urllib.request
from typing import Any

TIMEOUT_S = 10


class ApiError(Exception):
    """A refusal. status: of HTTP; code and detail: of the Reject body ("" and None when there was none)."""

    def __init__(self, status: int, code: str, detail: Any) -> None:
        super().__init__(f"{status} {code} {detail or ''}".strip())
        self.status, self.code, self.detail = status, code, detail


def _call(method: str, url: str, body: Any, token: str) -> Any:
    headers = {"content-type": "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        try:
            refusal = json.loads(error.read())
        except ValueError:
            refusal = {}
        raise ApiError(error.code, refusal.get("code", ""), refusal.get("detail")) from None


async def call(method: str, url: str, body: Any = None, token: str = "") -> Any:
    """The decoded JSON answer. Raises ApiError for a refusal, OSError when nobody answers."""
    return await asyncio.to_thread(_call, method, url, body, token)


async def new_player(url: str) -> tuple[str, str]:
    """(player id, token)"""
    me = await call("POST", f"{url}/api/me", {})
    return me["player"], me["token"]


async def further_player(url: str, token: str = "") -> tuple[str, str]:
    """(player id, token) of somebody else at this device."""
    me = await call("POST", f"{url}/api/me", {"new": True}, token)
    return me["player"], me["token"]


async def move_code(url: str, token: str) -> str:
    """A code with which another device becomes this player; see `claim`."""
    return (await call("POST", f"{url}/api/me/move", {}, token))["code"]


async def claim(url: str, code: str) -> tuple[str, str]:
    """(player id, token): this device is the player of a code now, and no other device is."""
    me = await call("POST", f"{url}/api/me/claim", {"code": code})
    return me["player"], me["token"]


async def public_rooms(url: str) -> list[dict]:
    """Rooms that everybody may join or watch."""
    return (await call("GET", f"{url}/api/rooms"))["rooms"]


async def create_room(
    url: str, game: str, options: dict | None = None, settings: dict | None = None, token: str = ""
) -> tuple[str, str]:
    """(room code, token of its host): the caller's own token, or that of a new player."""
    body = {"game": game, "options": options or {}, "settings": settings or {}}
    made = await call("POST", f"{url}/api/rooms", body, token)
    return made["room"], made["token"]
