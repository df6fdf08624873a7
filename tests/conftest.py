"""What every test may use."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "fast", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "slow", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of public test collections, which are not part of this repository."""
    folder = Path(os.environ.get("RELKIT_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the test collections are not at {folder} (set RELKIT_TEST_DATA)")
    return folder


def _unprivileged() -> dict[str, object]:
    """PostgreSQL refuses to run as root: another user for it, where the tests do."""
    if os.geteuid() != 0:
        return {}
    import pwd

    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    pytest.skip("the tests run as root and there is no user postgres or nobody")


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """A PostgreSQL server of our own, as the URL that the name of a database completes."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    programs = [shutil.which(name) for name in ("initdb", "postgres")]
    if None in programs:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        programs = [str(found[-1] / name) for name in ("initdb", "postgres")] if found else []
    if not programs:
        pytest.skip("PostgreSQL (initdb, postgres) is not installed")
    initdb, postgres = map(str, programs)
    identity = _unprivileged()
    # Not under pytest's own folder, which only root may enter; and a socket's path is short.
    folder = Path(tempfile.mkdtemp(prefix="relkit-pg-"))
    if identity:
        os.chown(folder, int(str(identity["user"])), int(str(identity["group"])))
    made = subprocess.run(
        [initdb, "-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8",
         "--locale=C", "-N"],
        capture_output=True, cwd=folder, check=False, **identity,  # type: ignore[call-overload]
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [postgres, "-D", str(folder / "data"), "-k", str(folder), "-c", "listen_addresses=",
             "-c", "max_connections=100", "-F"],
            stdout=log, stderr=log, cwd=folder, **identity,  # type: ignore[call-overload]
        )  # fmt: skip
    url = f"postgresql://postgres@/{{}}?host={folder}"
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(url.format("postgres")).close()
                break
            except psycopg.OperationalError:
                assert server.poll() is None, (folder / "log").read_text("utf-8", "replace")
                assert time.monotonic() < deadline, "PostgreSQL does not start"
                time.sleep(0.05)
        yield url
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _postgresql_database(url: str, template: str = "template1") -> Iterator[str]:
    """A database of its own on a server, a copy of another one."""
    import psycopg

    name = f"judging_{uuid4().hex}"
    with psycopg.connect(url.format("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield url.format(name)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database, of either kind."""
    if request.param == "sqlite":
        yield str(tmp_path / "judging.db")
        return
    with _postgresql_database(request.getfixturevalue("postgresql")) as address:
        yield address


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the tables of a judging database, to be copied."""
    from relkit.judging.store import open_store

    path = tmp_path_factory.mktemp("migrated") / "judging.db"
    open_store(path, create=True).close()
    return path


@pytest.fixture(scope="session")
def migrated_name(postgresql: str) -> str:
    """A PostgreSQL database with the tables of a judging database, to be copied."""
    import psycopg

    from relkit.judging.store import open_store

    with psycopg.connect(postgresql.format("postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE migrated")
    open_store(postgresql.format("migrated"), create=True).close()
    return "migrated"


@pytest.fixture(scope="session")
def new_judging_database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], AbstractContextManager[str]]:
    """Makes a judging database of a kind, `sqlite` or `postgresql`, that has its tables."""

    @contextmanager
    def make(kind: str) -> Iterator[str]:
        if kind == "sqlite":
            path = tmp_path_factory.mktemp("judging") / "judging.db"
            shutil.copy(request.getfixturevalue("migrated_file"), path)
            yield str(path)
            return
        url: str = request.getfixturevalue("postgresql")
        template: str = request.getfixturevalue("migrated_name")
        with _postgresql_database(url, template) as address:
            yield address

    return make


@pytest.fixture(params=["sqlite", "postgresql"])
def judging_database(
    request: pytest.FixtureRequest,
    new_judging_database: Callable[[str], AbstractContextManager[str]],
) -> Iterator[str]:
    """The address of a judging database with its tables and nothing in them, of either kind."""
    with new_judging_database(request.param) as address:
        yield address
