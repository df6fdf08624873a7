"""Titles above headings, rows of totals, and queries written once per group: what to do is said."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import relyon

HEADER = ("查询", "商品", "标注", "分数")


def _sheet(path: Path, rows: Sequence[Sequence[object]]) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    book.save(path)
    return path


@pytest.mark.parametrize("blank", [0, 1])
def test_a_title_above_the_headings_is_named(tmp_path: Path, blank: int) -> None:
    path = _sheet(tmp_path / "t.xlsx", [("七月结果",), *[()] * blank, HEADER[:3], ("手机", "a", 1)])
    with pytest.raises(relyon.InputError, match="has no heading") as caught:
        relyon.read_judgments(path)
    expected = f"row {2 + blank} may have the headings: delete the rows above it"
    assert expected in caught.value.hint


def test_a_column_without_a_heading_below_full_headings_has_no_title(tmp_path: Path) -> None:
    path = _sheet(tmp_path / "t.xlsx", [(*HEADER[:3], None), ("手机", "a", 1, 2)])
    with pytest.raises(relyon.InputError) as caught:
        relyon.read_judgments(path)
    assert caught.value.hint == "write a heading, or clear the column"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["手机,a,1,2", ",b,0,1", "电视,b,0,1", ",c,1,3"], "2 rows have no query: fill it down"),
        (["手机,a,1,2", "手机,b,0,1", ",b,0,1"], "1 row has no query: fill it down"),
        (["手机,a,1,2", "合计,,1,"], "`合计` looks like a row of totals: delete such rows"),
        (["手机,a,1,2", ",Total,1,2"], "`Total` looks like a row of totals"),
        (["手机,a,1,", "手机,b,1,"], "2 rows have no score: fill it in"),
    ],
)
def test_rows_that_lack_a_value_are_counted(tmp_path: Path, rows: list[str], expected: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("\n".join([",".join(HEADER), *rows]) + "\n", encoding="utf-8")
    for read in (relyon.read_scored, relyon.read_run):
        with pytest.raises(relyon.InputError) as caught:
            read(path)
        assert expected in caught.value.hint
