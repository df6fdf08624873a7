"""Parquet read part by part, also ahead of the caller."""

from __future__ import annotations

import threading
from pathlib import Path

import polars as pl
import pytest

from relyon.io import row_groups
from relyon.io.row_groups import RowGroups


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(row_groups, "FEW_ROWS", 100)
    monkeypatch.setattr(row_groups, "MANY_ROWS", 150)
    frame = pl.DataFrame({"number": range(1000), "text": [f"d{row}" for row in range(1000)]})
    frame.write_parquet(tmp_path / "rows.parquet", row_group_size=50)
    return str(tmp_path / "rows.parquet")


@pytest.mark.parametrize("ahead", [False, True])
def test_parts_are_the_file_in_order(path: str, ahead: bool) -> None:
    parts = list(RowGroups(path).parts(["number", "text", "number"], ahead=ahead))
    assert len(parts) > 5
    assert pl.concat(parts).equals(pl.read_parquet(path))


def test_two_parts_ahead_hold_no_more_rows_than_one(path: str) -> None:
    whole = [len(part) for part in RowGroups(path).parts(["number"])]
    halves = [len(part) for part in RowGroups(path).parts(["number"], ahead=True)]
    assert max(halves) * 2 <= max(whole)
    assert sum(halves) == sum(whole)


def test_a_file_of_one_part_needs_no_thread(tmp_path: Path) -> None:
    path = tmp_path / "small.parquet"
    pl.DataFrame({"number": range(10)}).write_parquet(path)
    before = threading.active_count()
    parts = RowGroups(str(path)).parts(["number"], ahead=True)
    assert next(parts).height == 10
    assert threading.active_count() == before
    assert next(parts, None) is None


def test_whoever_stops_early_leaves_no_thread(path: str) -> None:
    before = threading.active_count()
    parts = RowGroups(path).parts(["number"], ahead=True)
    next(parts)
    assert threading.active_count() == before + 1
    parts.close()
    assert threading.active_count() == before


def test_an_error_of_a_later_part_reaches_the_caller(path: str) -> None:
    data = bytearray(Path(path).read_bytes())
    data[len(data) // 2 : len(data) // 2 + 200] = bytes(200)
    Path(path).write_bytes(data)
    with pytest.raises((pl.exceptions.PolarsError, pl.exceptions.PanicException)):
        list(RowGroups(path).parts(["number", "text"], ahead=True))
