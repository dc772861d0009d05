"""One running product for all reports whose test leaves it as it found it; the others start their own."""

from collections.abc import Iterator

import pytest

from tests.stack import Stack


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Two gateways, one worker, one scheduler."""
    with Stack(tmp_path_factory.mktemp("reports"), gateways=2) as running:
        yield running
