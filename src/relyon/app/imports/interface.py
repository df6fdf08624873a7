"""Imports through the REST interface: what they would change, and the imports themselves."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

from fastapi import APIRouter, Body, Query, Request

from relyon.app.authentication import LeadingCaller, OpenStore, note_event
from relyon.app.bodies import takes_files
from relyon.app.rest import Id
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.judging.exchange import Mode
from relyon.judging.intake.columns import FIELD
from relyon.judging.intake.files import Part, Seen
from relyon.judging.intake.rankings import DEEPEST
from relyon.judging.intake.upload import Upload, bring_upload, check_upload, see_upload

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["judging"])
#: Refused rows that an answer lists.
LISTED = 1000
#: The name of what was sent, in messages.
NAME = "request"


@router.post("/projects/{project}/import")
@takes_files
def import_text(
    request: Request,
    store: OpenStore,
    user: LeadingCaller,
    project: Id,
    text: Annotated[str, Body(media_type="text/plain")],
    format: str = "csv",
    kind: Annotated[
        Literal["results", "run", "documents", "queries"],
        Query(description="Results to grade, a run, a catalogue, or queries with their needs."),
    ] = "results",
    column: Annotated[
        list[str] | None,
        Query(description="What a column is, as `role=heading`; repeated for several."),
    ] = None,
    k: Annotated[
        int | None, Query(ge=1, le=DEEPEST, description="Of a run: how many ranks are judged.")
    ] = None,
    gold: bool = False,
    update: Annotated[
        bool, Query(description="Grades replace those that their judges gave before.")
    ] = False,
    dry_run: Annotated[
        bool, Query(description="Stores nothing, and returns what an import would change.")
    ] = False,
    without_refused: Annotated[
        bool, Query(description="Leaves out the rows that cannot be imported.")
    ] = False,
) -> dict[str, object]:
    """For leads: adds what a file contains, which is the body of the request.

    Without `without_refused`, nothing is imported if a row cannot be.
    """
    found = store.projects.get(project)
    if found.kind == "side_by_side" and kind in ("results", "run"):
        raise InputError(message("app.file-contains-no-rankings"), hint=message("app.use-data-tab"))
    limit = request.app.state.settings.largest_sheet
    mode: Mode = "gold" if gold else "update" if update else "add"
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, NAME)
        with open(path, "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        upload = Upload(kind, (Part(NAME, path, format),), k, mode)
        (seen,) = see_upload(found, upload, limit)
        if seen.guess.grades and not column:
            raise InputError(
                message(
                    "judging.fields-are-grades", fields=[f"`{one}`" for one in seen.guess.grades]
                ),
                path=NAME,
                hint=message("app.name-what-they-are"),
            )
        part = replace(upload.parts[0], choices=_choices(seen, column or []))
        upload = replace(upload, parts=(part,))
        if dry_run:
            told = check_upload(store, found, upload, limit)
            listed = replace(told, refused=told.refused[:LISTED])
            return {**listed.to_dict(), "refused_rows": len(told.refused)}
        leave_out: frozenset[int] = frozenset()
        if without_refused:
            refused = check_upload(store, found, upload, limit).refused
            leave_out = frozenset(one.place for one in refused)
        told = bring_upload(store, found, upload, limit, leave_out=leave_out, by=user)
    note_event(request, user, "imported", f"{found.name}: {format}, {told.new} + {told.grades}")
    answer: dict[str, object] = {"items": told.new, "grades": told.grades}
    if kind in ("documents", "queries"):
        answer = {"filled": told.filled, "needs": told.needs}
    return answer


def _choices(seen: Seen, given: Sequence[str]) -> Mapping[str, str] | None:
    """Returns what columns are: as they seem to be, unless the caller says otherwise.

    Raises:
        ParameterError: If something else than `role=heading` is given.
    """
    if seen.table is None:
        return None
    found = dict(seen.choices)
    for one in given:
        role, sign, heading = one.partition("=")
        if not sign:
            raise ParameterError(message("app.is-not-role-and-heading", given=one[:60]))
        for name, choice in found.items():
            if choice == role != FIELD:
                found[name] = FIELD
        found[heading] = role
    return found
