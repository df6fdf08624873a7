"""Notes on months, in the app."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import CheckedForm, Leader, note_event
from relyon.app.months.dashboard import OpenRounds
from relyon.core.errors import UnknownNameError
from relyon.core.texts import message
from relyon.online.monitoring import LONGEST_NOTE, add_month_note
from relyon.online.monitoring.archive import find_rounds

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.post("/monitor/notes", dependencies=[CheckedForm])
def add_note(
    request: Request,
    visitor: Leader,
    rounds: OpenRounds,
    month: Annotated[str, Form(max_length=20)],
    text: Annotated[str, Form(max_length=LONGEST_NOTE)] = "",
) -> Response:
    """Adds a note on a stored month."""
    if month not in {one.name for one in find_rounds(rounds.folder)}:
        raise UnknownNameError(message("online.there-is-no-month", month=month))
    add_month_note(rounds.folder, month, text, by=visitor.account.name)
    note_event(request, visitor, "month_noted", month)
    return RedirectResponse("/monitor#written", 303)
