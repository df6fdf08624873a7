"""The parts of an Excel workbook that a sheet needs, unpacked within bounds.

A workbook is a zip archive: a few bytes of it can unpack to gigabytes, two cells can span millions,
and one long text can be in every cell. So its parts are measured before a library reads them.
"""

from __future__ import annotations

import io
import os
import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element
    from zipfile import ZipFile

__all__ = ["MARK", "Bounds", "Parts", "SheetPart", "cell_name", "damaged"]

#: The name that a workbook gives the cell where its table begins, if it has further sheets.
MARK = "relyon_table"
WORKBOOK, LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
#: What is read besides the sheet.
SHARED = ("[content_types].xml", "_rels/.rels", WORKBOOK, LINKS, "xl/styles.xml")
STRINGS = "xl/sharedstrings.xml"
#: Most bytes of a part that only describes others.
SMALL = 2**24
MILLION = 1_000_000
PLACES = re.compile(rb"""\br\s*=\s*["']([A-Za-z]{1,4})(\d{1,10})["']""")
ROWS = re.compile(rb"<(?:\w+:)?row(?![^>]*\br\s*=)")
NUMBERS = re.compile(rb"""<(?:\w+:)?row\b[^>]*\br\s*=\s*["'](\d{1,10})""")
CELLS = re.compile(rb"<(?:\w+:)?c[\s/>]")
USUAL_ROWS = re.compile(rb'<row [^>]*?r="(\d+)"')
#: A column beyond Z or a row that no sheet has, and a row from the millionth on.
FAR_COLUMN = re.compile(rb' r="(?:[A-Z]{2}|[A-Z]\d{8})')
FAR_ROW = re.compile(rb'<row (?!r="\d{1,6}")[^>]*?r="\d{7}')
USUAL_COLUMNS = re.compile(rb' r="([A-Z]{2,})\d')
#: A place that no sheet has: Excel's last is XFD1048576.
NOWHERE = re.compile(rb"""\br\s*=\s*["'](?:[A-Za-z]{4,}\d|[A-Za-z]{0,3}\d{8})""")
#: Parts of which fewer bytes unpack to more are not what a spreadsheet program writes.
DENSE, BOMB = 200, 2**25
#: More bytes than any cell's text takes, which has at most 32,767 characters.
LONGEST_TEXT = 2**20
#: The shortest cell with a text.
TEXT_CELL = b"<c t='s'><v>0</v></c>"
INDICES = re.compile(rb"v\s*>\s*(\d+)")
TEXTS = re.compile(rb"</(?:\w+:)?si\s*>")
CONTENT = re.compile(rb"<(?:\w+:)?(?:v|is|f)[\s/>]")


@dataclass(frozen=True)
class Bounds:
    """Bounds of a workbook that is read.

    Attributes:
        unpacked: Most bytes of its parts, and of the texts in its cells.
        cells: Most cells of the rectangle that a sheet spans.
        trusted: Whether it is written as spreadsheet programs write, not to exhaust memory.
    """

    unpacked: int = 2**31
    cells: int = 50_000_000
    trusted: bool = True

    @staticmethod
    def of(limit: int | None) -> Bounds:
        """Returns the bounds of a workbook that may take some bytes of memory."""
        return Bounds() if limit is None else Bounds(limit, limit // 100, trusted=False)


@dataclass(frozen=True)
class SheetPart:
    """A sheet of a workbook.

    Attributes:
        name: Its name.
        part: Its part of the archive.
        visible: Whether it is not hidden.
    """

    name: str
    part: str
    visible: bool


class Parts:
    """A workbook's archive.

    Args:
        file: A path, or the bytes.
        path: Its name in messages.
        bounds: What it may take.

    Raises:
        InputError: If it is damaged.
    """

    def __init__(self, file: str | os.PathLike[str] | bytes, path: str, bounds: Bounds) -> None:
        from zipfile import ZipFile

        self.path = path
        self.bounds = bounds
        self._left = bounds.unpacked
        try:
            self._zip: ZipFile = ZipFile(io.BytesIO(file) if isinstance(file, bytes) else file)
        except Exception as error:
            raise damaged(path, error) from None
        self._members = {name.lower(): name for name in self._zip.namelist()}
        if WORKBOOK not in self._members:
            raise InputError(
                message("io.is-spreadsheet"), path=path, hint=message("io.save-as-xlsx-or-csv")
            )
        book = self._tree(WORKBOOK)
        targets = {one.get("Id"): one.get("Target", "") for one in self._tree(LINKS)}
        self.sheets = [
            SheetPart(
                one.get("name", ""),
                posixpath.normpath(posixpath.join("/xl", targets.get(_link(one), ""))).lstrip("/"),
                one.get("state", "visible") == "visible",
            )
            for one in _found(book, "sheet")
        ]
        self.table = next(
            (
                (one.text or "").rpartition("!")[0].strip("'").replace("''", "'")
                for one in _found(book, "definedName")
                if one.get("name") == MARK
            ),
            "",
        )
        #: Whether formulas are yet to be computed by a spreadsheet program.
        self.uncomputed = any(
            one.get("fullCalcOnLoad") in ("1", "true") for one in _found(book, "calcPr")
        )

    def close(self) -> None:
        """Closes the file."""
        self._zip.close()

    def has_cells(self, sheet: SheetPart) -> bool:
        """Whether a sheet has a cell with a value in its beginning."""
        name = self._members.get(sheet.part.lower())
        if name is None:
            return False
        try:
            with self._zip.open(name) as part:
                return CONTENT.search(part.read(SMALL)) is not None
        except Exception as error:
            raise damaged(self.path, error) from None

    def part(self, name: str, most: int | None = None) -> bytes:
        """Returns an unpacked part; b"" if there is none.

        Args:
            name: Its name.
            most: Most bytes of it, if fewer than may be unpacked in all.

        Raises:
            InputError: If it is damaged, or too large.
        """
        member = self._members.get(name.lower())
        if member is None:
            return b""
        allowed = self._left if most is None else min(most, self._left)
        about = self._zip.getinfo(member)
        if about.file_size > max(BOMB, DENSE * about.compress_size):
            raise InputError(
                message("io.workbook-part-is-bomb", part=member, size=about.file_size / 2**20,
                        times=about.file_size // max(1, about.compress_size)),
                path=self.path,
                hint=message("io.open-and-save-in-excel"),
            )  # fmt: skip
        try:
            with self._zip.open(member) as part:
                data = part.read(allowed + 1)
        except Exception as error:
            raise damaged(self.path, error) from None
        if len(data) > allowed:
            raise self._too_large()
        self._left -= len(data)
        return data

    def small_copy(self, sheet: SheetPart, content: bytes) -> io.BytesIO:
        """Returns an archive with one sheet and what it needs, whose size is known.

        Args:
            sheet: The sheet.
            content: Its part.

        Raises:
            InputError: If the cells or their texts take too much.
        """
        from zipfile import ZipFile

        strings = self.part(STRINGS)
        self._check(content, strings)
        file = io.BytesIO()
        with ZipFile(file, "w") as copy:
            for name in SHARED:
                if data := self.part(name, SMALL):
                    copy.writestr(self._members[name], data)
            if strings:
                copy.writestr(self._members[STRINGS], strings)
            copy.writestr(self._members[sheet.part.lower()], content)
        file.seek(0)
        return file

    def _check(self, content: bytes, strings: bytes) -> None:
        """Refuses a sheet that takes much more memory than its part."""
        most = self.bounds.cells
        if FAR_COLUMN.search(content) or not self.bounds.trusted:
            self._check_places(content)
        rows, width = (_usual_size if self.bounds.trusted else _largest_size)(content)
        if rows * width > most:
            raise InputError(
                message("io.sheet-spans-too-many", cells=rows * width, most=most),
                path=self.path,
                hint=message("io.delete-far-cells"),
            )
        longest = max(map(len, strings.split(b"si>")))
        if b"inlineStr" in content[: 2 * LONGEST_TEXT]:
            longest = max(longest, *map(len, content.split(b"</c>")))
        if longest > LONGEST_TEXT:
            raise InputError(
                message("io.cell-text-is-too-long", size=longest / 2**20),
                path=self.path,
                hint=message("io.shorten-cell-text"),
            )
        if min(rows * width, len(content) // len(TEXT_CELL)) * longest <= self.bounds.unpacked:
            return
        lengths = [len(one) for one in TEXTS.split(strings)]
        used = (int(one) for one in INDICES.findall(content) if len(one) < 10)
        if sum(lengths[one] for one in used if one < len(lengths)) > self.bounds.unpacked:
            raise self._too_large()

    def _check_places(self, content: bytes) -> None:
        """Refuses cells where no sheet has any, whose numbers libraries cannot count."""
        if found := NOWHERE.search(content):
            place = content[found.start() :][:40].decode("ascii", "replace")
            raise damaged(self.path, ValueError(place))

    def _tree(self, name: str) -> Element:
        from xml.etree.ElementTree import fromstring

        data = self.part(name, SMALL)
        try:
            if b"<!DOCTYPE" in data:
                raise ValueError("document type")
            return fromstring(data)
        except Exception as error:
            raise damaged(self.path, error) from None

    def _too_large(self) -> InputError:
        return InputError(
            message("io.workbook-unpacks-to", limit=self.bounds.unpacked / 2**20),
            path=self.path,
            hint=message("io.save-large-sheet-as-csv"),
        )


def damaged(path: str, error: BaseException) -> InputError:
    """Returns the error for a workbook that cannot be read."""
    reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
    return InputError(
        message("io.workbook-is-damaged", reason=reason or type(error).__name__),
        path=path,
        hint=message("io.open-and-save-in-excel"),
    )


def cell_name(row: int, column: int) -> str:
    """Returns the name of a cell, from its row and column counted from 0.

    Examples:
        >>> cell_name(0, 0), cell_name(9, 27)
        ('A1', 'AB10')
    """
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


def _usual_size(content: bytes) -> tuple[int, int]:
    """Returns the rows and columns of a sheet as programs write it, or what few sheets exceed."""
    if not FAR_COLUMN.search(content) and not FAR_ROW.search(content):
        return MILLION, 26
    rows = max((int(row) for row in USUAL_ROWS.findall(content)), default=0)
    return rows, max([26, *map(_column, {*USUAL_COLUMNS.findall(content)})])


def _largest_size(content: bytes) -> tuple[int, int]:
    """Returns how many rows and columns a sheet has at most, however it is written."""
    places = PLACES.findall(content)
    width = max((_column(name) for name in {name for name, _ in places}), default=0)
    rows = max((int(row) for row in {row for _, row in places}), default=0)
    # A row without a number follows the one before it, and so does a cell.
    rows = max(rows, *map(int, NUMBERS.findall(content)), 0) + len(ROWS.findall(content))
    if len(places) < len(CELLS.findall(content)):
        width += max(len(CELLS.findall(row)) for row in ROWS.split(content))
    return rows, width


def _column(letters: bytes) -> int:
    number = 0
    for one in letters.upper():
        number = number * 26 + one - 64
    return number


def _found(tree: Element, name: str) -> Iterable[Element]:
    """Yields the elements of a name, in any namespace."""
    return (one for one in tree.iter() if one.tag.rpartition("}")[2] == name)


def _link(sheet: Element) -> str:
    """Returns the id of the link to a sheet's part, in any namespace."""
    return next((value for key, value in sheet.items() if key.endswith("}id")), "")
