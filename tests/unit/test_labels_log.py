"""Logs as click models read them: any order, any engine, and what is left out."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest

from relyon.core.errors import InputError, ParameterError
from relyon.data.sessions import Sessions
from relyon.labels.log import ClickLog, Fold, read_clicks, read_folds

COLUMNS = ("session", "query", "doc", "position", "clicked")


def frame(*rows: tuple[Any, ...], **more: list[Any]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=list(COLUMNS), orient="row").with_columns(
        pl.Series(name, values) for name, values in more.items()
    )


def content(log: ClickLog) -> dict[str, list[Any]]:
    """Each distinct session by its query: results, clicks and count."""
    patterns, pairs = log.patterns, log.pairs.rows()
    found: dict[str, list[Any]] = {}
    for number, count in enumerate(patterns.counts):
        rows = slice(patterns.starts[number], patterns.starts[number + 1])
        columns = (patterns.pairs[rows], patterns.positions[rows], patterns.clicked[rows])
        results = [
            (pairs[pair][1], int(position), bool(clicked))
            for pair, position, clicked in zip(*columns, strict=True)
        ]
        found.setdefault(pairs[patterns.pairs[rows.start]][0], []).append((results, int(count)))
    return {query: sorted(lists) for query, lists in found.items()}


LOG = frame(
    ("s1", "tv", "a", 1, 0),
    ("s1", "tv", "b", 2, 1),
    ("s2", "tv", "a", 1, 0),
    ("s2", "tv", "b", 2, 1),
    ("s3", "电视", "a", 1, 1),
    ("s3", "tv", "c", 1, 0),
)
EXPECTED = {
    "tv": [([("a", 1, False), ("b", 2, True)], 2), ([("c", 1, False)], 1)],
    "电视": [([("a", 1, True)], 1)],
}


@pytest.mark.parametrize("seed", range(6))
def test_any_order(seed: int) -> None:
    shuffled = LOG.sample(fraction=1, shuffle=True, seed=seed)
    assert content(read_clicks(shuffled)) == EXPECTED


def test_parts_may_end_within_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("relyon.labels.log.ROWS", 1)
    assert content(read_clicks(LOG)) == EXPECTED


def test_a_session_that_returns() -> None:
    rows = [LOG.row(row) for row in (0, 2, 3, 1, 4, 5)]
    assert content(read_clicks(frame(*rows))) == EXPECTED


def test_another_engine() -> None:
    duckdb = pytest.importorskip("duckdb")
    assert content(read_clicks(duckdb.from_arrow(LOG.to_arrow()))) == EXPECTED


def test_what_is_left_out() -> None:
    log = read_clicks(
        frame(
            ("s1", "tv", "a", 1, 1),
            ("s1", "tv", "a", 4, 1),  # again
            ("s1", "tv", "b", 1, 0),  # where another one is
            ("s1", "tv", "c", 9, 1),  # too deep
            ("s1", "tv", None, 2, 1),
            ("s1", "tv", "d", 3, 1),  # never shown
            ("s1", "tv", "e", 5, 1),  # left at once
            dwell_seconds=[30, 30, 30, 30, 30, 30, 1],
            shown=[True, True, True, True, True, False, True],
        ),
        depth=8,
        min_dwell=5,
    )
    assert content(log) == {"tv": [([("a", 1, True), ("b", 1, False), ("e", 5, False)], 1)]}
    assert {note.kind: note.count for note in log.notes} == {
        "clicks-rows-left-out": 2,
        "clicks-short": 1,
        "clicks-repeated": 1,
        "clicks-shared": 1,
        "clicks-deep": 1,
    }
    assert all("{" not in note.text(language) for note in log.notes for language in ("en", "zh"))


def test_folds_share_out_the_sessions() -> None:
    log = pl.DataFrame(
        [(f"s{n}", "q", "a", 1, n % 2) for n in range(100)], schema=list(COLUMNS), orient="row"
    )
    inside = read_clicks(log, fold=Fold(0, 5)).sessions
    outside = read_clicks(log, fold=Fold(0, 5, inside=False)).sessions
    assert inside + outside == 100
    assert 5 < inside < 40


@pytest.mark.long
@pytest.mark.parametrize("rows", [1, 1 << 20])
def test_folds_of_one_pass_are_those_read_one_by_one(
    monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr("relyon.labels.log.ROWS", rows)
    log = pl.DataFrame(
        [
            (f"s{n % 30}", f"q{n % 3}", doc, at, 0)
            for n in range(60)
            for at, doc in enumerate("ab", 1)
        ],
        schema=list(COLUMNS),
        orient="row",
    ).sample(fraction=1, shuffle=True, seed=1)
    folds = [Fold(1, 3), Fold(1, 3, inside=False), None]
    together = read_folds(log, folds)
    assert [content(one) for one in together] == [content(read_clicks(log, fold=f)) for f in folds]
    assert together[2].sessions == together[0].sessions + together[1].sessions > 0
    # What was left out is counted over all parts.
    whole = read_clicks(log).notes
    assert whole
    assert read_folds(log, folds[:2])[0].notes == whole


def test_a_fold_without_sessions_is_an_error() -> None:
    with pytest.raises(InputError, match="no session"):
        read_folds(LOG, [Fold(0, 10**9), None])


def test_positions_that_count_from_0() -> None:
    with pytest.raises(InputError, match="positions count from 1") as caught:
        read_clicks(frame(("s1", "tv", "a", 0, 1)))
    assert "logs doctor" in str(caught.value.hint)


def test_a_log_without_clicks() -> None:
    with pytest.raises(InputError, match="has no clicks"):
        read_clicks(LOG.drop("clicked"))


def test_a_log_without_dwell_times() -> None:
    with pytest.raises(InputError, match="has no dwell times"):
        read_clicks(LOG, min_dwell=3)


def test_a_log_without_a_session() -> None:
    with pytest.raises(InputError, match="no session"):
        read_clicks(LOG.clear())


@pytest.mark.parametrize("depth", [0, 1001, 2.5])
def test_depths(depth: Any) -> None:
    with pytest.raises(ParameterError):
        read_clicks(LOG, depth=depth)


def test_ids_of_white_space_alone_are_none() -> None:
    """Each character alone, and between others: an id is none where nothing is left of it."""
    characters = [chr(code) for code in range(0x3100) if code] + ["京", "\ufffd", "\U0001f600"]
    texts = [None, "", "  \u3000", *characters, *(f" {one}\t" for one in characters)]
    log = pl.DataFrame({"session": texts, "query": "q", "doc": texts, "position": 1, "clicked": 0})
    found = Sessions.from_frame(log).collect()
    for name in ("session", "doc"):
        column = pl.Series(name, texts)
        kept = found[name]
        blank = column.is_null() | (column.str.strip_chars() == "")
        assert kept.is_null().to_list() == blank.to_list()
        assert kept.drop_nulls().equals(column.filter(~blank))


def test_lists_that_change_are_counted_as_they_are() -> None:
    """Documents move, repeat and change within the lists of a query; counts are those of Polars."""
    chance = random.Random(5)
    rows = [
        (session, f"q{session % 3}", f"d{chance.randrange(9)}", position, chance.random() < 0.3)
        for session in range(400)
        for position in range(1, chance.randrange(2, 8))
    ]
    names = ["session", "query", "doc", "position", "clicked"]
    frame = pl.DataFrame(rows, names, orient="row")
    once = frame.group_by("session", "query", "doc").agg(
        pl.col("position").min(), pl.col("clicked").any()
    )
    expected = once.group_by("query", "doc", "position").agg(
        shown=pl.len(), clicks=pl.col("clicked").sum()
    )
    log = read_clicks(frame)
    cells = log.native.cells()
    found = log.pairs[cells["pairs"].astype(int)].select("query", doc="document")
    found = found.with_columns(
        position=pl.Series(cells["positions"]).cast(pl.Int64),
        shown=pl.Series(cells["shown"]),
        clicks=pl.Series(cells["clicks"]),
    )
    keys = ["query", "doc", "position"]
    assert found.sort(keys).rows() == expected.select(found.columns).sort(keys).rows()
    assert log.native.repeated == frame.height - once.height
