"""Sessions counted in parts and added up are those of the whole log; this needs no Spark."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

from relyon import InputError, _native
from relyon.labels.cluster_log import CountTask, merged
from relyon.labels.log import Patterns, read_folds
from relyon.labels.log_counts import Fold
from relyon.labels.rules import Rules

ROWS = st.lists(
    st.tuples(
        st.integers(0, 30),  # the session
        st.sampled_from(["tv", "查询", "007"]),
        st.integers(1, 6),
        st.sampled_from(["a", "b", "c", "1", "01"]),
        st.booleans(),
        st.one_of(st.none(), st.floats(0, 60)),
    ),
    min_size=1,
    max_size=120,
)
COLUMNS = {
    "session": pl.Int64, "query": pl.String, "position": pl.Int64, "doc": pl.String,
    "clicked": pl.Boolean, "dwell_seconds": pl.Float64,
}  # fmt: skip


@pytest.mark.long
@given(ROWS, st.integers(1, 4), st.randoms(use_true_random=False))
def test_parts_add_up_to_the_whole(
    rows: list[tuple[object, ...]], tasks: int, draw: random.Random
) -> None:
    frame = pl.DataFrame(rows, COLUMNS, orient="row").with_columns(pl.col("session").cast(str))
    rules = Rules(4, min_dwell=5)
    folds = [None, Fold(0, 2), Fold(0, 2, inside=False)]
    try:
        expected = read_folds(frame, folds, rules=rules)
    except InputError:
        return  # a fold without a session
    searches = frame.select("session", "query").unique(maintain_order=True)
    placed = searches.with_columns(
        task=pl.Series([draw.randrange(tasks) for _ in range(searches.height)])
    )
    whole = frame.join(placed, on=["session", "query"], maintain_order="left")
    parts = []
    for task in range(tasks):
        some = whole.filter(task=task).drop("task").sort("session", "query")
        batches = some.to_arrow().to_batches(max_chunksize=7)
        parts += list(CountTask(rules, tuple(folds))(iter(batches)))
    draw.shuffle(parts)
    natives, dropped = merged(parts, folds, rules)
    for log, native in zip(expected, natives, strict=True):
        assert (native.sessions, native.rows, native.pairs) == (
            log.sessions,
            log.results,
            log.pairs.height,
        )
        for name in ("deep", "repeated", "shared"):
            assert getattr(native, name) == getattr(log.native, name)
        assert pl.Series(native.queries()).to_list() == log.pairs["query"].to_list()
        assert pl.Series(native.documents()).to_list() == log.pairs["document"].to_list()
        found = Patterns(**native.patterns())
        for name in Patterns._fields:
            assert np.array_equal(getattr(found, name), getattr(log.patterns, name)), name
    short = [note.count for note in expected[0].notes if note.kind == "clicks-short"]
    assert dropped.clicks == sum(short)


def test_results_that_are_not_those_of_the_sessions_are_refused() -> None:
    log = _native.ClickLog(10)
    text, number = pl.Series(["tv"]), pl.Series([1])
    with pytest.raises(InputError, match="the results are not those of the sessions"):
        log.merge(text, number, pl.Series([2]), text, number, number, (0, 0, 0))
    with pytest.raises(InputError, match="a session without results was counted"):
        log.merge(text, pl.Series([0]), number, text, number, number, (0, 0, 0))
    with pytest.raises(InputError, match="a position is above the first or below the last"):
        log.merge(text, number, number, text, pl.Series([11]), number, (0, 0, 0))
