from collections.abc import Iterator

import pytest

from tests.replicas.layout import Layout
from tests.service.databases import postgresql


@pytest.fixture(scope="session")
def layout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Layout]:
    """Started by the first test that asks; a test leaves it as it found it, but for the matches."""
    with postgresql() as server, server.migrated() as url:
        built = Layout(tmp_path_factory.mktemp("layout"), server, url)
        with built.running():
            yield built


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
