"""For all tests: shared checks fail with what they compared, and a failure of Hypothesis can be had again.

A property that fails prints its seed (`--hypothesis-seed=…` runs it again) and the line that repeats the very example; with
HYPOTHESIS_DATABASE set to a folder, failures are kept there and tried first.
"""

import os
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.database import DirectoryBasedExampleDatabase
from xdist.scheduler import LoadFileScheduling

pytest.register_assert_rewrite("tests.engine.contract")

_folder = os.environ.get("HYPOTHESIS_DATABASE")
_kept = DirectoryBasedExampleDatabase(_folder) if _folder else None
settings.register_profile("noripan", deadline=None, print_blob=True, database=_kept)
settings.load_profile("noripan")


class Files(LoadFileScheduling):
    """A file's tests stay together, and the browser's are two lots: a browser and a stack are started for each lot only, and
    what waits most of its time runs beside what computes.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._lots: dict[str, int] = {}

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        if not file.startswith("tests/browser/"):
            return file
        return f"browser {self._lots.setdefault(file, len(self._lots) % 2)}"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Files:
    return Files(config, log)
