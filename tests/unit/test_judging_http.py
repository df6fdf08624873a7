"""Fifty judges at once over HTTP against one server; on SQLite and PostgreSQL."""

from __future__ import annotations

import http.client
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from tests.web.server import Server

from relyon.judging.access import create_token
from relyon.judging.progress import measure_progress
from relyon.judging.records import Item
from relyon.judging.store import open_store

JUDGES, ITEMS, OVERLAP = 50, 200, 2


class Judge:
    """Somebody who grades until nothing is left, and sends some grades twice."""

    def __init__(self, port: int, token: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def post(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        self.connection.request("POST", path, json.dumps(body or {}), self.headers)
        answer = self.connection.getresponse()
        found: dict[str, Any] = json.loads(answer.read())
        assert answer.status == 200, found
        return found

    def grade_all(self) -> int:
        done = 0
        while tasks := self.post("/api/projects/1/tasks?count=3")["tasks"]:
            for task in tasks:
                action = {"kind": "grade", "key": f"k{task['id']}", "item_id": task["id"]}
                for repeated in (False, True)[: 2 if task["id"] % 10 == 0 else 1]:
                    # Judges know items by other numbers than the store.
                    grade = int(task["document"][1:]) % 4
                    receipt = self.post("/api/actions", {**action, "grade": grade})
                    assert (receipt["grade"], receipt["repeated"]) == (grade, repeated)
                done += 1
        self.connection.close()
        return done


@pytest.mark.long
def test_no_pair_is_graded_too_often_and_none_is_left_out(
    judging_database: str,
) -> None:
    with open_store(judging_database) as store:
        project = store.projects.create("June", overlap=OVERLAP)
        store.items.add(project.id, [Item(f"q{n % 20}", f"d{n}") for n in range(ITEMS)])
        tokens = [create_token(store, store.accounts.create(f"j{n}"), "t") for n in range(JUDGES)]
    with Server(judging_database) as server, ThreadPoolExecutor(JUDGES) as pool:
        counts = list(pool.map(lambda token: Judge(server.port, token).grade_all(), tokens))
    with open_store(judging_database) as store:
        ratings = store.grades.ratings(project.id)
        history = store.grades.history(project.id)
        progress = measure_progress(store, project.id)
        numbers = {item.id: int(item.document[1:]) for item in store.items.all(project.id)}
    assert sum(counts) == ITEMS * OVERLAP == len(history) == progress.filled
    assert min(counts) > 0
    assert progress.finished == ITEMS
    assert all(len({one.judge for one in found}) == OVERLAP for found in ratings.values())
    assert all(one.grade == numbers[item] % 4 for item, found in ratings.items() for one in found)
    assert set(Counter((one["judge"], one["item_id"]) for one in history).values()) == {1}
