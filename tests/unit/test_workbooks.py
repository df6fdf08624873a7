"""Excel workbooks as people have them: read as Excel means them, or refused with the place."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from pathlib import Path
from time import process_time

import openpyxl
import pandas as pd
import polars as pl
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.worksheet.worksheet import Worksheet

import relyon
from relyon.core.errors import DependencyError, InputError, ParseError
from relyon.io import Source
from relyon.io.table_files import read_table, write_table
from relyon.io.workbook_cells import csv_column
from relyon.io.workbook_writer import Column, Table, workbook_bytes

Fill = Callable[[Worksheet], object]


def made(path: Path, *fills: Fill) -> Path:
    """Writes a workbook with one sheet per function; the first two rows are a judgment."""
    book = openpyxl.Workbook()
    for number, fill in enumerate(fills):
        sheet = book.active if not number else book.create_sheet(f"Sheet{number + 1}")
        assert isinstance(sheet, Worksheet)
        sheet.append(["query", "document", "grade"])
        sheet.append(["tv", "d1", 3])
        fill(sheet)
    book.save(path)
    return path


def put(**cells: object) -> Fill:
    """Returns a function that sets cells."""

    def fill(sheet: Worksheet) -> None:
        for name, value in cells.items():
            sheet[name] = value

    return fill


def text_of(path: Path) -> str:
    with Source(path) as source:
        return source.read_all().decode()


def test_values_are_what_excel_means(tmp_path: Path) -> None:
    def fill(sheet: Worksheet) -> None:
        for row in [
            ["=x".replace("=", "'="), "00123", 3.0],
            [True, 0.37, datetime(2026, 1, 2, 3, 4, 5)],
            [timedelta(seconds=90), time(1, 2), "a,b"],
            [],
            [None, " x ", "two\nlines"],
        ]:
            sheet.append(row)
        sheet["B4"].number_format = "0%"
        sheet["Z40"].number_format = "0%"

    lines = text_of(made(tmp_path / "a.xlsx", fill)).splitlines()
    assert lines == [
        "query,document,grade",
        "tv,d1,3",
        "''=x,00123,3",
        "true,0.37,2026-01-02T03:04:05",
        '90,01:02:00,"a,b"',
        "",
        '," x ","two',
        'lines"',
    ]


def test_days_of_both_calendars(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.epoch = CALENDAR_MAC_1904
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.append(["day", "moment"])
    sheet.append([date(2026, 1, 2), date(2026, 1, 2)])
    sheet.append([date(1904, 1, 2), datetime(2026, 1, 2, 9)])
    book.save(tmp_path / "mac.xlsx")
    frame = read_table(tmp_path / "mac.xlsx")
    assert frame.rows() == [
        ("2026-01-02T00:00:00", "2026-01-02T00:00:00"),
        ("1904-01-02T00:00:00", "2026-01-02T09:00:00"),
    ] or frame.rows() == [
        ("2026-01-02", "2026-01-02T00:00:00"),
        ("1904-01-02", "2026-01-02T09:00:00"),
    ]


def error_cell(sheet: Worksheet) -> None:
    sheet["C3"] = "#N/A"
    sheet["C3"].data_type = "e"


@pytest.mark.parametrize(
    ("fills", "said"),
    [
        ([lambda sheet: sheet.merge_cells("A2:B2")], "cells A2:B2 are merged"),
        ([error_cell], "cell C3 contains the error #N/A"),
        ([put(C2="=1+1")], "cell C2 has a formula whose value is not in the file"),
        ([put(B2=12345678901234567890)], "cell B2: the number .* more than 15 digits"),
        ([put(E2="x")], "cell E1 has no heading, but its column is used in cell E2"),
        ([put(), put()], "has several sheets: `Sheet`, `Sheet2`"),
        ([put(XFD1048576=1)], "spans 17,179,869,184 cells"),
        ([put(C2="x")], "a.xlsx:2: the grade `x` is not a number"),
        ([put(A2="two\nlines", A3="q", B3="d", C3="x")], "a.xlsx:3: the grade `x`"),
    ],
)
def test_refusals_name_the_place(tmp_path: Path, fills: list[Fill], said: str) -> None:
    path = made(tmp_path / "a.xlsx", *fills)
    with pytest.raises(InputError, match=said) as caught:
        relyon.read_judgments(path)
    assert str(path) in str(caught.value)
    assert caught.value.hint


def rewritten(path: Path, change: Callable[[bytes], bytes]) -> Source:
    """Returns a workbook whose sheet is changed as text."""
    data = repacked(path, lambda name, data: change(data) if "sheet1" in name else data)
    return Source(io.BytesIO(data), name="a.xlsx", limit=2**24)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (b'<c r="A9" s="1"/><c r="B9" t="e"><v>#N/A</v></c>', "B9 contains the error #N/A"),
        (b'<c r="A9"/><c r="B9"><f>1+1</f></c>', "B9 has a formula whose value"),
        (b'<c r="B9"><f t="shared" si="0"/><v></v></c>', "B9 has a formula whose value"),
        (b'<c r="B9" t="e"><f>1/0</f><v>#DIV/0!</v></c>', "B9 contains the error #DIV/0!"),
    ],
)
def test_cells_without_a_value_hide_no_fault_of_the_next(
    tmp_path: Path, cells: bytes, said: str
) -> None:
    path = made(tmp_path / "a.xlsx", put())
    end = b"</sheetData>"
    with pytest.raises(InputError, match=said):
        rewritten(path, lambda data: data.replace(end, b'<row r="9">' + cells + b"</row>" + end))


@pytest.mark.parametrize(
    "cell", [b"<c>", b"<c/>", b"<c t='e'>", b'<c r="B2"><f>', b"<c t ", b"<f>"]
)
def test_a_sheet_of_broken_cells_is_refused_in_no_time(tmp_path: Path, cell: bytes) -> None:
    path = made(tmp_path / "a.xlsx", put(C2="=1+1"))
    start = process_time()
    with pytest.raises(InputError):
        rewritten(path, lambda data: data.replace(b"<sheetData>", b"<sheetData>" + cell * 200_000))
    assert process_time() - start < 10


def test_many_numbers_are_written_as_few_are() -> None:
    numbers = [random.Random(n).uniform(-1, 1) * 10 ** (n % 27 - 12) for n in range(20_000)]
    numbers += [0.0, -0.0, 1e-4, 9.9999e-5, float(10**14), 123456789012345.0]
    whole = csv_column(numbers, 0, 0, "a.xlsx")
    assert whole == [csv_column([one], 0, 0, "a.xlsx")[0] for one in numbers]


def test_sheets_are_named_after_the_file(tmp_path: Path) -> None:
    path = made(tmp_path / "a.xlsx", put(), put(A2="radio"))
    assert relyon.read_judgments(f"{path}#Sheet2")["radio"] == {"d1": 3.0}
    assert relyon.read_judgments(f"{path}#sheet")["tv"] == {"d1": 3.0}
    with pytest.raises(InputError, match="there is no sheet `June`") as caught:
        relyon.read_judgments(f"{path}#June")
    assert "`Sheet`, `Sheet2`" in caught.value.hint
    with pytest.raises(InputError, match="there is no such file"):
        relyon.read_judgments(f"{tmp_path}/b.xlsx#June")


def test_hidden_and_empty_sheets_do_not_count(tmp_path: Path) -> None:
    path = made(tmp_path / "a.xlsx", put(), put())
    book = openpyxl.load_workbook(path)
    book["Sheet2"].sheet_state = "hidden"
    book.create_sheet("Empty")
    book.save(path)
    assert len(relyon.read_judgments(path)) == 1


def test_a_workbook_of_pandas_is_a_log(tmp_path: Path) -> None:
    log = pd.DataFrame(
        {
            "session": ["s1", "s1"], "query": ["手机", "手机"], "position": [1, 2],
            "doc": [101, 102], "clicked": [True, False],
            "timestamp": pd.to_datetime(["2026-01-02 03:04:05", "2026-01-02 03:04:06"]),
        }
    )  # fmt: skip
    log.to_excel(tmp_path / "log.xlsx", index=False)
    log.to_csv(tmp_path / "log.csv", index=False)
    found = relyon.read_sessions(tmp_path / "log.xlsx").collect()
    assert found.equals(relyon.read_sessions(tmp_path / "log.csv").collect())
    assert found["doc"].to_list() == ["101", "102"]


def test_the_row_of_a_log_is_named(tmp_path: Path) -> None:
    log = pl.DataFrame(
        {"session": ["s\n1", "s2"], "query": "q", "position": ["1", "x"], "doc": "d", "clicked": 1}
    )
    write_table(log, tmp_path / "log.xlsx")
    with pytest.raises(ParseError, match=r"log\.xlsx:3: the position `x`"):
        relyon.read_sessions(tmp_path / "log.xlsx")


@pytest.mark.parametrize("form", ["scored", "features"])
def test_labelled_rows(tmp_path: Path, form: str) -> None:
    frame = pl.DataFrame({"query": ["a", "a"], "label": [1, 0], "score": [0.5, 0.25]})
    write_table(frame, tmp_path / "rows.xlsx")
    if form == "scored":
        rows = relyon.read_scored(tmp_path / "rows.xlsx")
        assert rows.labels.tolist() == [1, 0]
        return
    found = relyon.read_features(tmp_path / "rows.xlsx")
    assert found.features is not None
    assert found.features.values.tolist() == [[0.5], [0.25]]
    relyon.write_features(found, tmp_path / "again.xlsx")
    assert relyon.read_features(tmp_path / "again.xlsx").labels.tolist() == [1, 0]


def test_judgments_and_runs_come_back(tmp_path: Path) -> None:
    judgments = relyon.Judgments.from_dict({"=q": {"007": 3, "1": 0}})
    relyon.write_judgments(judgments, tmp_path / "j.xlsx")
    assert relyon.read_judgments(tmp_path / "j.xlsx")["=q"] == {"007": 3.0, "1": 0.0}
    run = relyon.Run.from_dict({"=q": {"007": 0.1 + 0.2, "1": 3.0}})
    relyon.write_run(run, tmp_path / "r.xlsx")
    again = relyon.read_run(tmp_path / "r.xlsx")
    assert again.to_frame().equals(run.to_frame())
    result = relyon.evaluate(tmp_path / "j.xlsx", tmp_path / "r.xlsx", measures="ndcg@3")
    assert result["ndcg@3"] == relyon.evaluate(judgments, run, measures="ndcg@3")["ndcg@3"]


def test_what_no_cell_contains_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cell A2 cannot contain a text of more than 32,767"):
        write_table(pl.DataFrame({"text": ["x" * 40_000]}), tmp_path / "a.xlsx")
    with pytest.raises(InputError, match="nested"):
        write_table(pl.DataFrame({"text": [["x"]]}), tmp_path / "a.xlsx")
    assert not (tmp_path / "a.xlsx").exists()


def test_streams_are_read(tmp_path: Path) -> None:
    path = made(tmp_path / "a.xlsx", put())
    assert len(relyon.read_judgments(io.BytesIO(path.read_bytes()))) == 1


def repacked(path: Path, change: Callable[[str, bytes], bytes]) -> bytes:
    """Returns a workbook whose parts are changed."""
    made = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return made.getvalue()


def test_bombs_are_bounded(tmp_path: Path) -> None:
    path = made(tmp_path / "a.xlsx", put(A2="x"))
    limit = 2**22

    def padded(name: str, data: bytes) -> bytes:
        return data + b" " * (2 * limit) if "sheet1" in name else data

    with pytest.raises(InputError, match="unpacks to more than 4 MiB"):
        Source(io.BytesIO(repacked(path, padded)), limit=limit)

    def far(name: str, data: bytes) -> bytes:
        return data.replace(b'r="C2"', b"r='XFD1048576'") if "sheet1" in name else data

    with pytest.raises(InputError, match="the sheet spans"):
        Source(io.BytesIO(repacked(path, far)), limit=limit)

    path.write_bytes(workbook_bytes([Table("a", [Column("text")], [["x" * 32_000]] * 200)]))
    with pytest.raises(InputError, match="unpacks to more than 4 MiB"):
        Source(io.BytesIO(path.read_bytes()), limit=limit)


@pytest.mark.parametrize("part", ["sheet1", "styles"])
def test_a_part_that_unpacks_to_hundreds_of_times_its_size_is_refused(
    tmp_path: Path, part: str
) -> None:
    path = made(tmp_path / "a.xlsx", put(A2="x"))
    path.write_bytes(repacked(path, lambda name, data: data + b" " * (part in name) * 2**26))
    with pytest.raises(InputError, match=r"unpacks to 64 MiB, [\d,]+ times its size"):
        Source(path)


@pytest.mark.parametrize("limit", [None, 2**30])
@pytest.mark.parametrize("place", ["ZZZZZZ2", "A99999999999", "C123456789"])
def test_cells_where_no_sheet_has_any_are_refused(
    tmp_path: Path, place: str, limit: int | None, capfd: pytest.CaptureFixture[str]
) -> None:
    path = made(tmp_path / "a.xlsx", put(A2="x"))

    def moved(name: str, data: bytes) -> bytes:
        return data.replace(b'r="C2"', f'r="{place}"'.encode()) if "sheet1" in name else data

    path.write_bytes(repacked(path, moved))
    with pytest.raises(InputError, match=r"is not a whole Excel workbook|the sheet spans"):
        Source(path, limit=limit)
    assert "panicked" not in capfd.readouterr().err


def test_a_text_that_no_cell_can_have_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "a.xlsx", put(A2="marked"))
    noise = random.Random(1).randbytes(2**20).hex().encode()

    def longer(name: str, data: bytes) -> bytes:
        return data.replace(b"marked", noise) if "sheet1" in name else data

    path.write_bytes(repacked(path, longer))
    with pytest.raises(InputError, match="a cell has a text of 2 MiB"):
        Source(path)


def test_damaged_workbooks_are_refused(tmp_path: Path) -> None:
    whole = made(tmp_path / "a.xlsx", put(A3="b", B3="c", C3=1)).read_bytes()
    path = tmp_path / "b.xlsx"
    dice = random.Random(1)

    def damage(data: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(dice.randint(1, 4)):
            place = dice.randrange(len(changed))
            if dice.randrange(3):
                changed[place] = dice.randrange(256)
            else:
                del changed[place : place + dice.randint(1, 200)]
        return bytes(changed)

    for number in range(150):
        if number % 2:
            broken = damage(whole)
        else:
            # The archive is whole, its parts are not.
            broken = repacked(
                tmp_path / "a.xlsx",
                lambda name, data: damage(data) if dice.randrange(3) == 0 else data,
            )
        path.write_bytes(broken)
        with suppress(InputError):
            relyon.read_judgments(path)


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path / "a.xlsx", put())
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    with pytest.raises(DependencyError) as caught:
        relyon.read_judgments(path)
    assert caught.value.hint == "pip install 'relyon[excel]'"
    monkeypatch.setitem(__import__("sys").modules, "xlsxwriter", None)
    with pytest.raises(DependencyError) as caught:
        write_table(pl.DataFrame({"a": [1]}), tmp_path / "b.xlsx")
    assert caught.value.hint == "pip install 'relyon[excel]'"


def test_a_table_is_no_cell_far_away(tmp_path: Path) -> None:
    """Excel's tables are links such as `rId1`, which look like places."""
    table = pl.DataFrame({"query": [f"q{n}" for n in range(300)], "doc": ["d"] * 300})
    table.write_excel(tmp_path / "table.xlsx", table_style="Table Style Medium 2")
    source = Source(tmp_path / "table.xlsx", limit=2**24)
    assert source.read_all().startswith(b"query,doc")
