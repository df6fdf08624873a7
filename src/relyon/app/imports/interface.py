"""Imports through the REST interface: what they would change, and the imports themselves."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

from fastapi import APIRouter, Body, Query, Request
from pydantic import BaseModel, ConfigDict, Field

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


class Wanted(BaseModel):
    """How a file is imported."""

    model_config = ConfigDict(extra="ignore")

    format: str = "csv"
    kind: Literal["results", "run", "documents", "queries"] = Field(
        "results",
        description="Results to grade, a run, a catalogue, or queries with their needs.",
    )
    column: list[str] = Field(
        [], description="What a column is, as `role=heading`; repeated for several."
    )
    k: int | None = Field(
        None, ge=1, le=DEEPEST, description="Of a run: how many ranks are judged."
    )
    gold: bool = False
    update: bool = Field(False, description="Grades replace those that their judges gave before.")
    dry_run: bool = Field(
        False, description="Stores nothing, and returns what an import would change."
    )
    without_refused: bool = Field(False, description="Leaves out the rows that cannot be imported.")

    @property
    def mode(self) -> Mode:
        """What happens to grades."""
        return "gold" if self.gold else "update" if self.update else "add"


@router.post("/projects/{project}/import")
@takes_files
def import_text(
    request: Request,
    store: OpenStore,
    user: LeadingCaller,
    project: Id,
    text: Annotated[str, Body(media_type="text/plain")],
    wanted: Annotated[Wanted, Query()],
) -> dict[str, object]:
    """For leads: adds what a file contains, which is the body of the request.

    Without `without_refused`, nothing is imported if a row cannot be.
    """
    found = store.projects.get(project)
    if found.kind == "side_by_side" and wanted.kind in ("results", "run"):
        raise InputError(message("app.file-contains-no-rankings"), hint=message("app.use-data-tab"))
    limit = request.app.state.settings.largest_sheet
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, NAME)
        with open(path, "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        part = Part(NAME, path, wanted.format)
        upload = Upload(wanted.kind, (part,), wanted.k, wanted.mode)
        (seen,) = see_upload(found, upload, limit)
        if seen.guess.grades and not wanted.column:
            raise InputError(
                message(
                    "judging.fields-are-grades", fields=[f"`{one}`" for one in seen.guess.grades]
                ),
                path=NAME,
                hint=message("app.name-what-they-are"),
            )
        part = replace(part, choices=_choices(seen, wanted.column))
        upload = replace(upload, parts=(part,))
        if wanted.dry_run:
            told = check_upload(store, found, upload, limit)
            listed = replace(told, refused=told.refused[:LISTED])
            return {**listed.to_dict(), "refused_rows": len(told.refused)}
        leave_out: frozenset[int] = frozenset()
        if wanted.without_refused:
            refused = check_upload(store, found, upload, limit).refused
            leave_out = frozenset(one.place for one in refused)
        told = bring_upload(store, found, upload, limit, leave_out=leave_out, by=user)
    note_event(
        request, user, "imported", f"{found.name}: {wanted.format}, {told.new} + {told.grades}"
    )
    answer: dict[str, object] = {"items": told.new, "grades": told.grades}
    if wanted.kind in ("documents", "queries"):
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
