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
    hidden = ["query_id", "document", "judge", "project"]
    assert headings == ["查询", "标题", "网址", "等级", "备注", *hidden]
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


def fill(path: Path, column: str, value: str | None, first: int = 0) -> Path:
    """Writes a value into a column of a sheet, from a row on, in a copy."""
    book = openpyxl.load_workbook(path)
    sheet = book.worksheets[0]
    columns = {cell.value: cell.column for cell in sheet[1]}
    for row in range(2 + first, sheet.max_row + 1):
        sheet.cell(row, columns[column]).value = value
    copy = path.with_name(f"copy of {path.name}")
    book.save(copy)
    return copy


@pytest.fixture
def sheet(database: Path, tmp_path: Path, relyon_command: Run) -> Path:
    """The sheet of 张三, without a grade."""
    path = tmp_path / "sheet.xlsx"
    relyon_command(
        "judge", "export", database, "--project", "June", "--format", "xlsx", "--judge", "张三",
        "-o", path, "--lang", "zh",
    )  # fmt: skip
    return path


def test_a_sheet_counts_for_its_own_judge(database: Path, sheet: Path, relyon_command: Run) -> None:
    command = ("judge", "import", database, "--project", "June")
    graded(sheet, ["高", "低"])
    refused = relyon_command(*command, sheet, "--judge", "李四", code=3)
    assert "written for 张三, not for 李四" in refused.err
    assert "--format xlsx --judge 李四" in refused.err
    assert "4 new grades" in relyon_command(*command, sheet, "--judge", "张三").err
    assert "written for 张三" in relyon_command(*command, sheet, "--judge", "丙", code=3).err
    again = relyon_command(*command, sheet, code=3)
    assert "already stored" in again.err
    assert "correct the column `judge`" in again.err
    other = fill(sheet, "judge", "李四")
    assert "4 new grades" in relyon_command(*command, other, "--judge", "李四").err


def test_a_note_without_a_grade_is_why_an_item_cannot_be_graded(
    database: Path, sheet: Path, relyon_command: Run
) -> None:
    command = ("judge", "import", database, "--project", "June")
    empty = relyon_command(*command, sheet, code=3)
    assert "none of the 4 rows has a grade or a note" in empty.err
    unclear = fill(sheet, "备注", "看不懂\n查询", first=1)
    said = relyon_command(*command, unclear)
    assert "3 rows without a grade count as “cannot be graded”" in said.err
    assert "1 of 4 rows have neither a grade nor a note" in said.err
    assert "3 new grades" in said.err

    def stored() -> list[tuple[str, float | None, str, str]]:
        with open_store(str(database)) as store:
            found = store.grades.ratings(store.projects.get("June").id)
        return [
            (one.judge, one.grade, one.reason, one.note) for said in found.values() for one in said
        ]

    assert stored() == [("张三", None, "看不懂\n查询", "")] * 3
    relyon_command(*command, unclear, code=3)
    assert len(stored()) == 3
    corrected = fill(sheet, "等级", "高")
    assert "--update" in relyon_command(*command, corrected, code=3).err
    assert "4 new grades" in relyon_command(*command, corrected, "--update").err
    assert stored() == [("张三", 3.0, "", "")] * 4


def test_a_sheet_belongs_to_its_project_and_adds_no_items(
    database: Path, sheet: Path, relyon_command: Run, tmp_path: Path
) -> None:
    graded(sheet, ["高"])
    relyon_command("judge", "init", database, "--project", "July")
    relyon_command("judge", "import", database, tmp_path / "pool.csv", "--project", "July")
    said = relyon_command("judge", "import", database, sheet, "--project", "July", code=3)
    assert "is of the project `June`, not of `July`" in said.err
    assert "--project June" in said.err
    changed = fill(sheet, "query_id", "错", first=2)
    said = relyon_command("judge", "import", database, changed, "--project", "June", code=3)
    # The row of the workbook, although the notes above it have two lines.
    assert f"{changed}:4: the query `错`" in said.err
    assert "2 of 4 rows are not" in said.err
    # A sheet of an earlier version does not name its project, and a renamed project keeps its own.
    command = ("judge", "import", database, "--project", "June")
    assert "4 new grades" in relyon_command(*command, fill(sheet, "project", "Before")).err
    assert "already stored" in relyon_command(*command, fill(sheet, "project", None), code=3).err


@pytest.mark.parametrize("lost", [("query_id", "document", "judge"), ("judge",), ("document",)])
def test_a_sheet_without_its_hidden_columns(
    database: Path, sheet: Path, relyon_command: Run, lost: tuple[str, ...]
) -> None:
    graded(sheet, ["高"])
    book = openpyxl.load_workbook(sheet)
    for name in lost:
        found = next(cell.column for cell in book.worksheets[0][1] if cell.value == name)
        book.worksheets[0].delete_cols(found)
    book.save(sheet)
    said = relyon_command("judge", "import", database, sheet, "--project", "June", code=3)
    assert "lacks its hidden columns" in said.err
    assert "export the sheet again" in said.err


def test_other_tables_are_no_damaged_sheets(
    database: Path, tmp_path: Path, relyon_command: Run
) -> None:
    path = tmp_path / "own.csv"
    path.write_text("查询,标题,等级,备注,document\n手机壳,红,高,好,d1\n", encoding="utf-8")
    said = relyon_command("judge", "import", database, path, "--project", "June")
    assert "0 new items, 1 new grade" in said.err


@pytest.mark.parametrize("judge", [("--judge", "ann"), ()])
@pytest.mark.parametrize("name", ["sheet", "sheet.csv"])
def test_a_sheet_is_named_as_a_workbook(
    database: Path, tmp_path: Path, relyon_command: Run, name: str, judge: tuple[str, ...]
) -> None:
    said = relyon_command(
        "judge", "export", database, "--project", "June", "--format", "xlsx", *judge,
        "-o", tmp_path / name, code=2,
    )  # fmt: skip
    assert f"{name}.xlsx" in said.err
    assert not (tmp_path / name).exists()
