"""Judging databases with their tables and nothing in them: making one is most of a small test.

A file is a copy of one whose tables were made once. A PostgreSQL database is lent to one test after
the other, since `CREATE DATABASE` and `DROP DATABASE` copy and delete some 300 files: what a test
leaves behind is deleted instead, and where it changed more than rows, the next test gets another.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

#: What a test may change besides rows: relations, columns, constraints, functions, settings, and
#: which migration was the last.
FINGERPRINT = r"""
SELECT md5(string_agg(line, E'\n' ORDER BY line)) FROM (
  SELECT concat_ws(' ', relname, relkind, relnatts, relchecks, relhastriggers, relacl) AS line
    FROM pg_class WHERE relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT concat_ws(' ', attrelid::regclass, attname, atttypid, attnotnull, attisdropped)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT concat_ws(' ', conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL
  SELECT concat_ws(' ', tgrelid::regclass, tgname, tgenabled) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL
  SELECT concat_ws(' ', proname, prosrc)
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%'
  UNION ALL
  SELECT concat_ws(' ', setrole, setconfig) FROM pg_db_role_setting
    JOIN pg_database ON pg_database.oid = setdatabase WHERE datname = current_database()
  UNION ALL
  SELECT version_num FROM alembic_version
) AS lines
"""
LEAVE = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
TABLES = """
SELECT quote_ident(relname) FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'alembic_version'
"""
#: A sequence goes on after a transaction that was taken back, and after its rows are deleted.
RESTART = """
SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
FROM pg_sequences WHERE last_value IS NOT NULL
"""
#: Deleted rows stay in the files until PostgreSQL tidies up; a database grows no further than this.
LARGEST = 32 << 20


def create_file(path: Path) -> Path:
    """Makes a SQLite file that is a judging database with nothing in it, and returns its path."""
    path.touch(0o600)
    path.write_bytes(_file_with_tables())
    return path


@cache
def _file_with_tables() -> bytes:
    from relyon.judging.store import open_store

    with TemporaryDirectory() as folder:
        path = Path(folder, "judging.db")
        open_store(path, create=True).close()
        return path.read_bytes()


class Databases:
    """Copies of one database of a server, each lent to one test at a time.

    Args:
        url: The server, as the URL that the name of a database completes.
        template: The database, which has tables and no rows.
    """

    def __init__(self, url: str, template: str) -> None:
        import psycopg

        self._url = url
        self._template = template
        self._free: list[str] = []
        with psycopg.connect(url.format(template), autocommit=True) as connection:
            self._fingerprint = connection.execute(FINGERPRINT).fetchone()
            tables = [name for (name,) in connection.execute(TABLES)]
        self._clear = "SET session_replication_role = replica;" + "".join(
            f"DELETE FROM {name};" for name in tables
        )

    @contextmanager
    def lend(self) -> Iterator[str]:
        """Lends the address of a database with the tables and nothing in them."""
        name = self._free.pop() if self._free else self._create()
        yield self._url.format(name)
        # After a failure nobody knows what still works on it.
        if self._tidied(name):
            self._free.append(name)

    def _create(self) -> str:
        import psycopg

        name = f"judging_{uuid4().hex}"
        with psycopg.connect(self._url.format("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {self._template}")
        return name

    def _tidied(self, name: str) -> bool:
        """Deletes all rows; says whether the database is as it was when it was created."""
        import psycopg

        with psycopg.connect(self._url.format(name), autocommit=True) as connection:
            if not all(left for (left,) in connection.execute(LEAVE)):
                return False
            if connection.execute(FINGERPRINT).fetchone() != self._fingerprint:
                return False
            connection.execute(self._clear)
            connection.execute(RESTART)
            size = connection.execute("SELECT pg_database_size(current_database())").fetchone()
            return size is not None and size[0] < LARGEST
