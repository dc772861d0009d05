"""For all tests: shared checks fail with what they compared, and a failure of Hypothesis can be had again.

A property that fails prints its seed (`--hypothesis-seed=…` runs it again) and the line that repeats the very example; with
HYPOTHESIS_DATABASE set to a folder, failures are kept there and tried first.
"""

import os

import pytest
from hypothesis import settings
from hypothesis.database import DirectoryBasedExampleDatabase

pytest.register_assert_rewrite("tests.engine.contract")

_folder = os.environ.get("HYPOTHESIS_DATABASE")
_kept = DirectoryBasedExampleDatabase(_folder) if _folder else None
settings.register_profile("noripan", deadline=None, print_blob=True, database=_kept)
settings.load_profile("noripan")
