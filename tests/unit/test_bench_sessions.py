"""The log that is made for measuring: the same rows for the same seed, in any part of them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from bench.sessions import END, START, WORK, make_log, put


def test_the_same_seed_makes_the_same_log(tmp_path: Path) -> None:
    files = make_log(tmp_path / "a", 2000)
    again = make_log(tmp_path / "b", 2000)
    log = pl.read_parquet(files)
    assert log.equals(pl.read_parquet(again))
    assert log.shape == (2000, 5)
    assert log["session"].n_unique() == 100
    assert log.group_by("session").agg(pl.col("query").n_unique())["query"].unique().to_list() == [
        1
    ]
    assert not log.equals(pl.read_parquet(make_log(tmp_path / "c", 2000, seed=1)))


def test_all_count_the_same(tmp_path: Path) -> None:
    files = [str(path) for path in make_log(tmp_path, 4000)]
    found = {name: work(files) for name, work in WORK.items()}
    assert len({tuple(one.values()) for one in found.values()}) == 1
    assert found["DuckDB: count distinct"]["sessions"] == 200


def test_the_table_is_put_between_the_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"one\n{START}\nold\n{END}\ntwo\n")
    put("new", page)
    assert page.read_text() == f"one\n{START}\nnew\n{END}\ntwo\n"
    page.write_text("nothing")
    with pytest.raises(SystemExit, match="no marks"):
        put("new", page)
