"""How long a page of the list of results takes, in a small project and in one of a million.

    python bench/result_pages.py --items 10000 1000000 --folder /tmp/pages

Each size is an SQLite file that is made if missing; `--postgresql URL` names an empty database
instead, for each size. Every filter is asked for with every order, as a browser of a lead does. The
table
shows the median time in milliseconds, and how many times that of the smallest project it is.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from itertools import product
from pathlib import Path

from fastapi.testclient import TestClient

from bench.judging_pages import build
from relyon.app import create_app
from relyon.judging.access import start_sign_in
from relyon.judging.bulk import update_statistics
from relyon.judging.result_rows import follow
from relyon.judging.store import Store, open_store

ORDERS = ("newest", "query", "spread", "added")
#: Names of filters, and what they ask for; `{rare}` occurs in one result, near the end.
FILTERS = {
    "everything": "",
    "query contains": "query=query+3",
    "the whole query": "query=query+7&exact=true",
    "rare text": "text=Title+of+{rare}",
    "a judge": "judge=2",
    "a judge's grade": "judge=2&lowest=3&highest=3",
    "a grade": "lowest=2&highest=2",
    "a tier": "tier=head",
    "no such tier": "tier=none",
    "open": "state=open",
    "disagreements": "state=disagreement",
    "removed": "state=removed",
    "with a note": "noted=true",
    "imported": "imported=true",
    "a time": "since=1970-01-01&until=1970-01-02",
}


def prepare(address: str, count: int) -> Store:
    """Returns a database with so many results, listed."""
    if "://" in address or not Path(address).exists():
        build(address, count)
    store = open_store(address)
    start = time.perf_counter()
    while (share := follow(store, 1, seconds=5)) < 1:
        print(f"{count:,}: listed {share:.0%}", file=sys.stderr, end="\r", flush=True)
    took = time.perf_counter() - start
    if took > 1:
        print(f"{count:,} results were listed in {took:.0f} s")
    update_statistics(store.database)
    return store


def measure(store: Store, count: int, repeats: int) -> dict[tuple[str, str], float]:
    """Returns the median seconds of each filter and order."""
    client = TestClient(create_app(store))
    client.cookies.set("relyon_session", start_sign_in(store, store.accounts.get("lead")))
    found: dict[tuple[str, str], float] = {}
    for (name, asked), order in product(FILTERS.items(), ORDERS):
        address = f"/projects/1/results?order={order}&{asked.format(rare=count - count // 20)}"
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            answer = client.get(address)
            times.append(time.perf_counter() - start)
            if answer.status_code != 200:
                raise RuntimeError(f"{address}: {answer.status_code} {answer.text[:300]}")
        found[name, order] = statistics.median(times)
    return found


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--folder", default=".")
    parser.add_argument("--postgresql", nargs="+", help="an empty database for each size")
    parser.add_argument("--repeats", type=int, default=5)
    chosen = parser.parse_args()
    addresses = chosen.postgresql or [f"{chosen.folder}/{count}.db" for count in chosen.items]
    tables = []
    for count, address in zip(chosen.items, addresses, strict=True):
        with prepare(address, count) as store:
            tables.append(measure(store, count, chosen.repeats))
    print(f"{'':18}{'order':>9}" + "".join(f"{count:>12,}" for count in chosen.items) + "   times")
    worst = 0.0
    for name, order in tables[0]:
        took = [1e3 * one[name, order] for one in tables]
        worst = max(worst, took[-1] / took[0])
        print(f"{name:18}{order:>9}" + "".join(f"{one:12.0f}" for one in took)
              + f"{took[-1] / took[0]:8.1f}")  # fmt: skip
    print(f"at most {worst:.1f} times")


if __name__ == "__main__":
    main()
