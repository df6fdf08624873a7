"""Grading sheets that come back: only into their project, for their judge, with their items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.judging.bulk import find_items

if TYPE_CHECKING:
    from relyon.data.sheets import Sheet
    from relyon.judging.records import Project
    from relyon.judging.store import Store

__all__ = ["check_sent_sheet"]


def check_sent_sheet(
    store: Store, project: Project, sheet: Sheet, *, judge: str | None = None, path: str = ""
) -> None:
    """Checks a grading sheet before its import; other sheets pass.

    A sheet of a project that is not in the database, as it was renamed, passes if all of its items
    are in the project.

    Args:
        store: The database.
        project: The project.
        sheet: A sheet.
        judge: The judge to whom the caller attributes it; None for the one that it names.
        path: The file, for messages.

    Raises:
        InputError: If it is of another project or judge, contains an item that the project lacks,
            or has neither a grade nor a note.
    """
    sent = sheet.sent
    if sent is None:
        return
    if sent.project not in ("", project.name) and any(
        one.name == sent.project for one in store.projects.all()
    ):
        raise InputError(
            message("judging.sheet-of-other-project", sheet=sent.project, project=project.name),
            path=path,
            hint=message("judging.import-into-its-project", sheet=sent.project),
        )
    others = [name for name in sent.judges if name and name != (judge or name).strip()]
    if others:
        raise InputError(
            message("judging.sheet-of-other-judge", owner=others[0], judge=judge),
            path=path,
            hint=message(
                "judging.export-sheet-for-judge",
                owner=others[0],
                judge=judge,
                project=project.name,
            ),
        )
    with store.database.read() as connection:
        known = find_items(connection, project.id, sent.places)
    strangers = [pair for pair in sent.places if pair not in known]
    if strangers:
        query, document = strangers[0]
        raise ParseError(
            message(
                "judging.sheet-has-other-items",
                count=len(strangers),
                total=len(sent.places),
                project=project.name,
                query=query,
                document=document,
            ),
            path=path,
            line=sent.places[strangers[0]],
            hint=message("judging.restore-hidden-cells"),
        )
    if sent.empty == len(sent.places):
        raise InputError(
            message("judging.sheet-is-empty", count=sent.empty),
            path=path,
            hint=message("judging.choose-grades-and-save"),
        )
