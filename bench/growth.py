"""How time grows: each work at its size, at half of it, and with one thread.

    python -m bench.run --only growth

The exponent is the base-two logarithm of the quotient: 1 where twice the size takes twice the time.
Threads have -1 where two take half the time of one; what sorting two halves at once gains shows
what the machine has to give.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import relyon
from bench import limits, peers
from bench.targets import Target
from bench.timing import Contender, Workload

__all__ = ["DATA", "GROWTH", "growth"]

DATA = ("msdev", "tables", "dense", "flat", "letor")
HALF, SHORT, ONE = "half the queries", "half the list", "one thread"
#: What reading, and what sorting each list, grow by.
READING = (limits.LINES, f"{limits.LINES}, {HALF}")
SORTING = {
    HALF: (limits.SORT, f"{limits.SORT}, {HALF}"),
    SHORT: (limits.SORT, f"{limits.SORT}, {SHORT}"),
}
THREADS = (f"{limits.SORT}, two threads", limits.SORT)
#: Each work, and what is halved of it.
TEXTS = {
    "TREC text": (HALF, SHORT, ONE),
    "CSV, all quoted": (HALF, ONE),
    "JSON Lines": (HALF, ONE),
    "LETOR": (HALF, ONE),
    "Parquet": (HALF, ONE),
}
LISTS = {
    "NDCG@10": ["ndcg@10"],
    "five measures and PNR": [*peers.FIVE, "pnr"],
}
#: A file in cache costs more than one that is not, and lists of 100 sort by other means than of 50.
MOST = {HALF: 1.1, SHORT: 1.2, ONE: -0.6}


def _targets() -> Iterator[Target]:
    for work, halves in TEXTS.items():
        for half in halves:
            limit = THREADS if half == ONE else READING
            yield _target(work, half, limit)
    for work in (*LISTS, "GAUC", "AUC"):
        for half in (HALF, SHORT, ONE) if work in LISTS else (HALF, ONE):
            yield _target(work, half, THREADS if half == ONE else SORTING[half])


def _target(work: str, half: str, limit: tuple[str, str]) -> Target:
    return Target("growth", work, f"{work}, {half}", MOST[half], "at most", "exponent", limit=limit)


GROWTH = tuple(_targets())


def growth(home: Path) -> Workload:
    """Each work whole, with half of its queries or rows, with half of each list, by one thread."""
    return Workload([*_limits(home), *_texts(home), *_arrays(home)])


def _limits(home: Path) -> Iterator[Contender]:
    run, scores = home / "msdev.run", np.load(home / "dense.scores.npy")
    halves = np.array_split(scores, 2)

    def together() -> None:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(partial(np.sort, axis=1), halves))

    yield limits.lines(run)
    yield limits.lines(home / "msdev.half.run", READING[1])
    yield limits.sort(scores)
    yield limits.sort(halves[0], SORTING[HALF][1])
    yield limits.sort(np.ascontiguousarray(scores[:, : scores.shape[1] // 2]), SORTING[SHORT][1])
    yield Contender(THREADS[0], together)


def _texts(home: Path) -> Iterator[Contender]:
    tables, judgments = home / "tables.qrels", home / "msdev.qrels"
    read: dict[str, tuple[Callable[..., Any], Path]] = {
        "TREC text": (partial(_five, judgments), home / "msdev.run"),
        "CSV, all quoted": (partial(_five, tables), home / "tables.quoted.csv"),
        "JSON Lines": (partial(_five, tables), home / "tables.jsonl"),
        "LETOR": (_features, home / "letor.txt"),
        "Parquet": (partial(_five, tables), _parquet(home / "tables.csv")),
    }
    for work, (call, path) in read.items():
        yield Contender(work, partial(call, path))
        yield Contender(f"{work}, {HALF}", partial(call, _half(path)))
        yield Contender(f"{work}, {ONE}", partial(call, path, threads=1))
    yield Contender(f"TREC text, {SHORT}", partial(_five, judgments, _short(home / "msdev.run")))


def _arrays(home: Path) -> Iterator[Contender]:
    labels, scores = np.load(home / "dense.labels.npy"), np.load(home / "dense.scores.npy")
    queries, depth = (size // 2 for size in scores.shape)
    parts = {
        HALF: (labels[:queries], scores[:queries]),
        SHORT: tuple(np.ascontiguousarray(one[:, :depth]) for one in (labels, scores)),
    }
    for work, measures in LISTS.items():
        call = partial(relyon.evaluate_scores, measures=measures)
        yield Contender(work, partial(call, labels, scores))
        for half, part in parts.items():
            yield Contender(f"{work}, {half}", partial(call, *part))
        yield Contender(f"{work}, {ONE}", partial(call, labels, scores, threads=1))
    labels, scores, groups = (
        np.load(home / f"flat.{name}.npy") for name in ("labels", "scores", "groups")
    )
    sizes = np.bincount(groups)
    few = sizes[: len(sizes) // 2]
    grouped: dict[str, tuple[Any, Any]] = {"GAUC": (sizes, few), "AUC": (None, None)}
    for work, (whole, half) in grouped.items():
        rows = len(labels) // 2 if half is None else int(half.sum())
        call = partial(relyon.evaluate_scores, measures=[work.lower()])
        yield Contender(work, partial(call, labels, scores, whole))
        yield Contender(f"{work}, {HALF}", partial(call, labels[:rows], scores[:rows], half))
        yield Contender(f"{work}, {ONE}", partial(call, labels, scores, whole, threads=1))


def _five(judgments: Path, run: Path, threads: int = 0) -> relyon.Results:
    return relyon.evaluate(judgments, run, peers.FIVE, threads=threads)


def _features(path: Path, threads: int = 0) -> Any:
    os.environ["RELYON_THREADS"] = str(threads or os.cpu_count())
    try:
        return relyon.read_features(path)
    finally:
        del os.environ["RELYON_THREADS"]


def _parquet(table: Path) -> Path:
    """Writes a table of a run as PyArrow does."""
    import pyarrow.parquet as pq

    path = table.with_suffix(".parquet")
    if not path.exists():
        frame = pl.read_csv(table, schema_overrides={"query": pl.String, "document": pl.String})
        columns = frame.select("query", "document", "score")
        pq.write_table(columns.to_arrow(compat_level=pl.CompatLevel.oldest()), path)
    return path


def _half(path: Path) -> Path:
    """Writes the first half of a file's lines, or of a table's rows."""
    half = path.with_name(f"{path.stem}.first{path.suffix}")
    if half.exists():
        return half
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        table = pq.read_table(path)
        pq.write_table(table.slice(0, len(table) // 2), half)
    else:
        lines = path.read_bytes().splitlines(keepends=True)
        half.write_bytes(b"".join(lines[: len(lines) // 2]))
    return half


def _short(run: Path) -> Path:
    """Writes the first half of each query's results."""
    short = run.with_name(f"{run.stem}.short{run.suffix}")
    if not short.exists():
        with run.open("rb") as lines, short.open("wb") as written:
            written.writelines(line for line in lines if int(line.split(b" ", 4)[3]) <= 500)
    return short
