"""All settings of all processes: one frozen record, read from the environment and from nothing else.

Every process of one installation (gateway, worker, scheduler, tools) reads the same names, so a host writes them
down once. A name that nobody knows, or a value that cannot be, stops the start with *all* complaints at once, each
naming variable, value and what was expected: a misspelt limit that is silently ignored is found in production
otherwise. Values of secret variables (those listed in SECRET) are never shown, and neither is the value of an
unknown name, which may be a misspelt secret. An empty variable counts as not set, which is what `NAME: ${NAME:-}`
in a compose file means.
"""

import difflib
import os
import secrets
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_origin
from urllib.parse import parse_qs, urlsplit

import msgspec
from msgspec import Meta, Struct

PREFIX = "NORIPAN_"
TOKEN_KEY_CHARS_MIN = 32


class SettingsError(Exception):
    """The environment does not describe an installation that can start. The text is for the person who wrote it."""


def env_name(field: str) -> str:
    """The variable of a field: `port` -> NORIPAN_PORT; REDIS_URL keeps the name that other tools give it."""
    return "REDIS_URL" if field == "redis_url" else PREFIX + field.upper()


def _says(expected: str, **bounds: Any) -> Meta:
    return Meta(description=expected, **bounds)


REDIS_URL_SAYS = "redis://, rediss:// or unix:// address; the port and the database in it, if any, are numbers"
Text = Annotated[str, _says("some text", min_length=1)]
Ms = Annotated[int, _says("milliseconds, 1 to 600000", ge=1, le=600_000)]
Rate = Annotated[float, _says("a number above 0, up to 100000", gt=0, le=100_000)]
Number = Annotated[int, _says("a whole number, 1 to 1000000", ge=1, le=1_000_000)]
Module = Annotated[str, Meta(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\Z")]
Origin = Annotated[str, Meta(pattern=r"^https?://[^/\s]+\Z")]


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename=env_name):
    """One installation.

    data_dir: what `noripan up` keeps (the embedded server's files, the token key).
    redis_url: the server to use; None means the embedded one that `noripan up` runs (see `redis_url_of`).
    games: modules with further games, each exporting GAME.
    token_key, token_key_file: what signs player tokens; see `token_keys`.
    lease_ms, sweep_ms, linger_ms: how long a worker owns a partition unrenewed, how often the scheduler looks for lost
      work, how long a worker waits at an idle partition. Recovery from a killed worker takes about lease + sweep; from one
      that was killed while it folded, fold_ms_max more.
    fold_ms_max: an engine step that uses more CPU time is parked, so that a bad room hurts itself only.
    durability: what an acknowledged action survives. `everysec`: any of our processes dying; a server that is killed or
      loses power may take what it had not written yet: its last moments, up to two seconds on a busy disk. `always`: that,
      too, at about half the throughput. Sets appendfsync of the embedded server; a server of one's own is set in its own
      configuration.
    redis_memory: how much the embedded server may hold, like 512mb or 4gb (maxmemory); when it is full it refuses writes and
      forgets nothing. None: half of what this machine, or this container, has. A server of one's own has its own.
    allowed_origins: web origins besides the gateway's own that may open sockets, with a token in `hello`: their pages' scripts
      read no answer over HTTP, and browsers keep our cookie from them.
    proxy_hops: how many trusted reverse proxies stand in front, each appending to X-Forwarded-For; 0: no header is
      believed.
    message_rate, message_burst: messages a socket may send, per second and at once.
    rooms_per_minute, sockets_max_per_address: what one client address may create and hold. An address is an IPv4 address or
      an IPv6 /64; a school or a company is often one.
    messages_per_address: messages that all sockets of one client address may send a second together, and ten times as many
      at once; a hello counts as ten. The default lets three hundred people play behind one address.
    requests_per_minute: what one client address may ask over HTTP, as many at once.
    heartbeat_s: a connection that died without a word is noticed within this time and a second.
    drain_s: a gateway that got SIGTERM still serves for so long, while /readyz says 503: time for a load balancer to notice.
    """

    data_dir: Text = "./.noripan"
    host: Text = "127.0.0.1"
    port: Annotated[int, _says("a port, 1 to 65535", ge=1, le=65535)] = 8080
    redis_url: Annotated[str, _says(REDIS_URL_SAYS, pattern=r"^(rediss?|unix)://[^\s]+\Z")] | None = None
    workers: Annotated[int, _says("a number of processes, 1 to 64", ge=1, le=64)] = 2
    games: Annotated[tuple[Module, ...], _says("module names, separated by commas")] = ()
    token_key: (
        Annotated[str, _says(f"keys of {TOKEN_KEY_CHARS_MIN} or more characters, separated by commas")] | None
    ) = None
    token_key_file: Annotated[str, _says("the path of a file")] | None = None
    lease_ms: Annotated[int, _says("milliseconds, 100 to 60000", ge=100, le=60_000)] = 800
    sweep_ms: Annotated[int, _says("milliseconds, 10 to 10000", ge=10, le=10_000)] = 50
    linger_ms: Annotated[int, _says("milliseconds, 0 to 10000", ge=0, le=10_000)] = 250
    fold_ms_max: Ms = 1000
    durability: Annotated[Literal["everysec", "always"], _says("everysec or always")] = "everysec"
    redis_memory: Annotated[str, _says("an amount like 512mb or 4gb", pattern=r"^[1-9][0-9]{0,5}[mg]b$")] | None = None
    allowed_origins: Annotated[
        tuple[Origin, ...], _says("origins like https://play.example, separated by commas, without a path")
    ] = ()
    proxy_hops: Annotated[int, _says("a number of proxies, 0 to 8", ge=0, le=8)] = 0
    message_rate: Rate = 20.0
    message_burst: Number = 40
    rooms_per_minute: Number = 30
    sockets_max_per_address: Number = 200
    messages_per_address: Rate = 400.0
    requests_per_minute: Number = 6000
    heartbeat_s: Annotated[float, _says("seconds, 1 to 300", ge=1, le=300)] = 15.0
    drain_s: Annotated[float, _says("seconds, 0 to 60", ge=0, le=60)] = 1.0
    log_level: Annotated[Literal["debug", "info", "warning", "error"], _says("debug, info, warning or error")] = "info"

    @property
    def folder(self) -> Path:
        """`data_dir`, made (readable by its owner only) when missing. Raises SettingsError."""
        path = Path(self.data_dir).expanduser()
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(
                f"{env_name('data_dir')}={self.data_dir!r}: expected a folder that can be written ({error.strerror})"
            ) from None
        return path


SECRET = frozenset({"redis_url", "token_key"})
_FIELDS = {field.encode_name: field for field in msgspec.structs.fields(Settings)}


def load(environ: Mapping[str, str]) -> Settings:
    """The settings that `environ` describes; what it does not name has its default. Raises SettingsError."""
    values: dict[str, Any] = {}
    wrong: list[str] = []
    for name, text in environ.items():
        if name not in _FIELDS:
            if name.startswith(PREFIX):
                wrong.append(_unknown(name))
        elif text.strip():
            try:
                values[_FIELDS[name].name] = _read(_FIELDS[name], text.strip())
            except msgspec.ValidationError as error:
                wrong.append(_refused(name, text, expected(_FIELDS[name].type) or str(error)))
    wrong += _clashes(values)
    if wrong:
        raise SettingsError("\n".join(sorted(wrong)))
    return Settings(**values)


def load_or_exit(environ: Mapping[str, str] | None = None) -> Settings:
    """`load` for a process: complaints go to stderr, the exit code is 2, and a supervisor does not try again."""
    try:
        return load(os.environ if environ is None else environ)
    except SettingsError as error:
        print(error, file=sys.stderr)
        sys.exit(2)


def _read(field: msgspec.structs.FieldInfo, text: str) -> Any:
    value: Any = text.rstrip("/") if field.name == "redis_url" else text  # `redis://host/` is no number's place to arq
    if get_origin(_bare(field.type)) is tuple:
        value = tuple(part.strip() for part in text.split(",") if part.strip())
    read = msgspec.convert(value, field.type, strict=False)
    if field.name == "token_key" and any(len(key) < TOKEN_KEY_CHARS_MIN for key in _keys(text)):
        raise msgspec.ValidationError("too short")
    if field.name == "redis_url" and not _is_address(value):
        raise msgspec.ValidationError("not an address")
    return read


def _is_address(url: str) -> bool:
    """Whether the numbers in a Redis URL are some; its clients stumble over others, or go to database 0 in silence."""
    try:
        parts = urlsplit(url)
        numbers = parse_qs(parts.query).get("db", [])
        _ = parts.port  # raises for what is none
    except ValueError:
        return False
    if parts.scheme != "unix":
        numbers.append(parts.path.removeprefix("/") or "0")
    return all(number.isascii() and number.isdigit() for number in numbers)


def _bare(kind: Any) -> Any:
    return kind.__origin__ if hasattr(kind, "__metadata__") else kind


def expected(kind: Any) -> str:
    """The words for a person, from the type's Meta; of `T | None` that of T."""
    for option in (kind, *getattr(kind, "__args__", ())):
        for meta in getattr(option, "__metadata__", ()):
            if meta.description:
                return meta.description
    return ""


def _refused(name: str, text: str, wish: str) -> str:
    shown = "" if _FIELDS[name].name in SECRET else f"={text!r}"
    return f"{name}{shown}: expected {wish}"


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, _FIELDS, n=1)
    return f"{name}: there is no such setting" + (f"; expected {near[0]}?" if near else "")


def _clashes(values: dict[str, Any]) -> list[str]:
    """Rules between settings: the sweep must see a lease end in time, and there is one source of the token key."""
    found = []
    default = Settings()
    sweep, lease = values.get("sweep_ms", default.sweep_ms), values.get("lease_ms", default.lease_ms)
    if sweep > lease:
        name = env_name("sweep_ms")
        found.append(_refused(name, str(sweep), f"at most {env_name('lease_ms')}, which is {lease}"))
    if "token_key" in values and "token_key_file" in values:
        found.append(f"{env_name('token_key')}: expected either this or {env_name('token_key_file')}, got both")
    return found


def _keys(text: str) -> tuple[str, ...]:
    return tuple(key for key in text.replace(",", "\n").split() if key)


def token_keys(settings: Settings) -> tuple[str, ...]:
    """The keys of player tokens, oldest first: the last signs, all are believed (so a key can be changed without
    logging everybody out). From token_key, else token_key_file, else `token.key` in the data folder, which is made
    at the first start; any number of processes may do that at once and all get the same key. Raises SettingsError.
    """
    if settings.token_key is not None:
        return _keys(settings.token_key)
    path = Path(settings.token_key_file) if settings.token_key_file else settings.folder / "token.key"
    source = f"{env_name('token_key_file')}={str(path)!r}" if settings.token_key_file else str(path)
    try:
        if not settings.token_key_file and not path.exists():
            _make_key(path)
        keys = _keys(path.read_text(encoding="ascii"))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{source}: expected a file with token keys ({error})") from None
    if not keys or any(len(key) < TOKEN_KEY_CHARS_MIN for key in keys):
        raise SettingsError(f"{source}: expected keys of {TOKEN_KEY_CHARS_MIN} or more characters, one a line")
    return keys


def _make_key(path: Path) -> None:
    """Write a fresh key whole, or leave the one that another process made first: a link never replaces."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".token")  # mode 0600
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(48) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)


def redis_url_of(settings: Settings) -> str:
    """The server to talk to: REDIS_URL, else the embedded server of the `noripan up` that runs on this data folder.

    Raises SettingsError when there is neither.
    """
    if settings.redis_url is not None:
        return settings.redis_url
    try:
        return (settings.folder / "redis.url").read_text(encoding="ascii").strip()
    except OSError:
        raise SettingsError(
            f"REDIS_URL: expected an address, since no `noripan up` is running in {settings.data_dir}"
        ) from None
