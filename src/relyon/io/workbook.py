"""A sheet of an Excel workbook as CSV, which every reader of tables takes.

A line of it is a row of the sheet: rows without values are empty lines.
"""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import TYPE_CHECKING, BinaryIO

from relyon.core.errors import InputError
from relyon.core.packages import optional_package
from relyon.core.row_numbers import note_rows
from relyon.core.texts import message
from relyon.io.workbook_cells import Value, csv_column
from relyon.io.workbook_parts import Bounds, Parts, SheetPart, cell_name, damaged

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

__all__ = ["sheet_csv"]

#: Bytes of a sheet's beginning that show how it is written.
SAMPLE = 2**16
#: A cell, and its formula and value: every part ends where a tag does, so that no text is looked at
#: twice.
CELL = rb"<{0}c\b([^<>]*)>\s*"
COMPUTED = rb"<{0}f\b[^<>]*>(?:[^<]*</{0}f\s*>)?\s*"
ERROR = re.compile(rb"""\bt\s*=\s*["']e["']""")
VALUE = rb"(?:<{0}v\b[^<>]*>([^<]*))?"
#: What may precede the names of elements.
PREFIX = rb"(?:\w+:)?"
PLACE = re.compile(rb"""\br\s*=\s*["']([A-Za-z]+\d+)["']""")
TEXT = re.compile(rb"""\bt\s*=\s*["'](?:str|inlineStr)["']""")


def sheet_csv(
    file: str | os.PathLike[str] | bytes, path: str, sheet: str = "", *, limit: int | None = None
) -> bytes:
    """Returns a sheet as CSV: text, numbers, ISO dates, durations in seconds, `true` and `false`.

    Args:
        file: The file's path, or its bytes.
        path: Its name in messages, with the sheet if one is named.
        sheet: The name of the sheet; empty for the only visible one that has cells.
        limit: Approximate bytes of memory that it may take; None for those that Excel can have.

    Raises:
        InputError: If it is damaged, has several sheets, merged cells, errors, formulas without a
            value, columns without a heading, or takes too much.
        DependencyError: If the library that reads workbooks is not installed.
    """
    library = optional_package(
        "python_calamine", purpose="io.reading-excel", package="python-calamine",
        install="relyon[excel]",
    )  # fmt: skip
    parts = Parts(file, path, Bounds.of(limit))
    try:
        chosen = _choose(parts, sheet)
        content = parts.part(chosen.part)
        if not content:
            raise damaged(path, KeyError(chosen.part))
        _check_faults(content, path, uncomputed=parts.uncomputed)
        copy = parts.small_copy(chosen, content)
    finally:
        parts.close()
    del content
    with _collector_paused():
        return _sheet(library.CalamineWorkbook, copy, chosen.name, path)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pauses the collector of cycles, which would look at every row again and again."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _sheet(library: type[CalamineWorkbook], copy: BinaryIO, name: str, path: str) -> bytes:
    """Returns the sheet of a checked workbook as CSV."""
    try:
        found = library.from_filelike(copy).get_sheet_by_name(name)
        merged = found.merged_cell_ranges or []
        rows: Sequence[Sequence[Value]] = found.to_python(skip_empty_area=False)
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # Rust's panics are not exceptions
        raise damaged(path, error) from None
    for (top, left), (bottom, right) in merged:
        if top < len(rows) and left < len(rows[0]) and (top, left) != (bottom, right):
            raise InputError(
                message(
                    "io.cells-are-merged",
                    cells=f"{cell_name(top, left)}:{cell_name(bottom, right)}",
                ),
                path=path,
                hint=message("io.unmerge-cells"),
            )
    return _csv(rows, path)


def _choose(parts: Parts, name: str) -> SheetPart:
    """Returns the sheet of a name, or the only one, or the one that the workbook names."""
    if not name:
        filled = [one for one in parts.sheets if one.visible and parts.has_cells(one)]
        if len(filled) > 1:
            filled = [one for one in filled if one.name == parts.table] or filled
        if len(filled) == 1:
            return filled[0]
        if not filled:
            raise InputError(message("io.no-sheet-has-cells"), path=parts.path)
        raise InputError(
            message("io.workbook-has-several-sheets", sheets=[f"`{one.name}`" for one in filled]),
            path=parts.path,
            hint=message("io.name-sheet-in-path", path=parts.path, sheet=filled[0].name),
        )
    same = [one for one in parts.sheets if one.name == name] or [
        one for one in parts.sheets if one.name.strip().casefold() == name.strip().casefold()
    ]
    if not same:
        raise InputError(
            message("io.workbook-has-no-sheet", sheet=name),
            path=parts.path,
            hint=message(
                "io.sheets-of-workbook-are", sheets=[f"`{one.name}`" for one in parts.sheets]
            ),
        )
    return same[0]


def _check_faults(content: bytes, path: str, *, uncomputed: bool) -> None:
    """Refuses errors such as #N/A, and formulas whose value is not in the file."""
    # A writer uses one prefix and one kind of quotes for all elements.
    start = content[:SAMPLE]
    prefix = PREFIX if b":row" in start else b""
    if (b"'e'" if b"r='" in start else b'"e"') in content:
        for about, shown in _cells(CELL + b"(?:" + COMPUTED + b")?" + VALUE, prefix, content):
            if not ERROR.search(about):
                continue
            raise InputError(
                message(
                    "io.cell-is-error",
                    cell=_place(about),
                    error=shown.decode("utf-8", "replace")[:20],
                ),
                path=path,
                hint=message("io.correct-cell"),
            )
    if (b":f" if prefix else b"<f") not in content:
        return
    for about, shown in _cells(CELL + COMPUTED + VALUE, prefix, content):
        if (not shown and not TEXT.search(about)) or (uncomputed and shown == b"0"):
            raise InputError(
                message("io.formula-has-no-value", cell=_place(about)),
                path=path,
                hint=message("io.open-and-save-in-excel"),
            )


def _cells(pattern: bytes, prefix: bytes, content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields the attributes and the value of the cells that a pattern finds."""
    for found in re.finditer(pattern.replace(b"{0}", prefix), content):
        yield found[1], (found[2] or b"").strip()


def _place(about: bytes) -> str:
    """Returns the name of a cell, from its attributes."""
    place = PLACE.search(about)
    return place[1].decode().upper() if place else "?"


def _heading_hint(rows: Sequence[Sequence[Value]], first: int) -> str:
    """Returns the hint for a column without a heading: the first row may be a title.

    Args:
        rows: The rows from the first with values on.
        first: The rows above these.
    """
    filled = [sum(value != "" for value in row) for row in rows[:20]]
    for place, row in enumerate(rows[: len(filled)]):
        texts = sum(isinstance(value, str) and value != "" for value in row)
        if filled[0] == 1 < filled[place] == texts:
            return message("io.headings-may-be-below", row=first + place + 1)
    return message("io.write-heading")


def _csv(rows: Sequence[Sequence[Value]], path: str) -> bytes:
    """Returns CSV whose lines are the rows, without columns and last rows that are empty."""
    first = next((at for at, row in enumerate(rows) if any(one != "" for one in row)), len(rows))
    if first == len(rows):
        raise InputError(message("io.no-sheet-has-cells"), path=path)
    rows = rows[first:] if first else rows
    written = []
    for number in range(len(rows[0])):
        values = list(map(itemgetter(number), rows))
        if all(value == "" for value in values):
            continue
        if values[0] == "":
            at = next(row for row, value in enumerate(values) if value != "")
            raise InputError(
                message(
                    "io.column-has-no-heading",
                    cell=cell_name(first, number),
                    used=cell_name(first + at, number),
                ),
                path=path,
                hint=_heading_hint(rows, first),
            )
        name = " ".join(values[0].split()) if isinstance(values[0], str) else values[0]
        heading = csv_column([name], number, first, path)
        written.append([*heading, *csv_column(values[1:], number, first + 1, path)])
    lines = list(map(",".join, zip(*written, strict=True)))
    empty = "," * (len(written) - 1)
    if empty and empty in lines:
        lines = ["" if line == empty else line for line in lines]
    while not lines[-1]:
        lines.pop()
    text = "\n".join(lines)
    note_rows(path, first, lines if text.count("\n") >= len(lines) else ())
    return f"{chr(10) * first}{text}\n".encode("utf-8", "surrogatepass")
