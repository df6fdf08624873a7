"""Copies of a judging database: whole, checked, made while judges grade, and put back."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

if os.name == "nt":
    pytest.skip("the faults are made with the tools of Unix", allow_module_level=True)
pytest.importorskip("fastapi")

from tests.databases import create_file
from tests.faults import Graders, check_file, check_grades, locked, prepare, small_disk
from tests.unit.conftest import Command
from tests.web.server import Server

from relyon.core.errors import InputError, ParameterError
from relyon.judging import backup as module
from relyon.judging.backup import back_up, check_copy, restore
from relyon.judging.records import Item
from relyon.judging.store import open_store

pytestmark = pytest.mark.long


def fill(path: Path, items: int = 300) -> None:
    with open_store(create_file(path)) as store:
        project = store.projects.create("June")
        store.items.add(project.id, [Item("q", f"d{n}", title="t" * 300) for n in range(items)])


def names(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir()}


def test_a_copy_holds_what_is_in_the_log_and_stands_alone(tmp_path: Path) -> None:
    path, copy = tmp_path / "judging.db", tmp_path / "copy.db"
    steps: list[tuple[int, int, str]] = []
    with open_store(path, create=True) as store:
        project = store.projects.create("June")
        store.items.add(project.id, [Item("q", f"d{n}") for n in range(300)])
        made = back_up(path, copy, progress=lambda *step: steps.append(step))
        store.projects.create("July")
    assert (made.rows["items"], made.rows["projects"]) == (300, 1)
    assert made.bytes == copy.stat().st_size
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert steps[-1] == (steps[-1][1], steps[-1][1], "checking")
    assert names(tmp_path) == {"judging.db", "copy.db"}
    before = copy.read_bytes()
    assert check_copy(copy) == made
    assert copy.read_bytes() == before
    with open_store(copy) as store:
        assert [one.name for one in store.projects.all()] == ["June"]


def test_a_file_that_is_there_stays_unless_it_is_to_be_replaced(tmp_path: Path) -> None:
    path, copy = tmp_path / "judging.db", tmp_path / "copy.db"
    fill(path)
    copy.write_text("what somebody had")
    with pytest.raises(InputError, match="the file already exists") as told:
        back_up(path, copy)
    assert "--force" in told.value.hint
    assert copy.read_text() == "what somebody had"
    back_up(path, copy, existing="replace")
    assert check_copy(copy).rows["items"] == 300
    with pytest.raises(ParameterError, match="the database itself"):
        back_up(path, path, existing="replace")
    with pytest.raises(InputError, match="cannot be created"):
        back_up(path, tmp_path / "nowhere" / "copy.db")
    with pytest.raises(InputError, match="this database does not exist"):
        back_up(tmp_path / "nothing.db", tmp_path / "other.db")
    assert names(tmp_path) == {"judging.db", "copy.db"}


def test_a_file_that_comes_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, copy = tmp_path / "judging.db", tmp_path / "copy.db"
    fill(path)
    whole = module._copy

    def slow(*arguments: object) -> None:
        whole(*arguments)  # type: ignore[arg-type]
        copy.write_text("somebody else's")

    monkeypatch.setattr(module, "_copy", slow)
    with pytest.raises(InputError, match="the file already exists"):
        back_up(path, copy)
    assert copy.read_text() == "somebody else's"


def test_a_copy_that_lacks_something_gets_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "judging.db"
    fill(path)
    counts = iter([1, 2])
    monkeypatch.setattr(module, "_count", lambda *arguments: {"items": next(counts)})
    with pytest.raises(InputError, match="does not match the database"):
        back_up(path, tmp_path / "copy.db")
    assert names(tmp_path) == {"judging.db"}


def spoil_pages(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\xa5" * 20_000)


def spoil_reference(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE items SET project_id = 77 WHERE id = 5")
    connection.commit()
    connection.close()


def make_songs(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE songs (title)")
    connection.commit()
    connection.close()


def make_newer(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (spoil_pages, "damaged|malformed|cannot be used"),
        (spoil_reference, "a row of items names one of projects that is not there"),
        (make_songs, "not a copy of a judging database"),
        (make_newer, "version 9999, which this relyon does not know"),
        (lambda path: os.truncate(path, 9000), "cut off"),
        (lambda path: os.truncate(path, 0), "the file is empty"),
        (Path.unlink, "there is no such file"),
    ],
)
def test_a_damaged_copy_is_not_put_back(spoil, message: str, tmp_path: Path) -> None:
    path, copy = tmp_path / "judging.db", tmp_path / "copy.db"
    fill(path)
    back_up(path, copy)
    spoil(copy)
    before = path.read_bytes()
    with pytest.raises(InputError, match=message):
        restore(copy, path, existing="set_aside")
    assert path.read_bytes() == before
    assert names(tmp_path) <= {"judging.db", "copy.db"}


def test_a_copy_is_put_back_and_the_other_is_kept_with_its_log(tmp_path: Path) -> None:
    path, copy = tmp_path / "judging.db", tmp_path / "copy.db"
    fill(path)
    back_up(path, copy)
    # A server that was killed leaves the newest grades in the log.
    code = (
        "import os, sys\n"
        "from relyon.judging.store import open_store\n"
        "store = open_store(sys.argv[1])\n"
        "store.projects.create('July')\n"
        "os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert os.path.getsize(f"{path}-wal") > 0
    with pytest.raises(InputError, match="a database already exists"):
        restore(copy, path)
    done = restore(copy, path, existing="set_aside")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not os.path.exists(f"{path}-wal")
    with open_store(path) as store:
        assert [one.name for one in store.projects.all()] == ["June"]
    with open_store(done.aside) as store:
        assert [one.name for one in store.projects.all()] == ["June", "July"]
    path.unlink()
    assert restore(copy, path).aside == ""
    assert done.copy.rows["items"] == 300


def test_what_is_left_of_a_database_is_set_aside_too(tmp_path: Path) -> None:
    path, copy = tmp_path / "judging.db", tmp_path / "copy.db"
    fill(copy)
    Path(f"{path}-wal").write_bytes(b"7" * 5000)
    with pytest.raises(InputError, match="a database already exists"):
        restore(copy, path)
    done = restore(copy, path, existing="set_aside")
    assert Path(f"{done.aside}-wal").read_bytes() == b"7" * 5000
    with open_store(path) as store:
        assert store.projects.get("June").name == "June"


def test_a_restore_that_fails_leaves_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, copy = tmp_path / "judging.db", tmp_path / "copy.db"
    fill(path)
    back_up(path, copy)
    before = path.read_bytes()

    def fail(*arguments: object) -> None:
        raise OSError("no links")

    monkeypatch.setattr(os, "link", fail)
    rename = os.rename
    monkeypatch.setattr(os, "rename", lambda a, b: fail() if ".tmp" in str(a) else rename(a, b))
    with pytest.raises(OSError, match="no links"):
        restore(copy, path, existing="set_aside")
    assert path.read_bytes() == before
    assert names(tmp_path) == {"judging.db", "copy.db"}
    with pytest.raises(ParameterError, match="the database itself"):
        restore(path, path, existing="set_aside")


def test_a_database_that_a_server_has_open_is_not_replaced(tmp_path: Path) -> None:
    path, copy = tmp_path / "judging.db", tmp_path / "copy.db"
    fill(path)
    back_up(path, copy)
    with Server(path) as server:
        with pytest.raises(InputError, match="a program has the database open"):
            restore(copy, path, existing="set_aside")
        server.end()
    restore(copy, path, existing="set_aside")


def test_postgresql_names_its_own_programs(tmp_path: Path) -> None:
    address = "postgresql://ann:secret@db.example:5432/judging?sslmode=require"
    with pytest.raises(ParameterError) as told:
        back_up(address, tmp_path / "a.dump")
    url = "'postgresql://ann@db.example:5432/judging?sslmode=require'"
    assert told.value.hint == f"pg_dump --format=custom --file={tmp_path / 'a.dump'} {url}"
    with pytest.raises(ParameterError) as told:
        restore(tmp_path / "a.dump", address)
    assert f"--no-owner --dbname={url} " in told.value.hint
    assert "secret" not in str(told.value)


def test_the_commands(command: Command, files: Path) -> None:
    fill(files / "judging.db")
    done = command("judge", "backup", "judging.db", "copy.db")
    assert done.code == 0
    assert done.out.startswith("copy.db: whole, version ")
    assert "items" in done.out
    assert command("judge", "backup", "judging.db", "copy.db").code == 3
    told = json.loads(
        command("judge", "backup", "judging.db", "copy.db", "--force", "--format", "json").out
    )
    assert (told["file"], told["rows"]["items"]) == ("copy.db", 300)
    done = command("judge", "restore", "copy.db", "judging.db")
    assert (done.code, done.out) == (3, "")
    assert "--force" in done.err
    done = command("judge", "restore", "copy.db", "judging.db", "--force")
    assert done.code == 0
    assert "the existing database is now" in done.err
    assert command("judge", "backup", "postgresql://ann@h/judging", "copy.dump").code == 2


def test_copies_while_judges_grade_hold_what_was_confirmed(tmp_path: Path) -> None:
    path = tmp_path / "judging.db"
    tokens = prepare(path, judges=8, items=3000)
    with Server(path) as server, Graders(server, tokens) as judges:
        for number in range(3):
            judges.await_more(30)
            before = dict(judges.confirmed)
            made = back_up(path, tmp_path / f"{number}.db")
            assert made.rows["actions"] >= len(before)
            with open_store(tmp_path / f"{number}.db") as store:
                project = store.projects.get("June").id
                documents = {item.id: item.document for item in store.items.all(project)}
                stored = store.grades.ratings(project)
            held = {(one.judge, documents[item]) for item, found in stored.items() for one in found}
            assert set(before) <= held
        assert set(judges.answers) == {200}
    check_grades(path, judges)


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "relyon", "judge", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_backup_that_is_killed_leaves_the_older_one(
    number: signal.Signals, tmp_path: Path
) -> None:
    path, copy = tmp_path / "judging.db", tmp_path / "copy.db"
    fill(path, 60_000)
    back_up(path, copy)
    older = copy.read_bytes()
    with open_store(path) as store:
        store.projects.create("July")
    process = start("backup", path, copy, "--force")
    while not list(tmp_path.glob("copy.db.*.tmp")):
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert copy.read_bytes() == older
    for left in tmp_path.glob("copy.db.*"):
        assert stat.S_IMODE(left.stat().st_mode) == 0o600
        # What is left of it is removed by the next one, a day later.
        os.utime(left, (time.time() - 90_000,) * 2)
    assert back_up(path, copy, existing="replace").rows["projects"] == 2
    check_file(path)
    assert names(tmp_path) == {"judging.db", "copy.db"}


@pytest.mark.slow
def test_a_backup_that_is_killed_at_any_time(tmp_path: Path) -> None:
    path, copy = tmp_path / "judging.db", tmp_path / "copy.db"
    fill(path, 60_000)
    begun = time.monotonic()
    process = start("backup", path, copy)
    process.communicate(timeout=60)
    assert process.returncode == 0
    whole = time.monotonic() - begun
    for step in range(20):
        process = start("backup", path, copy, "--force")
        time.sleep(whole * step / 20)
        process.kill()
        process.communicate(timeout=60)
        assert check_copy(copy).rows["items"] == 60_000
    check_file(path)


@pytest.mark.parametrize("own", [True, False])
def test_a_full_disk_leaves_the_older_backup_and_the_judges_alone(
    tmp_path: Path, *, own: bool
) -> None:
    path = tmp_path / "judging.db"
    tokens = prepare(path, items=3000)
    with small_disk(8, own=own) as disk, Server(path) as server, Graders(server, tokens) as judges:
        copy = disk.folder / "copy.db"
        back_up(path, copy)
        older = copy.read_bytes()
        judges.await_more(20)
        if disk.own:
            disk.fill(leave=100_000)
        process = start_small(path, copy) if not own else start("backup", path, copy, "--force")
        _, said = process.communicate(timeout=60)
        assert process.returncode == 3
        assert "the copy cannot be written" in said
        assert copy.read_bytes() == older
        disk.free()
        assert names(disk.folder) == {"copy.db"}
        judges.await_more(20)
        assert set(judges.answers) == {200}
    check_grades(path, judges)


def start_small(path: Path, copy: Path) -> subprocess.Popen[str]:
    """A backup that may make no file longer than 100,000 bytes."""
    code = (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "from relyon.cli.application import main\n"
        f"main(['judge', 'backup', {str(path)!r}, {str(copy)!r}, '--force'])"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_a_writer_that_hangs_does_not_hold_up_a_backup(tmp_path: Path) -> None:
    path = tmp_path / "judging.db"
    fill(path)
    with locked(path):
        begun = time.monotonic()
        assert back_up(path, tmp_path / "copy.db").rows["items"] == 300
        assert time.monotonic() - begun < 20


def test_a_server_that_is_killed_during_a_backup(tmp_path: Path) -> None:
    path = tmp_path / "judging.db"
    tokens = prepare(path, items=6000)
    with Server(path) as server, Graders(server, tokens) as judges:
        for number, name in ((signal.SIGKILL, "kill"), (signal.SIGTERM, "term")):
            judges.await_more(20)
            before = len(judges.confirmed)
            process = start("backup", path, tmp_path / f"{name}.db", "--format", "json")
            while not list(tmp_path.glob(f"{name}.db*")):
                time.sleep(0.001)
            server.end(number)
            out, said = process.communicate(timeout=60)
            assert process.returncode == 0, said
            assert json.loads(out)["rows"]["actions"] >= before
            check_file(tmp_path / f"{name}.db")
            server.start()
        judges.await_more(20)
    check_grades(path, judges)


def test_a_copy_from_a_medium_with_its_log(tmp_path: Path) -> None:
    """Whoever copied both files can put them back as well."""
    path = tmp_path / "judging.db"
    with open_store(path, create=True) as store:
        store.projects.create("June")
        for end in ("", "-wal"):
            shutil.copy(f"{path}{end}", tmp_path / f"raw.db{end}")
    restore(tmp_path / "raw.db", tmp_path / "new.db")
    with open_store(tmp_path / "new.db") as store:
        assert store.projects.get("June").name == "June"
