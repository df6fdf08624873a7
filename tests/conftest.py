"""What every test may use."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from bench.postgresql import UnavailableError, serve_postgresql
from hypothesis import HealthCheck, settings
from tests.databases import Databases, create_file
from tests.programs import skip_without_program

#: `make test` takes the first, CI the second, `make test-slow` by hand the third.
settings.register_profile(
    "quick", max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "fast", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "slow", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

pytest_plugins = ["tests.skips"]

# ranx has Numba compile it when it is first used, which takes a minute, and half an hour for all of
# it: its functions run as they are, except in `make test-peers`, for what only compiled code does.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
os.environ.setdefault("NUMBA_OPT", "0")

ROOT = Path(__file__).resolve().parent.parent


# A script's background ignores Ctrl-C, and each process that a test starts would inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


#: What a test asks for that needs PostgreSQL; as a parameter, it is a kind of database.
POSTGRESQL = {"postgresql", "migrated_databases", "own_server"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what `make test` leaves to `make test-postgres` and `make test-web`."""
    for item in items:
        asked = {*getattr(item, "fixturenames", ())}
        for value in getattr(getattr(item, "callspec", None), "params", {}).values():
            several = value if isinstance(value, tuple) else (value,)
            asked |= {one for one in several if isinstance(one, str)}
        if asked & POSTGRESQL:
            item.add_marker(pytest.mark.postgres)
        if "browser" in asked:
            item.add_marker(pytest.mark.web)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Hardly anything is garbage while tests are collected: looking for some takes seconds."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """What was collected stays: looking through it at every collection of garbage takes seconds."""
    gc.freeze()


@pytest.fixture
def own_measures() -> Iterator[None]:
    """What a test registers as a measure is forgotten after it."""
    from relyon.measures.lookup import registry

    list(registry)  # a module that the test imported first would not register its measures again
    with pytest.MonkeyPatch.context() as patch:
        for names in ("_things", "_aliases"):
            patch.setattr(registry, names, dict(getattr(registry, names)))
        yield
    registry.additions += 1  # what was parsed meanwhile is parsed again


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of public test collections, which are not part of this repository."""
    folder = Path(os.environ.get("RELYON_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the test collections are not at {folder} (set RELYON_TEST_DATA)")
    return folder


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """A PostgreSQL server of our own, as the URL that the name of a database completes."""
    with ExitStack() as stack:
        try:
            url = stack.enter_context(serve_postgresql(durable=False))
        except UnavailableError as reason:
            skip_without_program(str(reason))
        yield url


@contextmanager
def _postgresql_database(url: str) -> Iterator[str]:
    """A database of its own on a server, with nothing in it."""
    import psycopg

    name = f"judging_{uuid4().hex}"
    with psycopg.connect(url.format("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
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
def migrated_databases(postgresql: str) -> Databases:
    """PostgreSQL databases with the tables of a judging database, to be borrowed."""
    import psycopg

    from relyon.judging.store import open_store

    with psycopg.connect(postgresql.format("postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE migrated")
    open_store(postgresql.format("migrated"), create=True).close()
    return Databases(postgresql, "migrated")


@pytest.fixture(scope="session")
def new_judging_database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], AbstractContextManager[str]]:
    """Makes a judging database of a kind, `sqlite` or `postgresql`, that has its tables."""

    @contextmanager
    def make(kind: str) -> Iterator[str]:
        if kind == "sqlite":
            yield str(create_file(tmp_path_factory.mktemp("judging") / "judging.db"))
            return
        databases: Databases = request.getfixturevalue("migrated_databases")
        with databases.lend() as address:
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
