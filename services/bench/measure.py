"""Small tools of the benches: CPU time of other processes, medians, processes that end with the bench."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def cpu_s(pid: int) -> float:
    """CPU seconds that a process and its threads have used. Linux: nanosecond accounting; elsewhere raises OSError."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


@contextlib.contextmanager
def process(module: str, url: str, data_dir: Path, quiet: bool = False, **env: str) -> Iterator[subprocess.Popen]:
    """`python -m module` against the server at `url`, ended by its id. quiet: its stderr is dropped."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("NORIPAN_")}
    environ |= {"REDIS_URL": url, "NORIPAN_DATA_DIR": str(data_dir), "NORIPAN_LOG_LEVEL": "warning", **env}
    stderr = subprocess.DEVNULL if quiet else None
    child = subprocess.Popen([sys.executable, "-m", module], env=environ, stderr=stderr)
    try:
        yield child
    finally:
        child.terminate()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
