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
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple

from itsdangerous import BadSignature, Signer

COOKIE = "noripan"
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


def bearer(headers: dict[bytes, bytes]) -> str:
    """The token of an Authorization header, "" when there is none."""
    kind, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def cookie(headers: dict[bytes, bytes]) -> str:
    """The token of our cookie, "" when there is none."""
    try:
        jar = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1"))
    except CookieError:
        return ""
    return jar[COOKIE].value if COOKIE in jar else ""


def set_cookie(token: str, secure: bool) -> str:
    """The Set-Cookie header that keeps a token where scripts cannot read it."""
    tail = "; Secure" if secure else ""
    return f"{COOKIE}={token}; Path=/; Max-Age={COOKIE_S}; HttpOnly; SameSite=Lax{tail}"
