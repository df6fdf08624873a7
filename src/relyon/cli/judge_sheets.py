"""Plain grading sheets: written by `relyon judge export`, taken back by `relyon judge import`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.cli.messages import messages
from relyon.cli.output import is_folder, refuse_existing, write
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.sheets import Sheet
    from relyon.judging.records import Project
    from relyon.judging.store import Store

__all__ = ["accept_sheet", "refuse_other_name", "sheet_bytes", "write_grading_sheets"]

#: Numbers among the columns of a sheet.
NUMBERS = ("rank", "inclusion_probability", "grade", "seconds", "at", "final")


def write_grading_sheets(
    store: Store, project: Project, judges: Sequence[str], output: str | None, *, force: bool
) -> None:
    """Writes a workbook per judge, with the items that the judge is to grade.

    Args:
        store: The database.
        project: The project.
        judges: The judges' names.
        output: The file of one judge, or a folder.
        force: Whether existing files are replaced.

    Raises:
        InputError: If there is nothing to grade, or a file exists.
        ParameterError: If several judges would share a file.
    """
    from relyon.io.grading_sheets import grading_sheet
    from relyon.judging.grading_sheets import divide_items

    if output is None or (len(judges) > 1 and not is_folder(output)):
        raise ParameterError(
            message("cli.each-judge-has-file"), hint=message("cli.name-folder-for-sheets")
        )
    shares = divide_items(store, project.id, judges)
    paths = _paths([*shares], output)
    if not any(shares.values()):
        raise InputError(message("cli.nothing-left-to-grade", project=project.name))
    for path in paths.values():
        refuse_existing(path, force)
    if is_folder(output):
        os.makedirs(output, exist_ok=True)
    language = messages.language
    for judge, rows in shares.items():
        if not rows:
            messages.warning(message("cli.nothing-left-for-judge", judge=judge))
            continue
        path = paths[judge]
        guideline = project.guideline_in(language)
        write(
            grading_sheet(
                rows,
                judge,
                project.scale,
                project=project.name,
                language=language,
                guideline=guideline,
                path=path,
            ),
            path,
        )
        messages.note(message("cli.sheet-for-judge", path=path, judge=judge, count=len(rows)))


def refuse_other_name(output: str | None) -> None:
    """Refuses to write a workbook to a file that Excel does not open.

    Args:
        output: The file; None or `-` for stdout, or a folder.

    Raises:
        ParameterError: If its name does not end as a workbook's.
    """
    from relyon.io.sheet_names import SUFFIXES

    if output in (None, "-") or is_folder(output) or output.lower().endswith(SUFFIXES[0]):
        return
    raise ParameterError(
        message("cli.sheet-is-not-xlsx", path=output),
        hint=message("cli.name-xlsx-or-folder", path=output),
    )


def accept_sheet(
    store: Store, project: Project, sheet: Sheet, judge: str | None, path: str
) -> None:
    """Checks a sheet that comes back, and says which of its rows have no grade.

    Args:
        store: The database.
        project: The project.
        sheet: A sheet of any kind.
        judge: The judge to whom the user attributes it, if one is named.
        path: The file.

    Raises:
        InputError: If it is a grading sheet of another project or judge, has other items, or is
            empty.
    """
    from relyon.judging.sent_sheets import check_sent_sheet

    check_sent_sheet(store, project, sheet, judge=judge, path=path)
    if sheet.sent is None:
        return
    ungraded = sum(one.grade is None for row in sheet.rows for one in row.ratings)
    if ungraded:
        messages.note(message("cli.rows-cannot-be-graded", path=path, count=ungraded))
    if sheet.sent.empty:
        total = len(sheet.sent.places)
        messages.warning(
            message("cli.rows-are-empty", path=path, count=sheet.sent.empty, total=total)
        )


def sheet_bytes(sheet: Sheet, path: str) -> bytes:
    """Returns a workbook with every grade, in the columns of CSV."""
    import polars as pl

    from relyon.io.sheets import write_sheet
    from relyon.io.text_rows import read_cells
    from relyon.io.workbook_writer import frame_table, workbook_bytes

    text, _ = write_sheet(sheet, format="csv")
    frame = read_cells(text.encode())
    shown = frame.with_columns(
        pl.col(name).cast(pl.Float64) for name in NUMBERS if name in frame.columns
    )
    return workbook_bytes([frame_table(shown, sheet.name)], path)


def _paths(judges: Sequence[str], output: str) -> dict[str, str]:
    """Returns the file of each judge."""
    if not is_folder(output):
        return {judges[0]: output}
    paths: dict[str, str] = {}
    for judge in judges:
        name = re.sub(r"[^\w-]+", "_", judge).strip("_") or "judge"
        taken = {os.path.basename(path).casefold() for path in paths.values()}
        number = 1
        found = f"{name}.xlsx"
        while found.casefold() in taken:
            number += 1
            found = f"{name}_{number}.xlsx"
        paths[judge] = os.path.join(output, found)
    return paths
