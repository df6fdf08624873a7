"""PostgreSQL databases that tests borrow: the next test finds nothing of the one before."""

from __future__ import annotations

import pytest
from tests.databases import Databases

from relyon.judging import open_store
from relyon.judging.records import Item


@pytest.fixture(scope="module")
def databases(postgresql: str, migrated_databases: Databases) -> Databases:
    """A shelf of its own, beside the one that all tests share."""
    return Databases(postgresql, "migrated")


def test_what_a_test_left_is_gone(databases: Databases) -> None:
    lent = []
    for _ in range(2):
        with databases.lend() as address, open_store(address) as store:
            lent.append(address)
            assert store.accounts.create("Ann").id == 1
            project = store.projects.create("June")
            assert project.id == 1
            store.items.add(project.id, [Item("q", "d")])
            assert [item.id for item in store.items.all(1)] == [1]
    assert lent[0] == lent[1]


def test_an_id_that_was_taken_back_is_given_again(databases: Databases) -> None:
    with databases.lend() as address, open_store(address) as store:
        try:
            with store.database.write() as connection:
                connection.exec_driver_sql("SELECT nextval('projects_id_seq')")
                raise ZeroDivisionError
        except ZeroDivisionError:
            pass
        assert store.projects.all() == []
    with databases.lend() as again, open_store(again) as store:
        assert again == address
        assert store.projects.create("June").id == 1


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE projects RENAME TO elsewhere",
        "ALTER TABLE users ADD COLUMN shoe_size integer",
        "DROP INDEX {index}",
        "UPDATE alembic_version SET version_num = '0000'",
        "CREATE SCHEMA other",
        "ALTER DATABASE {name} SET default_transaction_read_only = on",
    ],
)
def test_a_database_that_is_another_one_is_not_lent_again(
    databases: Databases, change: str
) -> None:
    with (
        databases.lend() as address,
        open_store(address) as store,
        store.database.write() as connection,
    ):
        index = connection.exec_driver_sql(
            "SELECT indexrelid::regclass FROM pg_index LEFT JOIN pg_constraint"
            " ON conindid = indexrelid WHERE conindid IS NULL"
            " AND indrelid = 'items'::regclass LIMIT 1"
        ).scalar()
        name = connection.engine.url.database
        connection.exec_driver_sql(change.format(index=index, name=name))
    with databases.lend() as other:
        assert other != address


def test_who_still_works_on_a_database_is_sent_away(databases: Databases) -> None:
    with databases.lend() as address:
        store = open_store(address)
        store.accounts.create("Ann")
    with databases.lend() as again, open_store(again) as other:
        assert again == address
        assert other.accounts.create("Bo").id == 1
    store.close()
