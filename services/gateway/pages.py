"""The web client's files, from the bundle inside the package. Hashed names are cached for good, pages never.

The policy lets a page run what came from here and nothing else: a name or an option that slips through as HTML stays text.
"""

import gzip
import hashlib
import mimetypes
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

import services
from services.gateway.http import context_of, headers_of
from services.gateway.limits import is_https

_is_host = re.compile(r"[0-9A-Za-z.:\[\]-]{1,255}").fullmatch
_is_hashed = re.compile(r"assets/.*[.-][0-9A-Za-z_-]{8,}\.[a-z0-9.]+").fullmatch
MISSING = (
    "This gateway has no web client: services/web/dist is missing.\n"
    "From a source checkout run `make web`; the HTTP and WebSocket interfaces work without it.\n"
)
_is_route = re.compile(r"((r|m)(/[0-9A-Za-z]{1,32})?|r/[0-9A-Za-z]{1,32}/[0-9]{1,9})?/?").fullmatch
# A room's address as people and messengers hand it on: in small letters, with the full stop or bracket behind it.
_room_of = re.compile(r"[rR]/([0-9A-Za-z]{6})(/[0-9]{1,9})?([^0-9A-Za-z]*)").fullmatch
HSTS = "max-age=31536000"


def dist() -> Path:
    return Path(services.__path__[0]) / "web" / "dist"


def headers(request: Request) -> dict[str, str]:
    host = request.headers.get("host", "")
    # Older Safari does not count web sockets of the same host as 'self'.
    sockets = f" ws://{host} wss://{host}" if _is_host(host) else ""
    policy = (
        f"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        f"media-src 'self'; connect-src 'self'{sockets}; manifest-src 'self'; worker-src 'self'; "
        f"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
    settings = context_of(request).settings
    secure = is_https(request.url.scheme, headers_of(request), settings.proxy_hops)
    return {
        **({"strict-transport-security": HSTS} if secure else {}),
        "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        "cross-origin-resource-policy": "same-origin",
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "x-frame-options": "DENY",
        "cross-origin-opener-policy": "same-origin",
    }


async def page(request: Request) -> Response:
    """GET of everything that is not the API."""
    path = request.path_params["path"]
    root = dist()
    sent = headers(request)
    canonical = _canonical(path)
    if canonical != path:
        query = f"?{request.url.query}" if request.url.query else ""
        return Response(b"", 302, {**sent, "cache-control": "no-cache", "location": f"/{canonical}{query}"})
    if not (root / "index.html").is_file():
        return PlainTextResponse(MISSING, 404, sent)
    file, status = _inside(root, path), 200
    if file is None and not path.startswith(("api/", "assets/")):
        # What has no file is a page of the client, which routes by itself and says in the reader's language what is none.
        file, status = root / "index.html", 200 if _is_route(path) else 404
    found = None if file is None else _load(file)
    if found is None:
        return PlainTextResponse("Not found\n", 404, sent)
    forever = _is_hashed(path) is not None
    sent |= {
        "cache-control": "public, max-age=31536000, immutable" if forever else "no-cache",
        "content-type": found.kind,
        "etag": found.etag,
        "vary": "accept-encoding",
    }
    if status == 200 and request.headers.get("if-none-match") == found.etag:
        return Response(b"", 304, sent)
    if found.packed and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(found.packed, status, {**sent, "content-encoding": "gzip"})
    return Response(found.data, status, sent)


def _canonical(path: str) -> str:
    """The address of a room as we write it; other paths as they are."""
    found = _room_of(path)
    if found is None:
        return path
    code, game, tail = found.groups()
    made = f"r/{code.upper()}{game or ''}"
    return path if path.rstrip("/") == made and not tail.strip("/") else made


class _File(NamedTuple):
    """packed: gzip, b"" where it gains nothing."""

    data: bytes
    packed: bytes
    kind: str
    etag: str


def _load(file: Path) -> _File | None:
    """A file of the bundle, read and packed once per version of it; None when it has just gone (a build is running)."""
    try:
        stat = file.stat()
        return _read(file, stat.st_mtime_ns, stat.st_size)
    except OSError:
        return None


@lru_cache(maxsize=256)
def _read(file: Path, mtime_ns: int, size: int) -> _File:
    data = file.read_bytes()
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    if kind.startswith("text/") or kind in ("application/javascript", "application/manifest+json"):
        kind += "; charset=utf-8"
    packed = gzip.compress(data, 9, mtime=0)
    etag = f'"{hashlib.blake2b(data, digest_size=12).hexdigest()}"'
    return _File(data, packed if len(packed) < 0.9 * len(data) else b"", kind, etag)


def _inside(root: Path, path: str) -> Path | None:
    """The file of a path, if it is one of the bundle's (a path that climbs out is not)."""
    if not path or "\0" in path:
        return None
    try:
        file = (root / path).resolve()
        return file if file.is_relative_to(root.resolve()) and file.is_file() else None
    except OSError:  # a name longer than a file system takes
        return None
