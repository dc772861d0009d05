"""Whether the page that asks is ours: its origin is an allowed one, or the very address (scheme, host, port) that it asks.

A name that somebody else's DNS points here is an address of ours as well: a page from there gets players of its own, never the
cookie of another name. Which names are ours is known to the proxy in front, if at all.
"""

from services.gateway.limits import is_https, rarely

PORTS = {"http": ":80", "https": ":443"}  # which an origin does not name, and a Host may
SHOWN_CHARS_MAX = 200


def _plain(scheme: str, host: str) -> str:
    return host.lower().removesuffix(PORTS[scheme])


def _split(origin: str) -> tuple[str, str] | None:
    """(scheme, host and port) of a web origin."""
    scheme, mark, host = origin.partition("://")
    return (scheme, _plain(scheme, host)) if mark and host and scheme in PORTS else None


def origin_allowed(scheme: str, headers: dict[bytes, bytes], allowed: tuple[str, ...], hops: int) -> bool | None:
    """Whether the page that asks is ours. None: no Origin; on a GET it may be any page all the same.

    scheme: of the connection. Behind proxies that do not say what theirs was, either one fits.
    """
    given = headers.get(b"origin")
    if given is None:
        return None
    origin = _split(given.decode("latin-1"))
    if origin is not None and origin in map(_split, allowed):
        return True
    hosts = [headers.get(b"host", b"")]
    if hops and b"x-forwarded-host" in headers:
        hosts.append(headers[b"x-forwarded-host"].split(b",")[-1].strip())
    told = not hops or b"x-forwarded-proto" in headers
    fits = origin is not None and (not told or is_https(scheme, headers, hops) is (origin[0] == "https"))
    if fits and origin[1] in [_plain(origin[0], host.decode("latin-1")) for host in hosts]:
        return True
    rarely.warn(
        "a page of another origin was refused: is the Host header passed on?",
        "NORIPAN_ALLOWED_ORIGINS",
        origin=given.decode("latin-1")[:SHOWN_CHARS_MAX],
        host=hosts[-1].decode("latin-1")[:SHOWN_CHARS_MAX],
        https=is_https(scheme, headers, hops) if told else "not said",
    )
    return False
