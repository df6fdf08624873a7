"""A judging database as a file: what is damaged stays as it is; what is new is whole, private."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from relyon.core.errors import InputError
from relyon.judging.files import make_file, readable_by_others
from relyon.judging.records import Item
from relyon.judging.store import open_store

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")


def fill(path: Path) -> None:
    with open_store(path, create=True) as store:
        project = store.projects.create("June")
        store.items.add(project.id, [Item("q", f"d{n}", title="t" * 50) for n in range(500)])


def copy_alone(path: Path) -> None:
    """What a copy of a file holds whose newest part was in the log: nothing but a header."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()


def leave_log(path: Path) -> None:
    Path(f"{path}-wal").write_bytes(b"7" * 5000)


def cut_off(path: Path) -> None:
    fill(path)
    os.truncate(path, path.stat().st_size // 2 + 17)


def cut_header(path: Path) -> None:
    fill(path)
    os.truncate(path, 60)


def make_foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE songs (title)")
    connection.commit()
    connection.close()


def make_newer(path: Path) -> None:
    fill(path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()


DAMAGES: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "empty": (Path.touch, "the file is empty", "judge restore"),
    "log alone": (leave_log, "part of it is in the -wal", "judge restore"),
    "copy without its log": (copy_alone, "no judging tables, like a copy", "judge restore"),
    "cut off": (cut_off, "the file is cut off: it has", "judge restore"),
    "cut header": (cut_header, "the file is cut off: it has 60 bytes", "judge restore"),
    "text": (lambda path: path.write_text("query,grade\n"), "not a SQLite database", "judge init"),
    "folder": (Path.mkdir, "this is a folder", "judging.db"),
    "foreign": (make_foreign, "but others: songs", "another file"),
    "newer": (make_newer, "version 9999, which this relyon does not know", "--upgrade"),
}


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_told_and_stays_as_it_is(
    damage: str, create: bool, tmp_path: Path
) -> None:
    path = tmp_path / "judging.db"
    make, message, hint = DAMAGES[damage]
    make(path)
    before = {one.name: one.is_file() and one.read_bytes() for one in tmp_path.iterdir()}
    with pytest.raises(InputError) as told:
        open_store(path, create=create)
    assert message in told.value.message
    assert hint in told.value.hint
    after = {one.name: one.is_file() and one.read_bytes() for one in tmp_path.iterdir()}
    assert after == before


def test_a_file_that_is_not_there_is_made_only_if_it_may(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this database does not exist"):
        open_store(tmp_path / "judging.db")
    with pytest.raises(InputError, match="cannot be created: No such file or directory"):
        open_store(tmp_path / "nowhere" / "judging.db", create=True)
    assert list(tmp_path.iterdir()) == []


def test_pages_that_are_damaged_name_the_backup(tmp_path: Path) -> None:
    path = tmp_path / "judging.db"
    fill(path)
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * (path.stat().st_size - 8192))
    with pytest.raises(InputError, match="malformed") as told, open_store(path) as store:
        store.grades.ratings(store.projects.get("June").id)
    assert "judge restore" in told.value.hint


@POSIX
def test_files_are_private_and_wider_ones_are_named(tmp_path: Path) -> None:
    path = tmp_path / "judging.db"
    before = os.umask(0o002)
    try:
        with open_store(path, create=True) as store:
            store.projects.create("June")
            modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(["judging.db", "judging.db-wal", "judging.db-shm"], 0o600)
    assert readable_by_others(str(path)) == []
    path.chmod(0o640)
    assert readable_by_others(str(path)) == [str(path)]


def test_a_file_that_could_not_be_filled_leaves_nothing(tmp_path: Path) -> None:
    def fail(path: str) -> None:
        Path(path).write_text("half")
        raise InputError("full")

    with pytest.raises(InputError, match="full"):
        make_file(str(tmp_path / "judging.db"), fail)
    assert list(tmp_path.iterdir()) == []


def fill_with(text: str) -> Callable[[str], None]:
    def fill(path: str) -> None:
        Path(path).write_text(text)

    return fill


def test_the_first_of_two_that_make_a_file_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "judging.db"

    def fill_late(name: str) -> None:
        path.write_text("first")
        Path(name).write_text("second")

    assert not make_file(str(path), fill_late)
    assert path.read_text() == "first"
    monkeypatch.setattr(os, "link", refuse)
    assert not make_file(str(path), fill_late)
    assert path.read_text() == "first"
    path.unlink()
    assert make_file(str(path), fill_with("third"))
    assert path.read_text() == "third"
    assert make_file(str(path), fill_with("4"), existing="replace")
    assert path.read_text() == "4"
    assert list(tmp_path.iterdir()) == [path]


def refuse(*arguments: object) -> None:
    raise OSError("this file system has no links")


@pytest.fixture
def sealed() -> Iterator[Callable[[Path], Path]]:
    """Copies a database and what is beside it to a medium that is read-only then."""
    with tempfile.TemporaryDirectory(prefix="relyon-sealed-") as name:
        mount = ["mount", "-t", "tmpfs", "tmpfs", name]
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
        if not mounted and os.geteuid() == 0:
            pytest.skip("root writes everywhere, and may mount nothing here")

        def seal(path: Path) -> Path:
            for one in path.parent.glob(f"{path.name}*"):
                shutil.copy(one, name)
                os.chmod(Path(name) / one.name, 0o444)
            if mounted:
                subprocess.run(["mount", "-o", "remount,ro", name], check=True)
            else:
                os.chmod(name, 0o555)
            return Path(name) / path.name

        yield seal
        os.chmod(name, 0o755) if not mounted else None
        if mounted:
            subprocess.run(["umount", "--lazy", name], check=True)


@POSIX
def test_a_read_only_medium_can_be_read(tmp_path: Path, sealed: Callable[[Path], Path]) -> None:
    fill(tmp_path / "judging.db")
    path = sealed(tmp_path / "judging.db")
    with open_store(path) as store:
        assert store.projects.get("June").name == "June"
        with pytest.raises(InputError, match="readonly") as told:
            store.projects.create("July")
        assert "copy it to a writable place" in told.value.hint
        assert store.database.checkpoint()
    with pytest.raises(InputError, match="cannot be written here") as told:
        open_store(path, create=True)
    assert "judge export" in told.value.hint


@POSIX
def test_a_read_only_copy_with_its_log_is_not_read_without_it(
    tmp_path: Path, sealed: Callable[[Path], Path]
) -> None:
    with open_store(tmp_path / "judging.db", create=True) as store:
        store.projects.create("June")
        path = sealed(tmp_path / "judging.db")
    # Readable with its lock file, or refused; never read as if the log were not there.
    try:
        with open_store(path) as store:
            assert store.projects.get("June").name == "June"
    except InputError as error:
        assert "the -wal beside it" in error.hint  # noqa: PT017


def test_a_checkpoint_leaves_everything_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "judging.db"
    with open_store(path, create=True) as store:
        store.projects.create("June")
        with store.database.read() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM users").scalar_one()
            store.accounts.create("ann")
            assert not store.database.checkpoint(patience=0.05)
        assert store.database.checkpoint()
        assert os.path.getsize(f"{path}-wal") == 0
        shutil.copy(path, tmp_path / "copy.db")
    with open_store(tmp_path / "copy.db") as store:
        assert store.projects.get("June").name == "June"
        assert store.accounts.get("ann").name == "ann"


@pytest.mark.long
def test_a_program_that_is_killed_while_it_makes_a_database_leaves_none(tmp_path: Path) -> None:
    path = tmp_path / "judging.db"
    code = (
        "import os, sys\n"
        "from relyon.judging.database import Database\n"
        "from relyon.judging.store import open_store\n"
        "upgrade = Database.upgrade\n"
        "def half(self):\n"
        "    with self.write() as connection:\n"
        "        connection.exec_driver_sql('CREATE TABLE users (id)')\n"
        "    os.kill(os.getpid(), 9)\n"
        "Database.upgrade = half\n"
        "open_store(sys.argv[1], create=True)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert done.returncode != 0
    assert not path.exists()
    fill(path)


@pytest.mark.long
def test_programs_that_make_a_database_at_once_share_one(tmp_path: Path) -> None:
    path = tmp_path / "judging.db"
    code = (
        "import sys\n"
        "from relyon.judging.store import open_store\n"
        "with open_store(sys.argv[1], create=True) as store:\n"
        "    store.projects.create(sys.argv[2])"
    )
    command = [sys.executable, "-c", code, str(path)]
    running = [subprocess.Popen([*command, str(number)]) for number in range(4)]
    assert [one.wait(60) for one in running] == [0] * 4
    with open_store(path) as store:
        assert sorted(one.name for one in store.projects.all()) == ["0", "1", "2", "3"]
