"""Grades that one `relyon judge serve` takes from many judges at once, over HTTP.

    python bench/judging_load.py --database sqlite
    python bench/judging_load.py --database postgresql
    python bench/judging_load.py --database postgresql://USER@HOST/NAME --judges 20
    python bench/judging_load.py --import 100000
    python bench/judging_load.py --strangers 4

`sqlite` is a file in a temporary folder; `postgresql` a server of its own, started for the
measurement, with every commit on the disk as usual. A URL must be of an empty database. The judges
run on the same machine and take time from the server. With `--import` so many results are imported
into the same project meanwhile, by `relyon judge import`; with `--strangers` so many who are not
signed in send bodies of 31 MiB without a pause.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import os
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from relyon.judging.access import create_token
from relyon.judging.records import Item
from relyon.judging.store import open_store

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.flood import Memory, flood
from bench.postgresql import serve_postgresql

OVERLAP = 2


@dataclass(frozen=True)
class Load:
    """The results of one run.

    Attributes:
        grades: Grades a second.
        half: Milliseconds within which half of the grades were stored.
        most: Milliseconds within which 99% of them were.
        slowest: Milliseconds that the slowest one took.
        imported: Seconds that the import took; NaN without one, or where it was not done in time.
        memory: MiB that the server took at most.
    """

    grades: float
    half: float
    most: float
    slowest: float
    imported: float
    memory: float


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


@contextmanager
def databases(kind: str) -> Iterator[str]:
    """Yields the address of an empty database."""
    if kind == "sqlite":
        with TemporaryDirectory() as folder:
            yield str(Path(folder) / "judging.db")
    elif kind == "postgresql":
        with serve_postgresql(durable=True) as url:
            yield url.format("postgres")
    else:
        yield kind


def start_import(address: str, folder: str, count: int) -> subprocess.Popen[bytes]:
    """Imports results into the project, as an operator would."""
    path = Path(folder) / "more.csv"
    lines = "".join(f"more {n // 20},x{n},Title of {n}\n" for n in range(count))
    path.write_text(f"query,document,title\n{lines}", "utf-8")
    command = [sys.executable, "-m", "relyon", "judge", "import", address, str(path)]
    return subprocess.Popen([*command, "--project", "load"], stderr=subprocess.DEVNULL)


def measure(
    address: str, judges: int, seconds: float, items: int, more: int, strangers: int
) -> Load:
    """Runs a server and its judges once."""
    with open_store(address, create=True) as store:
        project = store.projects.create("load", overlap=OVERLAP)
        store.items.add(project.id, [Item(f"q{n // 10}", f"d{n}") for n in range(items)])
        tokens = [
            create_token(store, store.accounts.create(f"j{n}"), "load") for n in range(judges)
        ]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "relyon", "judge", "serve", address, "--port", str(port)]
    times: list[float] = []
    bad: list[int] = []
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
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
        imported = math.nan
        with TemporaryDirectory() as folder, Memory(server.pid) as memory, flood(port, strangers):
            bringing = start_import(address, folder, more) if more else None
            for thread in threads:
                thread.join()
            took = time.monotonic() - start
            if bringing is not None:
                bringing.wait()
                imported = time.monotonic() - start
        server.terminate()
    with open_store(address) as store:
        counts = [len(found) for found in store.grades.ratings(1).values()]
    if bad or sum(counts) != len(times) or max(counts) > OVERLAP:
        raise RuntimeError(f"refused {bad}, {sum(counts)} of {len(times)} stored, {max(counts)=}")
    times.sort()
    half, most = (1e3 * times[int(len(times) * share)] for share in (0.5, 0.99))
    return Load(len(times) / took, half, most, 1e3 * times[-1], imported, memory.most)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", default="sqlite", help="sqlite, postgresql, or a URL")
    parser.add_argument("--judges", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--import", dest="more", type=int, default=0, help="results meanwhile")
    parser.add_argument("--strangers", type=int, default=0, help="who send large bodies meanwhile")
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    loads = []
    for number in range(1, 2 if "://" in chosen.database else chosen.runs + 1):
        with databases(chosen.database) as address:
            load = measure(
                address,
                chosen.judges,
                chosen.seconds,
                chosen.items,
                chosen.more,
                chosen.strangers,
            )
        print(f"run {number}: {load}", file=sys.stderr, flush=True)
        loads.append(load)
    grades, half, most, slowest, memory = (
        statistics.median(getattr(one, name) for one in loads)
        for name in ("grades", "half", "most", "slowest", "memory")
    )
    print(
        f"{chosen.judges} judges on {chosen.database}, {os.cpu_count()} cores, median of"
        f" {len(loads)}: {grades:.0f} grades a second, p50 {half:.0f} ms, p99 {most:.0f} ms,"
        f" slowest {slowest:.0f} ms, {memory:.0f} MiB"
    )


if __name__ == "__main__":
    main()
