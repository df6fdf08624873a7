"""How often a sound log is refused, and how often one whose columns mean something else is not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.honest.rows import row

from relyon.core.errors import InputError
from relyon.io.log_checks import read_log

pytestmark = pytest.mark.slow

CLAIM = "log-checks"
RUNS = 100


def log(
    generator: np.random.Generator, lists: int, depth: int, click: float, order: str
) -> pl.DataFrame:
    """Searches with Zipf queries, of up to `depth` results, clicked at 1 / position of `click`."""
    sizes = generator.integers(1, depth + 1, lists)
    rows = int(sizes.sum())
    session = np.repeat(np.arange(lists), sizes)
    position = np.concatenate([np.arange(1, size + 1) for size in sizes])
    query = np.repeat(np.minimum(generator.zipf(1.4, lists), 500), sizes)
    found = pl.DataFrame(
        {
            "session": session,
            "query": query,
            "position": position,
            # A document is shown for many queries: one catalogue.
            "doc": (query * 7 + position * 13 + generator.integers(0, 3, rows)) % 200,
            "clicked": (generator.random(rows) < click / position).astype(np.int64),
        }
    )
    if order == "session":
        return found
    late = generator.normal(0, 30, rows) if order == "time" else generator.random(rows) * 1e9
    return found.with_columns(at=pl.Series(session + late)).sort("at").drop("at")


def refused(frame: pl.DataFrame) -> bool:
    try:
        read_log(frame)
    except InputError:
        return True
    return False


@pytest.mark.parametrize("order", ["session", "time", "random"])
@pytest.mark.parametrize(
    ("lists", "depth", "click"), [(30, 2, 0.8), (300, 1, 0.8), (2000, 10, 0.5)]
)
def test_sound_logs(lists: int, depth: int, click: float, order: str) -> None:
    generator = np.random.default_rng(lists + depth)
    found = sum(refused(log(generator, lists, depth, click, order)) for _ in range(RUNS))
    lengths = f"{lists:,} lists of up to {depth} results"
    case = f"sound, {lengths}, clicks {click:.0%} at the top, by {order}"
    row(CLAIM, case, found / RUNS, RUNS, promise="refused in at most 1%", most=0.01)


@pytest.mark.parametrize("lists", [60, 2000])
@pytest.mark.parametrize("order", ["session", "time"])
def test_swapped_logs(lists: int, order: str) -> None:
    generator = np.random.default_rng(lists)
    names = {"query": "doc", "doc": "query"}
    found = sum(refused(log(generator, lists, 10, 0.5, order).rename(names)) for _ in range(RUNS))
    case = f"query and document swapped, {lists:,} lists, by {order}"
    row(CLAIM, case, found / RUNS, RUNS, promise="refused in 99%", least=0.99)


@pytest.mark.parametrize("lists", [60, 2000])
def test_clicks_alone(lists: int) -> None:
    generator = np.random.default_rng(lists)
    found = sum(
        refused(log(generator, lists, 10, 0.5, "session").filter(pl.col("clicked") == 1))
        for _ in range(RUNS)
    )
    case = f"clicks alone of {lists:,} lists"
    row(CLAIM, case, found / RUNS, RUNS, promise="refused in 99%", least=0.99)


def test_outside_the_assumption() -> None:
    """Swapped and shuffled: few lists have two rows at the start of the log."""
    generator = np.random.default_rng(7)
    names = {"query": "doc", "doc": "query"}
    shuffled = (log(generator, 100_000, 10, 0.5, "random").rename(names) for _ in range(20))
    found = sum(refused(frame) for frame in shuffled)
    row(
        CLAIM,
        "query and document swapped, 100,000 lists in random order",
        found / 20,
        20,
        promise="none",
        least=0.9,
        assumption=False,
        says="refused, although few lists have two rows at the start of the log",
    )


def test_users_who_click_on_everything() -> None:
    generator = np.random.default_rng(8)
    found = sum(refused(log(generator, 300, 1, 0.99, "session")) for _ in range(RUNS))
    row(
        CLAIM,
        "one result per list, 99% of them clicked",
        found / RUNS,
        RUNS,
        promise="none",
        least=0.9,
        assumption=False,
        says="refused: it cannot be told from a log of clicks alone",
    )
