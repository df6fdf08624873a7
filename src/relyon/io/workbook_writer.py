"""Excel workbooks: tables and texts, one sheet each, as Excel shows them best."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from relyon.core.errors import InputError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.io.workbook_cells import EXACT
from relyon.io.workbook_parts import MARK, cell_name

if TYPE_CHECKING:
    import polars as pl
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

__all__ = ["Column", "SheetText", "Table", "frame_table", "workbook_bytes"]

Value: TypeAlias = str | float | bool | datetime | date | None

#: What a sheet and a cell of Excel contain at most.
MOST_ROWS, LONGEST_TEXT, LONGEST_NAME = 1_048_576, 32_767, 31
#: A workbook with more cells is written row by row, with less memory.
LARGE = 500_000
#: The same tables give the same bytes.
CREATED = datetime(2000, 1, 1)
SURROGATE = re.compile("[\ud800-\udfff]")
FORBIDDEN = re.compile(r"[\[\]:*?/\\]")
FORMATS = {
    "heading": {"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"},
    "text": {"text_wrap": True, "valign": "top"},
    "open": {"text_wrap": True, "valign": "top", "bg_color": "#FFF9E5", "locked": False},
    "moment": {"num_format": "yyyy-mm-dd hh:mm:ss.000"},
    "second": {"num_format": "yyyy-mm-dd hh:mm:ss"},
    "day": {"num_format": "yyyy-mm-dd"},
}


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        heading: Its heading.
        width: Its width in characters; None for Excel's.
        hidden: Whether it is hidden.
        wrap: Whether long texts continue on further lines.
        choices: What may be written in it, offered as a list; empty for anything.
        error: What Excel says about anything else.
    """

    heading: str
    width: float | None = None
    hidden: bool = False
    wrap: bool = False
    choices: Sequence[str] = ()
    error: str = ""


@dataclass(frozen=True)
class Table:
    """A sheet with a table, whose heading stays in view.

    Attributes:
        name: Its name.
        columns: Its columns.
        rows: Its rows, with one value per column; None is an empty cell.
    """

    name: str
    columns: Sequence[Column]
    rows: Iterable[Sequence[Value]] = field(repr=False)


@dataclass(frozen=True)
class SheetText:
    """A sheet with a text.

    Attributes:
        name: Its name.
        text: Its paragraphs, one per line.
    """

    name: str
    text: str = field(repr=False)


def frame_table(frame: pl.DataFrame, name: str = "") -> Table:
    """Returns a table with the columns and rows of a frame.

    Args:
        frame: A frame; points in time with a zone are written in UTC.
        name: The name of the sheet.

    Raises:
        InputError: If a column contains nested values.
    """
    import polars as pl

    for column, kind in frame.schema.items():
        if kind.is_nested():
            raise InputError(message("io.column-contains-nested-values", column_name=column))
    zoned = [
        pl.col(column).dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        for column, kind in frame.schema.items()
        if isinstance(kind, pl.Datetime) and kind.time_zone
    ]
    shown = frame.with_columns(zoned).with_columns(
        pl.col(pl.Time, pl.Duration, pl.Categorical, pl.Enum).cast(pl.String)
    )
    return Table(name, [Column(one) for one in shown.columns], shown.iter_rows())


def workbook_bytes(sheets: Sequence[Table | SheetText], path: str = "") -> bytes:
    """Returns a workbook; the first table is the one that relyon reads back.

    Texts are never formulas or links, and numbers with more digits than Excel keeps are texts.

    Args:
        sheets: Its sheets, in order.
        path: The file, for messages.

    Raises:
        InputError: If a table or a text is longer than Excel allows.
        DependencyError: If the library that writes workbooks is not installed.
    """
    library = optional_package(
        "xlsxwriter", purpose="io.writing-excel", package="xlsxwriter", install="relyon[excel]"
    )
    file = io.BytesIO()
    book: Workbook = library.Workbook(
        file,
        {
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "constant_memory": any(_is_large(one) for one in sheets),
        },
    )
    book.set_properties({"created": CREATED})
    try:
        _write(book, sheets, path)
    except BaseException:
        with suppress(Exception):
            book.close()  # its temporary files
        raise
    book.close()
    return file.getvalue()


def _write(book: Workbook, sheets: Sequence[Table | SheetText], path: str) -> None:
    formats = {name: book.add_format(one) for name, one in FORMATS.items()}
    names: list[str] = []
    for one in sheets:
        names.append(_sheet_name(one.name, names))
        sheet = book.add_worksheet(names[-1])
        # The library writes 16 digits, and some numbers have 17.
        sheet._xml_number_element = partial(_write_number, sheet)
        if isinstance(one, Table):
            _Writer(sheet, formats, path).write(one)
        else:
            sheet.set_column(0, 0, 100)
            for row, line in enumerate(one.text.splitlines()):
                sheet.write_string(row, 0, line[:LONGEST_TEXT], formats["text"])
    if len(sheets) > 1:
        first = next(at for at, one in enumerate(sheets) if isinstance(one, Table))
        quoted = names[first].replace("'", "''")
        book.define_name(MARK, f"='{quoted}'!$A$1")


def _write_number(
    sheet: Worksheet, number: float, attributes: Iterable[tuple[str, str]] = ()
) -> None:
    about = "".join(f' {key}="{value}"' for key, value in attributes)
    sheet.fh.write(f"<c{about}><v>{number!r}</v></c>")


class _Writer:
    """Writes the rows of a table to a sheet."""

    def __init__(self, sheet: Worksheet, formats: dict[str, Format], path: str) -> None:
        self._sheet = sheet
        self._formats = formats
        self._path = path

    def write(self, table: Table) -> None:
        sheet, formats = self._sheet, self._formats
        cells: list[Format | None] = []
        for number, column in enumerate(table.columns):
            kind = formats["open" if column.choices else "text"] if _is_styled(column) else None
            cells.append(kind)
            sheet.set_column(
                number, number, column.width, None, {"hidden": 1} if column.hidden else {}
            )
            self._text(0, number, column.heading, formats["heading"])
        sheet.freeze_panes(1, 0)
        last = 0
        for last, row in enumerate(table.rows, 1):
            if last >= MOST_ROWS:
                raise InputError(
                    message("io.sheet-has-at-most", rows=MOST_ROWS - 1),
                    path=self._path,
                    hint=message("io.write-csv-or-parquet"),
                )
            for number, value in enumerate(row):
                self._cell(last, number, value, cells[number])
        for number, column in enumerate(table.columns):
            if column.choices and last:
                sheet.data_validation(
                    1, number, last, number,
                    {
                        "validate": "list", "source": list(column.choices),
                        "error_message": column.error[:255],
                    },
                )  # fmt: skip
        if last:
            sheet.autofilter(0, 0, last, len(table.columns) - 1)

    def _cell(self, row: int, column: int, value: Value, style: Format | None) -> None:
        sheet, formats = self._sheet, self._formats
        if value is None or value == "":
            if style is not None:
                sheet.write_blank(row, column, None, style)
        elif isinstance(value, str):
            self._text(row, column, value, style)
        elif isinstance(value, bool):
            sheet.write_boolean(row, column, value)
        elif isinstance(value, datetime):
            if value.microsecond % 1000 or value.year < 1901:
                self._text(row, column, value.isoformat(), style)
            else:
                kind = "moment" if value.microsecond else "second"
                sheet.write_datetime(row, column, value, formats[kind])
        elif isinstance(value, date):
            if value.year < 1901:
                self._text(row, column, value.isoformat(), style)
            else:
                sheet.write_datetime(row, column, datetime(*value.timetuple()[:3]), formats["day"])
        elif not math.isfinite(value):
            if not math.isnan(value):
                self._text(row, column, str(value), style)
        elif abs(value) >= EXACT and float(value).is_integer():
            self._text(row, column, str(int(value)), style)
        else:
            sheet.write_number(row, column, value, style)

    def _text(self, row: int, column: int, text: str, style: Format | None) -> None:
        fault = ""
        if len(text) > LONGEST_TEXT or _units(text) > LONGEST_TEXT:
            fault = message("io.text-exceeds-cell", most=LONGEST_TEXT)
        elif SURROGATE.search(text):
            fault = message("core.half-of-surrogate-pair")
        if fault:
            raise InputError(
                message("io.cell-cannot-contain", cell=cell_name(row, column), fault=fault),
                path=self._path,
                hint=message("io.write-csv-or-parquet"),
            )
        self._sheet.write_string(row, column, text, style)


def _units(text: str) -> int:
    """Returns the length of a text as Excel counts it."""
    if 2 * len(text) <= LONGEST_TEXT:
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _is_styled(column: Column) -> bool:
    return column.wrap or bool(column.choices)


def _is_large(sheet: Table | SheetText) -> bool:
    if not isinstance(sheet, Table) or not isinstance(sheet.rows, Sequence):
        return isinstance(sheet, Table)
    return len(sheet.rows) * len(sheet.columns) > LARGE


def _sheet_name(name: str, taken: Sequence[str]) -> str:
    """Returns a name that Excel allows and that is not taken."""
    plain = FORBIDDEN.sub(" ", name).strip(" '")[:LONGEST_NAME].strip(" '")
    if not plain or plain.casefold() == "history":
        plain = f"Sheet{len(taken) + 1}"
    found, number = plain, 1
    while found.casefold() in {one.casefold() for one in taken}:
        number += 1
        found = f"{plain[: LONGEST_NAME - 4]} {number}"
    return found
