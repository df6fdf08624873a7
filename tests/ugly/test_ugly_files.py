"""Files as people have them: from LibreOffice, pandas and openpyxl, in several encodings.

Each is read right, or refused with the place and the way out.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from openpyxl.worksheet.worksheet import Worksheet

import relyon
from relyon.core.errors import RelyonError
from relyon.online.logs import examine, summarise

FILES = Path(__file__).parent / "files"
JUDGED = {
    "手机壳": {"100234": 3, "100235": 2, "200001": 0},
    "蓝牙耳机": {"200001": 3, "200002": 1, "100234": 0},
    "充电宝": {"300001": 3, "300002": 1},
}
RANKED = {
    "手机壳": {"100235": 9.5, "100234": 8.25, "200001": 1.0},
    "蓝牙耳机": {"200001": 7.5, "200002": 6.0},
    "充电宝": {"300002": 5.125, "300001": 4.0},
}


def refusal(read: Callable[[], object]) -> str:
    """Returns the sentence and the hint that a file is refused with."""
    with pytest.raises(RelyonError) as caught:
        read()
    return f"{caught.value}"


def test_grades_by_their_names() -> None:
    judgments = relyon.read_judgments(FILES / "grades.xlsx", scale="search").to_dict()
    assert len(judgments) == 15
    assert all(list(grades.values()) == [3, 2, 1, 0] for grades in judgments.values())
    assert list(judgments["手机壳"]) == ["100000", "100001", "100002", "100003"]


@pytest.mark.parametrize(
    ("name", "encoding"), [("grades-gbk.csv", "GBK"), ("grades-utf16.tsv", "UTF-16")]
)
def test_another_encoding_is_read_and_named(name: str, encoding: str) -> None:
    judgments = relyon.read_judgments(FILES / name, scale="search")
    expected = relyon.read_judgments(FILES / "grades.xlsx", scale="search")
    assert judgments.to_dict() == expected.to_dict()
    assert f"is read in {encoding}" in str(judgments.notes[0])


def test_traditional_characters_in_big5() -> None:
    judgments = relyon.read_judgments(FILES / "grades-big5.csv")
    assert len(judgments.to_dict()) == 15
    assert judgments.to_dict()["手機殼"] == {"100000": 3, "100001": 2, "100002": 1, "100003": 0}
    assert "is read in Big5" in str(judgments.notes[0])


def test_a_workbook_of_judgments_and_one_of_scores() -> None:
    judgments = relyon.read_judgments(FILES / "judgments.xlsx")
    run = relyon.read_run(FILES / "run.xlsx")
    assert judgments.to_dict() == JUDGED
    assert run.to_dict() == RANKED
    found = relyon.evaluate(judgments, run, ["ndcg@5", "pnr"])
    expected = relyon.evaluate(JUDGED, RANKED, ["ndcg@5", "pnr"])
    assert dict(found) == dict(expected)


def test_semicolons_from_a_european_spreadsheet() -> None:
    assert relyon.read_run(FILES / "run-semicolons.csv").to_dict() == RANKED


def test_decimal_commas_beside_semicolons() -> None:
    run = relyon.read_run(FILES / "run-decimal-commas.csv")
    assert run.to_dict() == RANKED
    assert "decimal commas: `得分`" in " ".join(map(str, run.notes))
    text = refusal(lambda: relyon.read_run(FILES / "run-mixed-commas.csv"))
    assert "run-mixed-commas.csv:2: the score `1.009,5`" in text
    assert "write decimal points" in text


def test_a_file_too_short_to_be_certain_of_its_encoding() -> None:
    path = FILES / "judgments-short-gbk.csv"
    assert 'encoding="GBK"' in refusal(lambda: relyon.read_judgments(path))
    assert relyon.read_judgments(path, encoding="gbk").to_dict() == JUDGED


def test_a_log_from_a_french_spreadsheet() -> None:
    path = FILES / "log-semicolons-1252.csv"
    assert "encoding=" in refusal(lambda: relyon.read_sessions(path))
    log = relyon.read_sessions(path, encoding="windows-1252").collect()
    assert log["query"].unique(maintain_order=True).to_list() == ["étui", "coque"]
    assert log["dwell_seconds"].to_list() == [3.5, None, 12.25]


def test_a_log_with_times_as_excel_has_them() -> None:
    log = relyon.read_sessions(FILES / "log.xlsx")
    found = summarise(log)
    assert (found.sessions, found.rows, found.queries) == (3, 7, 3)
    assert str(found.start).startswith("2026-03-01")
    assert not [one for one in examine(log) if one.level == "warning"]


@pytest.mark.parametrize("name", ["judgments.xls", "judgments.ods"])
def test_other_spreadsheets_are_refused_with_the_way_out(name: str) -> None:
    assert ".xlsx" in refusal(lambda: relyon.read_judgments(FILES / name))


def test_a_frame_with_its_index(tmp_path: Path) -> None:
    rows = [(q, d, g) for q, found in JUDGED.items() for d, g in found.items()]
    frame = pd.DataFrame(rows, columns=["搜索词", "商品编号", "相关度"])
    frame.to_csv(tmp_path / "index.csv")
    frame.to_excel(tmp_path / "index.xlsx")
    assert relyon.read_judgments(tmp_path / "index.csv").to_dict() == JUDGED
    assert "A1" in refusal(lambda: relyon.read_judgments(tmp_path / "index.xlsx"))


def test_headings_of_two_levels_are_refused_with_their_cells(tmp_path: Path) -> None:
    columns = pd.MultiIndex.from_tuples([("行", "查询"), ("行", "文档"), ("标注", "等级")])
    frame = pd.DataFrame([("手机壳", "1", 3)], columns=columns)
    path = tmp_path / "levels.xlsx"
    frame.to_excel(path)
    assert "B1:C1" in refusal(lambda: relyon.read_judgments(path))


def workbook(path: Path, fill: Callable[[Worksheet], None]) -> Path:
    """Writes a workbook by hand."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.append(["查询", "文档", "等级"])
    fill(sheet)
    book.save(path)
    return path


def test_a_formula_that_was_never_computed_is_named(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", lambda sheet: sheet.append(["q", "d", "=1+1"]))
    assert "C2" in refusal(lambda: relyon.read_judgments(path))


def test_an_error_in_a_cell_is_named(tmp_path: Path) -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.append(["q", "d", 1])
        sheet.append(["q", "e", None])
        sheet["C3"].value = "#N/A"
        sheet["C3"].data_type = "e"

    path = workbook(tmp_path / "a.xlsx", fill)
    assert "C3" in refusal(lambda: relyon.read_judgments(path))


def test_merged_cells_are_named(tmp_path: Path) -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.append(["q", "d", 1])
        sheet.append([None, "e", 0])
        sheet.merge_cells("A2:A3")

    path = workbook(tmp_path / "a.xlsx", fill)
    assert "A2:A3" in refusal(lambda: relyon.read_judgments(path))


def test_an_id_that_excel_rounded_is_not_believed(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", lambda s: s.append(["q", 12345678901234567890, 1]))
    assert "B2" in refusal(lambda: relyon.read_judgments(path))


def test_ids_keep_their_zeros_and_whole_numbers_have_no_point(tmp_path: Path) -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.append([1001, "007", 2.0])
        sheet.append([1001.0, "8", 1])

    path = workbook(tmp_path / "a.xlsx", fill)
    assert relyon.read_judgments(path).to_dict() == {"1001": {"007": 2, "8": 1}}


def test_a_yes_is_no_grade(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", lambda sheet: sheet.append(["q", "d", True]))
    assert "a.xlsx:2" in refusal(lambda: relyon.read_judgments(path))


def test_several_sheets_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    book = openpyxl.Workbook()
    first = book.active
    assert isinstance(first, Worksheet)
    first.title = "三月"
    first.append(["查询", "文档", "等级"])
    first.append(["q", "d", 1])
    second = book.create_sheet("四月")
    second.append(["查询", "文档", "等级"])
    second.append(["q", "d", 2])
    book.save(path)
    text = refusal(lambda: relyon.read_judgments(path))
    assert "三月" in text
    assert "四月" in text
    assert relyon.read_judgments(f"{path}#四月").to_dict() == {"q": {"d": 2}}
    second.sheet_state = "hidden"
    book.save(path)
    assert relyon.read_judgments(path).to_dict() == {"q": {"d": 1}}


def test_both_calendars_of_excel_mean_the_same_time(tmp_path: Path) -> None:
    texts = []
    for epoch in (openpyxl.utils.datetime.CALENDAR_WINDOWS_1900,
                  openpyxl.utils.datetime.CALENDAR_MAC_1904):  # fmt: skip
        path = tmp_path / "log.xlsx"
        book = openpyxl.Workbook()
        book.epoch = epoch
        sheet = book.active
        assert isinstance(sheet, Worksheet)
        sheet.append(["会话", "查询", "排名", "文档", "时间", "点击"])
        for place in (1, 2):
            time = datetime.datetime(2026, 3, 1, 9, 30, place)
            sheet.append(["s1", "手机壳", place, f"d{place}", time, place - 1])
        book.save(path)
        from relyon.io.table_files import read_table

        texts.append(read_table(path)["时间"].to_list())
    assert texts[0] == texts[1]
    assert texts[0][0].startswith("2026-03-01")
    assert "09:30:01" in texts[0][0]
