"""How long the pages of a large project take, in a database that is made for it.

    python bench/judging_pages.py --items 1000000 --database pages.db

The database is an SQLite file, created if missing: a project with so many results, three in ten
graded twice by twenty judges. Each page is asked for as a lead, and the next results as a judge;
first with nothing kept from before, then again, then after one more grade.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import islice
from pathlib import Path

from fastapi.testclient import TestClient

from relyon.app import create_app
from relyon.judging.access import create_token, start_sign_in
from relyon.judging.bulk import insert_rows
from relyon.judging.records import Item
from relyon.judging.schema import actions, assignments, items
from relyon.judging.store import Store, open_store
from relyon.judging.table_rows import item_row

JUDGES = 20
BATCH = 20_000
GRADED = 0.3


def build(path: str, count: int) -> None:
    """Makes the database."""
    with open_store(path, create=True) as store:
        project = store.projects.create("large", overlap=2, gold_share=0.05)
        judges = [store.accounts.create(f"judge {n}").id for n in range(JUDGES)]
        store.accounts.create("lead", role="admin")
        numbers = iter(range(1, count + 1))
        action = 0
        while batch := list(islice(numbers, BATCH)):
            rows, said, places = [], [], []
            for n in batch:
                item = Item(f"query {n // 20}", f"d{n}", title=f"Title of {n}", tier="head")
                rows.append({**item_row(item, project, 1.0), "id": n})
                for slot in (0, 1):
                    graded = n % 10 < GRADED * 10
                    judge = judges[(n + slot * (1 + n % 7)) % JUDGES] if graded else None
                    if graded:
                        action += 1
                        grade = float((n * 7 + slot * (n % 5 == 0)) % 4)
                        said.append((action, project.id, n, judge, "grade", grade, 2.5,
                                     f"k{n}", 2.0))  # fmt: skip
                    state = "done" if graded else "open"
                    places.append((project.id, n, slot, judge, state, action if graded else None))
            with store.database.write() as connection:
                insert_rows(connection, items, list(rows[0]), [tuple(one.values()) for one in rows])
                insert_rows(
                    connection,
                    actions,
                    ["id", "project_id", "item_id", "user_id", "kind", "grade", "seconds", "key",
                     "created_at"],
                    said,
                )  # fmt: skip
                insert_rows(
                    connection,
                    assignments,
                    ["project_id", "item_id", "slot", "user_id", "state", "action_id"],
                    places,
                )
            print(f"{batch[-1]:,}", file=sys.stderr, end="\r", flush=True)


def ask(client: TestClient, method: str, path: str, **more: object) -> float:
    """Returns the seconds that an answer takes."""
    start = time.perf_counter()
    answer = client.request(method, path, **more)  # type: ignore[arg-type]
    took = time.perf_counter() - start
    if answer.status_code not in (200, 202):
        raise RuntimeError(f"{path}: {answer.status_code} {answer.text[:300]}")
    return took


def measure(store: Store) -> None:
    """Asks for every page and prints how long each took."""
    app = create_app(store)
    lead, judge = TestClient(app), TestClient(app)
    lead.cookies.set("relyon_session", start_sign_in(store, store.accounts.get("lead")))
    judge.headers["Authorization"] = (
        f"Bearer {create_token(store, store.accounts.get('judge 3'), 'x')}"
    )
    pages = [
        (lead, "GET", "/"),
        (lead, "GET", "/projects/1"),
        (lead, "GET", "/projects/1/queue"),
        (lead, "GET", "/projects/1/agreement"),
        (lead, "GET", "/projects/1/judge"),
        (judge, "GET", "/api/projects/1/progress"),
        (judge, "POST", "/api/projects/1/tasks?count=12"),
        (lead, "GET", "/api/projects/1/status"),
        (lead, "GET", "/api/projects/1/queue?limit=20"),
    ]
    print(f"{'':44}{'first':>9}{'again':>9}{'after a grade':>15}")
    for client, method, path in pages:
        times = [ask(client, method, path) for _ in range(2)]
        tasks = judge.post("/api/projects/1/tasks?count=1").json()["tasks"]
        action = {"kind": "grade", "key": f"{time.time_ns()}", "item_id": tasks[0]["id"]}
        graded = ask(judge, "POST", "/api/actions", json={**action, "grade": 1})
        times.append(ask(client, method, path))
        print(
            f"{method + ' ' + path:44}" + "".join(f"{1e3 * one:8.0f} " for one in times), flush=True
        )
    print(f"a grade: {1e3 * graded:.0f} ms")


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", default="pages.db")
    parser.add_argument("--items", type=int, default=1_000_000)
    chosen = parser.parse_args()
    if not Path(chosen.database).exists():
        build(chosen.database, chosen.items)
    with open_store(chosen.database) as store:
        measure(store)


if __name__ == "__main__":
    main()
