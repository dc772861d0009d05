"""Who is speaking: a player is a random id with our signature. No account, no password, nothing stored.

A token has a generation, 0 at first. When a player moves to another device a new one is given out with the next generation,
which is stored (`identity`), and the tokens before it are void.

The token travels in an HttpOnly cookie (browsers) or as `Authorization: Bearer` or in `hello` (programs). A cookie counts
only when the request says where it comes from and that is us (`limits.origin_allowed`), so no other site can use it; or in
a POST that says nothing of the kind, as no browser's does.
Tokens are never logged and never repeated in an error.
"""

import hashlib
import secrets
from collections.abc import Sequence
from typing import NamedTuple

from itsdangerous import BadSignature, Signer

COOKIE = "noripan"
COOKIE_SECURE = "__Host-noripan"  # over https: no sibling domain and no page without TLS can set or replace it
COOKIE_S = 400 * 86_400  # the longest that browsers accept
TOKEN_CHARS_MAX = 200


class Badge(NamedTuple):
    """What a token of ours says."""

    player: str
    generation: int = 0


class Tokens:
    """keys: oldest first; the last signs, all are believed."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._signer = Signer(list(keys), salt="noripan.player", key_derivation="hmac", digest_method=hashlib.sha256)

    def new(self) -> tuple[str, str]:
        """(player id, token) of somebody who was not here before."""
        player = secrets.token_urlsafe(12)
        return player, self.sign(player)

    def sign(self, player: str, generation: int = 0) -> str:
        """A token of that generation."""
        return self._signer.sign(f"{player}.{generation}" if generation else player).decode()

    def badge(self, token: str) -> Badge | None:
        """What a token says, None when it is not ours. Whether its generation is still good is `identity`'s to know."""
        if len(token) > TOKEN_CHARS_MAX or not token.isascii():
            return None
        try:
            player, _, generation = self._signer.unsign(token).decode().partition(".")
        except BadSignature:
            return None
        return Badge(player, int(generation or 0))

    def of_cookies(self, headers: dict[bytes, bytes]) -> Badge | None:
        """What the first of our cookies says that is ours; None when there is none."""
        return next((badge for badge in map(self.badge, cookies(headers)) if badge is not None), None)


def bearer(headers: dict[bytes, bytes]) -> str:
    """The token of an Authorization header, "" when there is none."""
    kind, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def cookies(headers: dict[bytes, bytes]) -> list[str]:
    """Every value of our cookies, the safer name first.

    Others of the same host (all its ports, its parent domains) write what they like beside ours and under our name, too:
    nothing of theirs is understood, and nothing of it may hide ours.
    """
    found: dict[str, list[str]] = {COOKIE_SECURE: [], COOKIE: []}
    for part in headers.get(b"cookie", b"").decode("latin-1").split(";"):
        name, mark, value = part.partition("=")
        if mark and name.strip() in found:
            found[name.strip()].append(value.strip().strip('"'))
    return found[COOKIE_SECURE] + found[COOKIE]


def set_cookie(token: str, secure: bool) -> str:
    """The Set-Cookie header that keeps a token where scripts cannot read it."""
    name, tail = (COOKIE_SECURE, "; Secure") if secure else (COOKIE, "")
    return f"{name}={token}; Path=/; Max-Age={COOKIE_S}; HttpOnly; SameSite=Lax{tail}"
