"""What goes wrong on a real machine, made to happen: for tests of what is lost then.

with small_disk(8) as disk:
    with Server(disk.folder / "judging.db") as server, Graders(server, prepare(...)) as judges:
        judges.await_more(50)
        disk.fill(server.pid)
        ...
        disk.free()
        judges.await_more(50)
    check_grades(database, judges)
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.web.server import Server

from relyon.judging.access import create_token
from relyon.judging.records import Item
from relyon.judging.store import open_store

PATIENCE = 60.0


def await_true(happened: Callable[[], object], what: str, patience: float = PATIENCE) -> None:
    """Waits until something has happened."""
    end = time.monotonic() + patience
    while not happened():
        assert time.monotonic() < end, f"after {patience} s not yet: {what}"
        time.sleep(0.01)


class SmallDisk:
    """A folder whose disk can be filled, and freed again.

    It is a file system of its own in memory where this user may mount one; otherwise the processes
    that are named are kept from making files longer, which programs meet in the same places.

    Attributes:
        folder: Where to put files.
        own: Whether it is a file system of its own.
    """

    def __init__(self, folder: Path, *, own: bool) -> None:
        self.folder = folder
        self.own = own
        self._limits: dict[int, tuple[int, int]] = {}

    @property
    def _filler(self) -> Path:
        return self.folder / "filler"

    def fill(self, *processes: int, leave: int = 0) -> None:
        """Leaves no more than some bytes; `processes` are those that are to notice."""
        if not self.own:
            for process in processes:
                limit = resource.prlimit(process, resource.RLIMIT_FSIZE)
                self._limits.setdefault(process, limit)
                resource.prlimit(process, resource.RLIMIT_FSIZE, (leave, limit[1]))
            return
        with self._filler.open("ab", buffering=0) as file:
            with contextlib.suppress(OSError):
                while file.write(bytes(4096)):
                    pass
            assert shutil.disk_usage(self.folder).free == 0
            file.truncate(max(0, file.tell() - leave))

    def free(self) -> None:
        """Gives the room back."""
        self._filler.unlink(missing_ok=True)
        for process, limit in self._limits.items():
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(process, resource.RLIMIT_FSIZE, limit)
        self._limits.clear()


@contextmanager
def small_disk(megabytes: int, *, own: bool = True) -> Iterator[SmallDisk]:
    """Makes a disk of a few megabytes; with `own=False` as where none may be mounted."""
    with tempfile.TemporaryDirectory(prefix="relyon-disk-") as name:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", name]
        try:
            own = own and subprocess.run(mount, capture_output=True, check=False).returncode == 0
        except FileNotFoundError:
            own = False
        disk = SmallDisk(Path(name), own=own)
        try:
            yield disk
        finally:
            disk.free()
            if own:
                subprocess.run(["umount", "--lazy", name], check=True)


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Holds the lock of a writer on a SQLite file, as a program that hangs would."""
    holder = sqlite3.connect(database, isolation_level=None, timeout=PATIENCE)
    try:
        holder.execute("BEGIN IMMEDIATE")
        yield
        holder.execute("ROLLBACK")
    finally:
        holder.close()


def prepare(address: str | Path, *, judges: int = 4, items: int = 2000) -> list[str]:
    """Makes a database with the project June and judges, and returns a token for each."""
    with open_store(address, create=True) as store:
        project = store.projects.create("June", overlap=2)
        store.items.add(project.id, [Item(f"q{n % 20}", f"d{n}") for n in range(items)])
        users = [store.accounts.create(f"judge {number}") for number in range(judges)]
        return [create_token(store, user, "test") for user in users]


class Graders:
    """Judges who grade over HTTP whatever happens; what is not confirmed is sent again.

    At the end each sends until its last grade is confirmed: end a fault before it.

    Attributes:
        confirmed: The grades that the server said it has stored, by judge and document.
        answers: How often which status was answered; 0 stands for no answer at all.
    """

    def __init__(self, server: Server, tokens: list[str]) -> None:
        self.confirmed: dict[tuple[str, str], float] = {}
        self.answers: Counter[int] = Counter()
        self._server = server
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._grade, args=(f"judge {number}", token), daemon=True)
            for number, token in enumerate(tokens)
        ]

    def __enter__(self) -> Graders:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._stop.set()
        end = time.monotonic() + PATIENCE
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        if reason[0] is None:
            assert not any(thread.is_alive() for thread in self._threads), self.answers

    def await_more(self, count: int) -> None:
        """Waits until some more grades are confirmed."""
        enough = len(self.confirmed) + count
        await_true(lambda: len(self.confirmed) >= enough, f"{count} more grades: {self.answers}")

    def await_answer(self, *statuses: int) -> None:
        """Waits until one of some statuses has been answered once more."""
        before = sum(self.answers[status] for status in statuses)
        await_true(
            lambda: sum(self.answers[status] for status in statuses) > before,
            f"an answer {statuses}: {self.answers}",
        )

    def _grade(self, judge: str, token: str) -> None:
        while not self._stop.is_set():
            found = self._send("/api/projects/1/tasks?count=5", {}, token)
            for task in found.get("tasks", []):
                # Judges know items by other numbers than the store.
                item, grade = task["document"], int(task["document"][1:]) % 4
                action = {
                    "kind": "grade", "key": f"k{item}", "item_id": task["id"], "grade": grade,
                }  # fmt: skip
                while (receipt := self._send("/api/actions", action, token)) == {}:
                    time.sleep(0.02)
                assert (receipt["kind"], receipt["grade"]) == ("grade", grade), receipt
                self.confirmed[judge, item] = grade
                if self._stop.is_set():
                    return
            if found.get("tasks") == []:
                return

    def _send(self, path: str, body: dict[str, Any], token: str) -> dict[str, Any]:
        """Returns an answer, and an empty one where there was none or the server was at fault."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=PATIENCE)
        try:
            connection.request("POST", path, json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            self.answers[0] += 1
            time.sleep(0.02)
            return {}
        finally:
            connection.close()
        self.answers[answer.status] += 1
        assert answer.status in {200, 503}, (answer.status, text)
        return dict(json.loads(text)) if answer.status == 200 else {}


def check_grades(address: str | Path, graders: Graders) -> None:
    """Fails if a confirmed grade is lost or changed, or any is stored twice."""
    with open_store(address) as store:
        project = store.projects.get("June")
        documents = {item.id: item.document for item in store.items.all(project.id)}
        stored = {
            (rating.judge, documents[item]): rating.grade
            for item, ratings in store.grades.ratings(project.id).items()
            for rating in ratings
        }
        times = Counter(
            (row["judge"], documents[row["item_id"]]) for row in store.grades.history(project.id)
        )
    assert stored == graders.confirmed
    assert set(times.values()) <= {1}
    assert set(times) == set(stored)


def check_file(database: Path) -> None:
    """Fails if a SQLite file is damaged."""
    connection = sqlite3.connect(database)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    finally:
        connection.close()


def stop_process(process: subprocess.Popen[Any]) -> None:
    """Kills a process as a loss of power would."""
    if process.poll() is None:
        os.kill(process.pid, 9)
    process.wait(PATIENCE)
