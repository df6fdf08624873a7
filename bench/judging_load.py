"""Grades that one `relkit judge serve` takes from many judges at once, over HTTP, on SQLite.

    python bench/judging_load.py [JUDGES] [SECONDS]

The judges run on the same machine and take time from the server.
"""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from relkit.judging.access import create_token
from relkit.judging.records import Item
from relkit.judging.store import open_store

ITEMS, OVERLAP = 1500, 2


def grade(port: int, token: str, end: float, times: list[float], bad: list[int]) -> None:
    """Grades until the time is over or nothing is left."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    while time.monotonic() < end:
        connection.request("POST", "/api/projects/1/tasks?count=12", headers=headers)
        tasks = json.load(connection.getresponse())["tasks"]
        if not tasks:
            return
        for task in tasks:
            item = task["id"]
            action = {"kind": "grade", "key": f"{item}", "item_id": item, "grade": item % 4}
            start = time.perf_counter()
            connection.request("POST", "/api/actions", json.dumps(action), headers)
            answer = connection.getresponse()
            answer.read()
            times.append(time.perf_counter() - start)
            if answer.status != 200:
                bad.append(answer.status)


def main(judges: int = 50, seconds: float = 15.0) -> None:
    """Measures and prints."""
    with TemporaryDirectory() as folder:
        database = Path(folder) / "judging.db"
        with open_store(database, create=True) as store:
            project = store.create_project("load", overlap=OVERLAP)
            store.add_items(project.id, [Item(f"q{n // 10}", f"d{n}") for n in range(ITEMS)])
            tokens = [
                create_token(store, store.create_user(f"j{n}"), "load") for n in range(judges)
            ]
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "relkit", "judge", "serve", str(database)]
        times: list[float] = []
        bad: list[int] = []
        with subprocess.Popen(
            [*command, "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as server:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.1)
            start = time.monotonic()
            threads = [
                threading.Thread(target=grade, args=(port, token, start + seconds, times, bad))
                for token in tokens
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            took = time.monotonic() - start
            server.terminate()
        with open_store(database) as store:
            counts = [len(found) for found in store.ratings(1).values()]
    times.sort()
    print(
        f"{judges} judges: {len(times)} grades, {len(times) / took:.0f} a second,"
        f" p50 {1e3 * times[len(times) // 2]:.0f} ms,"
        f" p99 {1e3 * times[int(len(times) * 0.99)]:.0f} ms; refused {len(bad)},"
        f" stored {sum(counts)}, at most {max(counts)} of {OVERLAP} an item"
    )


if __name__ == "__main__":
    main(*(kind(text) for kind, text in zip((int, float), sys.argv[1:], strict=False)))
