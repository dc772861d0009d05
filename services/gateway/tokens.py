"""Who is speaking: a player is a random id with our signature. No account, no password, nothing stored.

The token travels in an HttpOnly cookie (browsers) or as `Authorization: Bearer` or in `hello` (programs). A cookie counts
only when the request says where it comes from and that is us (`limits.origin_allowed`), so no other site can use it.
Tokens are never logged and never repeated in an error.
"""

import hashlib
import secrets
from collections.abc import Sequence
from http.cookies import CookieError, SimpleCookie

from itsdangerous import BadSignature, Signer

COOKIE = "noripan"
COOKIE_S = 400 * 86_400  # the longest that browsers accept
TOKEN_CHARS_MAX = 200


class Tokens:
    """keys: oldest first; the last signs, all are believed."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._signer = Signer(list(keys), salt="noripan.player", key_derivation="hmac", digest_method=hashlib.sha256)

    def new(self) -> tuple[str, str]:
        """(player id, token) of somebody who was not here before."""
        player = secrets.token_urlsafe(12)
        return player, self.sign(player)

    def sign(self, player: str) -> str:
        return self._signer.sign(player).decode()

    def read(self, token: str) -> str | None:
        """The player of a token, None when it is not ours."""
        if len(token) > TOKEN_CHARS_MAX or not token.isascii():
            return None
        try:
            return self._signer.unsign(token).decode()
        except BadSignature:
            return None


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
