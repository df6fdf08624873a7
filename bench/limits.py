"""What nothing can be faster or smaller than: it is timed beside relyon, in the same run.

A limit does the part of the work that nobody can leave out, as fast as a program does it that does
nothing else: the lines of a file are read, the scores are sorted, an interpreter starts.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.timing import Contender

__all__ = [
    "COPY",
    "LINES",
    "LOG",
    "MEMORY",
    "NOTHING",
    "PAIRS",
    "SORT",
    "SUMS",
    "TABLES",
    "copied",
    "lines",
    "log_counted",
    "memory",
    "nothing",
    "pairs_seen",
    "sort",
    "tables_read",
]

COPY = "copy in memory"
LINES = "wc -l"
LOG = "log counted by Polars"
MEMORY = "the file in memory"
NOTHING = "python -c pass"
PAIRS = "every pair seen"
SORT = "np.sort"
SUMS = "sums of all pairs"
TABLES = "Polars' read"


def lines(path: Path, name: str = LINES) -> Contender:
    """The lines of a file, read and counted."""
    return Contender(name, ["wc", "-l", str(path)])


def nothing(python: list[str] | None = None) -> Contender:
    """An interpreter that starts and ends: its time, and its memory."""
    return Contender(NOTHING, [*(python or [sys.executable]), "-c", "pass"])


def memory(path: Path) -> Contender:
    """A file held in memory, for work that needs all of it."""
    read = "import pathlib, sys; pathlib.Path(sys.argv[1]).read_bytes()"
    return Contender(MEMORY, [sys.executable, "-c", read, str(path)])


def copied(path: Path) -> Contender:
    """A file read and copied once."""
    return Contender(COPY, lambda: bytearray(path.read_bytes()))


def pairs_seen(queries: Mapping[str, Mapping[str, Any]]) -> Contender:
    """Every document and value of nested dicts, handed over by the interpreter."""

    def work() -> None:
        for documents in queries.values():
            deque(documents.items(), maxlen=0)

    return Contender(PAIRS, work)


def sort(values: Any, name: str = SORT) -> Contender:
    """Values sorted along their last axis, by one thread."""
    return Contender(name, partial(np.sort, values, axis=-1))


def tables_read(paths: list[str], python: list[str]) -> Contender:
    """Parquet files read whole by Polars, one after the other, as a process."""
    read = "import polars, sys; [polars.read_parquet(one).height for one in sys.argv[1:]]"
    return Contender(TABLES, [*python, "-c", read, *paths])


def log_counted(log: Path, name: str = LOG) -> Contender:
    """A log of clicks, read and counted by query, document and position, as a process."""
    count = (
        "import polars as pl, sys; "
        "counted = pl.scan_parquet(sys.argv[1]).group_by('query', 'doc', 'position')"
        ".agg(pl.len(), pl.col('clicked').sum()).collect(); print(counted.height)"
    )
    return Contender(name, [sys.executable, "-c", count, str(log)])
