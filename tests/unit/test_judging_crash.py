"""A program that is killed in the middle of its work: no grade is lost, none is stored twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from relyon.judging.actions import Action
from relyon.judging.progress import measure_progress
from relyon.judging.records import Item
from relyon.judging.store import Store, open_store

pytestmark = pytest.mark.long

#: Grades with keys that depend on the item alone, and says so once the answer is there.
WORKER = """
import sys
from relyon.judging import Action, open_store

with open_store(sys.argv[1]) as store:
    user = store.accounts.get(sys.argv[2])
    project = store.projects.get("June")
    while tasks := store.grading.take(user, project.id, count=5):
        for task in tasks:
            key = f"grade {task.item.id}"
            store.grading.record(user, Action("grade", key, item_id=task.item.id, grade=2))
            print(task.item.id, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9")
def test_kill_9_loses_no_confirmed_grade(database: str, tmp_path: Path) -> None:
    with open_store(database, create=True) as store:
        project = store.projects.create("June", overlap=2)
        store.items.add(project.id, [Item("q", f"d{n}") for n in range(300)])
        names = ["Ann", "Bo", "Cy"]
        for name in names:
            store.accounts.create(name)
        confirmed: set[tuple[str, int]] = set()
        for wait in (10, 25):
            confirmed |= killed_after(wait, database, names, tmp_path)
            stored = {
                (rating.judge, item)
                for item, ratings in store.grades.ratings(project.id).items()
                for rating in ratings
            }
            assert confirmed <= stored
            # At most the one action whose answer was on its way when the program died.
            assert len(stored) <= len(confirmed) + 2 * len(names)
        assert len(confirmed) >= 35
        send_again(store, confirmed)
        finish(store, names)
        times = Counter(
            (action["judge"], action["item_id"]) for action in store.grades.history(project.id)
        )
        assert set(times.values()) == {1}
        assert measure_progress(store, project.id).finished == 300


def killed_after(lines: int, database: str, names: list[str], folder: Path) -> set[tuple[str, int]]:
    """Lets judges work, kills them after some confirmed grades, and returns what was confirmed."""
    outputs = [folder / f"{name} {lines}.txt" for name in names]
    workers = []
    for name, output in zip(names, outputs, strict=True):
        with output.open("wb") as file:
            workers.append(
                subprocess.Popen([sys.executable, "-c", WORKER, database, name], stdout=file)
            )
    deadline = time.monotonic() + 60
    while sum(output.read_bytes().count(b"\n") for output in outputs) < lines:
        assert time.monotonic() < deadline
        assert all(worker.poll() is None for worker in workers)
        time.sleep(0.01)
    for worker in workers:
        worker.send_signal(signal.SIGKILL)
    for worker in workers:
        worker.wait(30)
    return {
        (name, int(line))
        for name, output in zip(names, outputs, strict=True)
        for line in output.read_text("utf-8").split("\n")[:-1]
    }


def send_again(store: Store, confirmed: set[tuple[str, int]]) -> None:
    """What a browser does that never saw the answers."""
    for name, item in confirmed:
        receipt = store.grading.record(
            store.accounts.get(name), Action("grade", key=f"grade {item}", item_id=item, grade=2)
        )
        assert receipt.repeated


def finish(store: Store, names: list[str]) -> None:
    project = store.projects.get("June")
    for user in map(store.accounts.get, names):
        while tasks := store.grading.take(user, project.id, count=100):
            for task in tasks:
                key = f"grade {task.item.id}"
                store.grading.record(user, Action("grade", key=key, item_id=task.item.id, grade=2))


def test_without_the_packages_it_is_said_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['sqlalchemy'] = None\n"
        "from relyon.cli.application import main\n"
        "main(['judge', 'status', 'judging.db'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 4
    assert "pip install 'relyon[judge]'" in done.stderr
