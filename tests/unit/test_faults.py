"""What goes wrong while judges grade: nothing is lost, nothing is stored twice."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

if os.name == "nt":
    pytest.skip("the faults are made with the tools of Unix", allow_module_level=True)
pytest.importorskip("fastapi")

from bench.postgresql import PostgreSQL, UnavailableError, own_postgresql
from tests.faults import (
    Graders,
    check_file,
    check_grades,
    locked,
    prepare,
    small_disk,
)
from tests.programs import skip_without_program
from tests.web.server import Server

pytestmark = pytest.mark.long


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_that_ends_and_starts_again(number: signal.Signals, tmp_path: Path) -> None:
    database = tmp_path / "judging.db"
    tokens = prepare(database)
    with Server(database) as server, Graders(server, tokens) as judges:
        for _ in range(2):
            judges.await_more(30)
            server.end(number)
            judges.await_answer(0)
            server.start()
        judges.await_more(30)
    check_grades(database, judges)
    check_file(database)


@pytest.mark.parametrize("own", [True, False])
def test_a_full_disk(*, own: bool) -> None:
    with small_disk(8, own=own) as disk:
        database = disk.folder / "judging.db"
        tokens = prepare(database)
        with Server(database) as server, Graders(server, tokens) as judges:
            judges.await_more(30)
            disk.fill(server.pid)
            judges.await_answer(503)
            disk.free()
            judges.await_more(30)
        check_grades(database, judges)
        check_file(database)


def test_a_database_that_another_program_has_locked(tmp_path: Path) -> None:
    database = tmp_path / "judging.db"
    tokens = prepare(database)
    with Server(database) as server, Graders(server, tokens) as judges:
        judges.await_more(30)
        with locked(database):
            time.sleep(0.3)  # what was confirmed before is told
            before = len(judges.confirmed)
            time.sleep(1)
            assert len(judges.confirmed) == before
        judges.await_more(30)
    check_grades(database, judges)
    assert set(judges.answers) == {200}


@pytest.fixture
def own_server() -> Iterator[PostgreSQL]:
    """A PostgreSQL server that a test may stop."""
    try:
        with own_postgresql(durable=True) as server:
            yield server
    except UnavailableError as reason:
        skip_without_program(str(reason))


@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_postgresql_that_starts_again(own_server: PostgreSQL, how: str) -> None:
    address = own_server.url.format("postgres")
    tokens = prepare(address)
    with Server(address) as server, Graders(server, tokens) as judges:
        judges.await_more(30)
        own_server.stop("fast" if how == "fast" else "immediate")
        judges.await_answer(503)
        own_server.start()
        judges.await_more(30)
    check_grades(address, judges)
