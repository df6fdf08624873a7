"""What goes wrong while a project is imported, packed, unpacked or removed: all of it, or none."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from bench.postgresql import UnavailableError, own_postgresql
from tests.faults import await_true, check_file, locked, small_disk
from tests.programs import skip_without_program

from relyon.core.errors import InputError
from relyon.judging import imports, jobs
from relyon.judging.archive import pack_project
from relyon.judging.archive_import import unpack_project
from relyon.judging.archive_reader import Archive
from relyon.judging.jobs import list_jobs
from relyon.judging.progress import measure_progress
from relyon.judging.records import Item, Rating
from relyon.judging.removal import remove_project, tidy_up
from relyon.judging.schema import metadata, sa
from relyon.judging.store import Store, open_store

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.name == "nt", reason="there is no kill -9"),
]

COUNT = 6_000


def count(store: Store, table: str) -> int:
    with store.database.read() as connection:
        query = sa.select(sa.func.count()).select_from(metadata.tables[table])
        return int(connection.execute(query).scalar_one())


def rows(store: Store) -> dict[str, int]:
    work = ("jobs", "projects")
    return {name: count(store, name) for name in metadata.tables if name not in work}


def table(folder: Path) -> Path:
    path = folder / "many.csv"
    lines = "".join(f"q{n % 500},d{n},Ann,{n % 4}\n" for n in range(COUNT))
    path.write_text(f"query,document,judge,grade\n{lines}", "utf-8")
    return path


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a large project, to be read or copied."""
    path = tmp_path_factory.mktemp("source") / "source.db"
    with open_store(path, create=True) as store:
        project = store.projects.create("Restored", overlap=2)
        given = [(Item(f"q{n % 500}", f"d{n}"), [Rating("Ann", n % 4)]) for n in range(COUNT)]
        store.grades.add(project.id, given)
    return path


@pytest.fixture(scope="module")
def archive(source: Path) -> Path:
    """The project of `source`, packed."""
    path = source.with_name("june.relyon-project")
    with open_store(source) as store, path.open("wb") as file:
        pack_project(store, store.projects.get("Restored").id, file)
    return path


def ended(
    store: Store, database: str, arguments: list[str], how: signal.Signals, *, after: int = 1
) -> int:
    """Ends a command once it has put items in, and returns its exit code."""
    command = [sys.executable, "-m", "relyon", "judge", *arguments]
    before = count(store, "items")
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        await_true(lambda: count(store, "items") >= before + after, "items")
        assert process.poll() is None
        process.send_signal(how)
        return process.wait(120)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_an_import_is_ended(judging_database: str, tmp_path: Path, how: signal.Signals) -> None:
    file = table(tmp_path)
    with open_store(judging_database) as store:
        project = store.projects.create("June", overlap=2)
        store.grades.add(project.id, [(Item("q0", "before"), [Rating("Ann", 1)])])
        before = rows(store)
        judge = store.accounts.create("Bo")
        arguments = ["import", judging_database, str(file), "--project", "June"]
        code = ended(store, judging_database, arguments, how)
        # In the middle of a statement it may be told as an error: what is left is the same.
        assert (
            code in {signal.SIGKILL: (-9,), signal.SIGTERM: (143, 3), signal.SIGINT: (130, 3)}[how]
        )
        if how == signal.SIGKILL:
            assert count(store, "items") > 1
        assert len(store.grading.take(judge, project.id, count=100)) == 1
        tidy_up(store)
        assert rows(store) == {**before, "users": before["users"] + 1}
        done = subprocess.run([sys.executable, "-m", "relyon", "judge", *arguments], check=True,
                              capture_output=True, text=True)  # fmt: skip
        assert f"{COUNT:,} new items, {COUNT:,} new grades" in done.stderr
        found = measure_progress(store, project.id)
        assert (found.items, found.places, found.filled) == (COUNT + 1, 2 * COUNT + 2, COUNT + 1)
    if "://" not in judging_database:
        check_file(Path(judging_database))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_an_unpacking_is_ended(judging_database: str, archive: Path, how: signal.Signals) -> None:
    with open_store(judging_database) as store:
        before = rows(store)
        arguments = ["import", judging_database, str(archive)]
        assert ended(store, judging_database, arguments, how) in (-9, 143, 3)
        assert store.projects.all() == []
        tidy_up(store)
        assert rows(store) == {**before, "users": 1}
        subprocess.run([sys.executable, "-m", "relyon", "judge", *arguments], check=True)
        project = store.projects.get("Restored")
        packed = io.BytesIO()
        assert pack_project(store, project.id, packed)["actions"] == COUNT
        assert [len(one) for one in store.grades.ratings(project.id).values()] == [1] * COUNT


def test_a_packing_is_killed(source: Path, tmp_path: Path) -> None:
    shutil.copy(source, tmp_path)
    target = tmp_path / "again.relyon-project"
    target.write_text("what was there before")
    command = [sys.executable, "-m", "relyon", "judge", "export", str(tmp_path / "source.db"),
               "--project", "Restored", "--format", "archive", "-o", str(target)]  # fmt: skip
    with subprocess.Popen(command) as process:
        await_true(lambda: list(tmp_path.glob("again*.partial")), "a file that is being written")
        process.kill()
    assert target.read_text() == "what was there before"
    subprocess.run(command, check=True)
    with target.open("rb") as file:
        assert Archive(file).check().name == "Restored"


def many(store: Store, report: Callable[[int, int], None]) -> None:
    title = "t" * 200
    given = [(Item(f"q{n % 50}", f"d{n}", title=title), [Rating("Ann", 1)]) for n in range(COUNT)]
    store.grades.add(store.projects.get("June").id, given, report=report)


def test_the_disk_is_full_during_an_import() -> None:
    with small_disk(24) as disk:
        database = disk.folder / "judging.db"
        with open_store(database, create=True) as store:
            project = store.projects.create("June", overlap=2)
            store.items.add(project.id, [Item("q", "before")])
            if not disk.own:
                pytest.skip("no file system can be mounted here, and this process has to go on")

            def fill(done: int, total: int) -> None:
                if 0 < done < total // 2:
                    disk.fill()

            with pytest.raises(InputError, match="full"):
                many(store, fill)
            disk.free()
            # What could not be taken out is taken out by whoever comes next.
            tidy_up(store)
            assert [item.document for item in store.items.all(project.id)] == ["before"]
            many(store, lambda done, total: None)
            assert measure_progress(store, project.id).items == COUNT + 1
        check_file(database)


def test_the_database_is_locked_during_an_import(tmp_path: Path) -> None:
    database = tmp_path / "judging.db"
    with open_store(database, create=True) as store:
        project = store.projects.create("June", overlap=2)
        held: list[float] = []
        holder = threading.Thread(target=lambda: hold())  # noqa: PLW0108

        def hold() -> None:
            with locked(database):
                time.sleep(1.5)
                held.append(time.monotonic())

        def report(done: int, total: int) -> None:
            if done and holder.ident is None:
                holder.start()
                time.sleep(0.3)

        many(store, report)
        holder.join()
        assert held
        assert measure_progress(store, project.id).filled == COUNT


@pytest.mark.postgres
@pytest.mark.parametrize("work", ["import", "unpack", "remove"])
def test_postgresql_is_started_again(
    archive: Path, work: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "AT_ONCE", 10)
    for name in ("FIRST", "LEAST", "MOST", "FIRST_REMOVAL"):
        monkeypatch.setattr(jobs, name, 1000)
    try:
        with own_postgresql(durable=True) as server:
            address = server.url.format("postgres")
            with open_store(address, create=True) as store:
                project = store.projects.create("June", overlap=2)
                store.items.add(project.id, [Item("q", "before")])
                before = rows(store)
                if work == "remove":
                    many(store, lambda done, total: None)
                again: list[int] = []

                def restart(done: int, total: int) -> None:
                    if done > 1500 and not again:
                        again.append(done)
                        server.stop("immediate")
                        server.start()

                def break_off() -> None:
                    with archive.open("rb") as opened:
                        if work == "import":
                            many(store, restart)
                        elif work == "unpack":
                            unpack_project(store, Archive(opened), report=restart)
                        else:
                            remove_project(store, project, report=restart)

                break_off_or_not(break_off)
                tidy_up(store)
                after = rows(store)
                assert not [job for job in list_jobs(store, project.id) if job.unfinished]
                if work == "remove":
                    assert after["items"] == after["actions"] == after["assignments"] == 0
                elif after["items"] == before["items"]:
                    assert {**after, "users": 0} == {**before, "users": 0}
                else:  # its connections were new, and it went on
                    assert after["items"] == before["items"] + COUNT
                    assert after["actions"] == COUNT
    except UnavailableError as reason:
        skip_without_program(str(reason))


def break_off_or_not(work: Callable[[], None]) -> None:
    """Does something that may fail as a database that is away does, and in no other way."""
    try:
        work()
    except InputError as error:
        if "cannot be used" not in str(error):
            raise
