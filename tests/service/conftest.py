import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.db.schema import migrate
from tests.service.databases import Server, postgresql


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[Server]:
    """Started by the first test that asks."""
    with postgresql() as server:
        yield server


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "ginrummy.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def postgresql_url(postgresql_server: Server) -> Iterator[str]:
    """A migrated database on the server, for one test."""
    with postgresql_server.migrated() as url:
        yield url


@pytest.fixture
def sqlite_url(migrated_file: Path, tmp_path: Path) -> str:
    """A migrated file, for one test."""
    return f"sqlite:///{shutil.copy(migrated_file, tmp_path / 'ginrummy.db')}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """A migrated database of each kind, for one test."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database of each kind without any table."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'ginrummy.db'}"
    else:
        with request.getfixturevalue("postgresql_server").empty() as url:
            yield url


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
