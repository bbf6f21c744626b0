from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect

from service.db import schema
from service.db.schema import SchemaError, downgrade, migrate, newest, require_current
from service.db.tables import metadata
from tests.service.databases import Server


def tables(url: str) -> set[str]:
    return set(schema._in_transaction(url, lambda connection: inspect(connection).get_table_names()))


def test_up_and_down_leave_nothing_behind(empty_database_url: str) -> None:
    migrate(empty_database_url)
    assert tables(empty_database_url) == {"matches", "events", "heartbeats", "presence", "alembic_version"}
    downgrade(empty_database_url, "base")
    assert tables(empty_database_url) == {"alembic_version"}
    migrate(empty_database_url)
    require_current(empty_database_url)


def test_migrating_twice_changes_nothing(database_url: str) -> None:
    migrate(database_url)
    require_current(database_url)


def test_the_migrated_schema_is_the_one_the_code_describes(database_url: str) -> None:
    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))

    assert schema._in_transaction(database_url, differences) == []


def test_constraints_have_the_names_that_the_code_gives_them(database_url: str) -> None:
    def checks(connection: Connection) -> set[str | None]:
        inspected = inspect(connection)
        return {
            one["name"] for table in ("matches", "events") for one in inspected.get_check_constraints(table)
        }

    assert schema._in_transaction(database_url, checks) == {
        "ck_matches_version",
        "ck_events_seq",
        "ck_events_version",
    }


def test_an_empty_database_has_no_schema_yet(empty_database_url: str, tmp_path: Path) -> None:
    (tmp_path / "ginrummy.db").touch()
    with pytest.raises(SchemaError, match="no schema yet"):
        require_current(empty_database_url)


def test_a_revision_nobody_knows_is_too_new(empty_database_url: str) -> None:
    migrate(empty_database_url)

    def pretend(connection: Connection) -> None:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")

    schema._in_transaction(empty_database_url, pretend)
    with pytest.raises(SchemaError, match="newer"):
        require_current(empty_database_url)
    with pytest.raises(SchemaError, match="newer"):
        migrate(empty_database_url)


@pytest.mark.parametrize("setting", ["fsync", "synchronous_commit"])
def test_a_server_that_may_lose_commits_is_refused(
    postgresql_server: Server, postgresql_url: str, setting: str
) -> None:
    postgresql_server.run(f"ALTER SYSTEM SET {setting} = off")
    postgresql_server.run("SELECT pg_reload_conf()")
    try:
        with pytest.raises(SchemaError, match=setting):
            require_current(postgresql_url)
    finally:
        postgresql_server.run(f"ALTER SYSTEM RESET {setting}")
        postgresql_server.run("SELECT pg_reload_conf()")


def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    migrate(f"sqlite:///{path}")
    assert path.stat().st_mode & 0o077 == 0


def test_the_newest_revision_is_the_last_one_written() -> None:
    assert newest() == "0005"
