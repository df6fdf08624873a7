"""Plain grading sheets: one per person, and back as they went out."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import openpyxl
import polars as pl
import pytest
from openpyxl.worksheet.worksheet import Worksheet
from tests.unit.conftest import Command, Outcome

import relyon
from relyon.data.scale import SEARCH, Scale
from relyon.data.sheets import Item, Row
from relyon.io.grading_sheets import grading_sheet
from relyon.judging.store import open_store

POOL = pl.DataFrame(
    {
        "query": ["手机壳", "手机壳", "鼠标", "键盘"], "document": ["d1", "d2", "007", "d4"],
        "title": ["红色壳", "蓝色壳", "=鼠标", "键盘"], "url": ["http://a/1", "", "", ""],
        "price": [1, 2, 3, 4],
    }
)  # fmt: skip
Run = Callable[..., Outcome]
GUIDELINE = "# 规范\n\n高：完全满足"


@pytest.fixture
def relyon_command(command: Command) -> Run:
    """Runs a command that must end with a code."""

    def run(*arguments: object, code: int = 0) -> Outcome:
        found = command(*map(str, arguments))
        assert found.code == code, found.err
        return found

    return run


@pytest.fixture
def database(tmp_path: Path, relyon_command: Run) -> Path:
    (tmp_path / "guideline.md").write_text(GUIDELINE, encoding="utf-8")
    POOL.write_csv(tmp_path / "pool.csv")
    path = tmp_path / "judging.db"
    relyon_command(
        "judge", "init", path, "--project", "June", "--overlap", 2,
        "--guideline-zh", tmp_path / "guideline.md",
    )  # fmt: skip
    relyon_command("judge", "import", path, tmp_path / "pool.csv", "--project", "June")
    return path


def sheet_of(path: Path) -> Worksheet:
    """Returns the first sheet of a workbook."""
    return openpyxl.load_workbook(path).worksheets[0]


def graded(path: Path, grades: list[str]) -> dict[tuple[str, str], str]:
    """Fills in the grades of a sheet in turn, and returns them by query and document."""
    book = openpyxl.load_workbook(path)
    sheet = book.worksheets[0]
    columns = {cell.value: cell.column for cell in sheet[1]}
    found = {}
    for row, grade in zip(range(2, sheet.max_row + 1), itertools.cycle(grades)):
        sheet.cell(row, columns.get("等级") or columns["Grade"]).value = grade
        sheet.cell(row, columns.get("备注") or columns["Note"]).value = "两行\n备注"
        named = [str(sheet.cell(row, columns[name]).value) for name in ("query_id", "document")]
        found[named[0], named[1]] = grade
    book.save(path)
    return found


def test_sheets_come_back_as_they_went_out(
    database: Path, tmp_path: Path, relyon_command: Run
) -> None:
    folder = tmp_path / "sheets"
    relyon_command(
        "judge", "export", database, "--project", "June", "--format", "xlsx", "--judge", "张三",
        "--judge", "李四", "--judge", "bo", "-o", f"{folder}/", "--lang", "zh",
    )  # fmt: skip
    given = {path.stem: graded(path, ["高", "无", "中"]) for path in sorted(folder.glob("*.xlsx"))}
    assert set(given) == {"张三", "李四", "bo"}
    # Each item went to two people.
    assert sum(map(len, given.values())) == 2 * len(POOL)
    for path in folder.glob("*.xlsx"):
        # However the file is named, the sheet knows its judge.
        renamed = path.rename(folder / f"copy of {path.name}")
        relyon_command("judge", "import", database, renamed, "--project", "June")
    with open_store(str(database)) as store:
        project = store.projects.get("June")
        items = dict(store.items.by_id(project.id))
        ratings = store.grades.ratings(project.id)
    found: dict[str, dict[tuple[str, str], str]] = {}
    for number, said in ratings.items():
        for one in said:
            key = (items[number].query, items[number].document)
            assert one.grade is not None
            found.setdefault(one.judge, {})[key] = SEARCH.label(one.grade, "zh")
            assert one.note == "两行\n备注"
    assert found == given
    # Nothing of the sheet became a field that judges see, and nothing is new.
    assert {*itertools.chain.from_iterable(one.fields for one in items.values())} == {"price"}
    assert len(items) == len(POOL)
    relyon_command(
        "judge", "export", database, "--project", "June", "--format", "xlsx", "--judge", "张三",
        "-o", folder / "again.xlsx", code=3,
    )  # fmt: skip


def test_what_a_sheet_looks_like(database: Path, tmp_path: Path, relyon_command: Run) -> None:
    path = tmp_path / "sheet.xlsx"
    command = (
        "judge", "export", database, "--project", "June", "--format", "xlsx", "--judge", "ann",
        "-o", path, "--lang", "zh",
    )  # fmt: skip
    relyon_command(*command)
    assert "--force" in relyon_command(*command, code=3).err
    relyon_command(*command, "--force")
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["标注", "标注规范"]
    sheet = book.worksheets[0]
    headings = [cell.value for cell in sheet[1]]
    assert headings == ["查询", "标题", "网址", "等级", "备注", "query_id", "document", "judge"]
    assert sheet.freeze_panes == "A2"
    (choices,) = sheet.data_validations.dataValidation
    assert choices.formula1 == '"高,中,低,无"'
    assert str(choices.sqref) == "D2:D5"
    assert [sheet.column_dimensions[one].hidden for one in "ABF"] == [False, False, True]
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n"}
    assert "高：完全满足" in [row[0].value for row in book.worksheets[1].iter_rows()]


def test_several_judges_need_a_folder(database: Path, tmp_path: Path, relyon_command: Run) -> None:
    command = ("judge", "export", database, "--project", "June", "--judge", "a", "--judge", "b")
    said = relyon_command(*command, "--format", "xlsx", "-o", tmp_path / "a.xlsx", code=2)
    assert "each judge gets a file" in said.err
    assert "needs `--format xlsx`" in relyon_command(*command, "--format", "csv", code=2).err


def test_every_grade_in_one_workbook(database: Path, tmp_path: Path, relyon_command: Run) -> None:
    path = tmp_path / "all.xlsx"
    relyon_command("judge", "export", database, "--project", "June", "--format", "xlsx", "-o", path)
    relyon_command("judge", "init", database, "--project", "July")
    said = relyon_command("judge", "import", database, path, "--project", "July")
    assert "4 new items" in said.err


def test_a_sheet_is_judgments(tmp_path: Path) -> None:
    rows = [Row(Item("q1", "d1", query_text="tv")), Row(Item("q1", "d2", snippet="text"))]
    path = tmp_path / "ann.xlsx"
    path.write_bytes(grading_sheet(rows, "ann", SEARCH))
    assert [cell.value for cell in sheet_of(path)[1]][:3] == ["Query", "Title", "Snippet"]
    graded(path, ["high", "none"])
    assert relyon.read_judgments(path, scale="search")["q1"] == {"d1": 3.0, "d2": 0.0}
    open_scale = grading_sheet(rows, "ann", Scale("open"))
    path.write_bytes(open_scale)
    assert not sheet_of(path).data_validations.dataValidation
