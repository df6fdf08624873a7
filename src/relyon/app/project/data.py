"""What a project contains: files in and out."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial
from typing import Annotated

from fastapi import APIRouter, File, Form, HTTPException, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import CheckedForm, Leader, OpenStore, Visitor, note_event
from relyon.app.bodies import takes_files
from relyon.app.catalogue import say
from relyon.app.downloads import send_file
from relyon.app.long_work import in_background
from relyon.app.management import send_archive
from relyon.app.project.tabs import PATIENCE, render_tab
from relyon.app.rest import Id, check_format, fitting_formats
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.core.texts.languages import Language
from relyon.data.aggregation import Rule
from relyon.data.sheets import Sheet
from relyon.io import read_sheet
from relyon.io.byte_source import HEAD
from relyon.io.plain_text import sent_source
from relyon.io.sheets import PARTS, SheetFormat, sheet_format
from relyon.judging.archive_reader import is_archive
from relyon.judging.exchange import Mode, export_sheet, import_sheet
from relyon.judging.imports import announce_import
from relyon.judging.incoming_items import Imported
from relyon.judging.item_texts import measure_bare
from relyon.judging.marks import find_marks
from relyon.judging.recent import recent_work
from relyon.judging.records import Project
from relyon.judging.store import Store

__all__ = ["note_format", "router", "write_import"]

router = APIRouter(include_in_schema=False)
Text = Annotated[str, Form()]
#: Size in bytes from which a file is imported in the background.
LARGE = 500_000


@router.get("/projects/{project}/data")
def show_data(request: Request, store: OpenStore, visitor: Leader, project: Id) -> Response:
    """Imports and exports."""
    return _data(request, store, visitor, store.projects.get(project))


def _data(
    request: Request,
    store: Store,
    visitor: Visitor,
    found: Project,
    told: Imported | None = None,
) -> Response:
    return render_tab(
        request,
        store,
        visitor,
        found,
        "data",
        found=recent_work(store, found.id, patience=PATIENCE),
        formats=[sheet_format(name) for name in fitting_formats(found)],
        bare=measure_bare(store, found.id),
        marks=_name_marks(visitor.language, find_marks(store, found.id)),
        import_command=write_import(store, found),
        note_format=partial(note_format, visitor.language),
        told=told,
    )


def write_import(store: Store, project: Project) -> str:
    """Returns the command that imports what the browser cannot: runs and titles."""
    what = "--side old=old.run --side new=new.run -k 10"
    if project.kind == "grades":
        what = "pool.csv"
    address = shlex.quote(store.database.address)
    name = shlex.quote(project.name)
    return (
        f"relyon judge import {address} --project {name} \\\n    {what} \\\n"
        "    --documents catalogue.csv --queries queries.tsv"
    )


def _name_marks(language: Language, marks: Sequence[str]) -> str:
    """Returns the names of item fields."""
    fields = "fields."
    return say(language, "lead.part_separator").join(
        mark.removeprefix(fields) if mark.startswith(fields) else say(language, f"part.{mark}")
        for mark in marks
    )


def note_format(language: Language, chosen: SheetFormat) -> str:
    """Returns what a format keeps or leaves out of a project, whichever list is shorter."""
    kept = [part for part in PARTS if part in chosen.keeps]
    fewer, key = (
        (kept, "lead.keeps_only")
        if len(kept) < len(chosen.lacks)
        else (chosen.lacks, "lead.leaves_out")
    )
    if set(chosen.lacks) <= {"name"}:
        return say(language, "lead.holds_all")
    separator = say(language, "lead.part_separator")
    told = say(language, key, parts=separator.join(say(language, f"part.{part}") for part in fewer))
    return told + say(language, "lead.names_ids") if chosen.names_ids else told


@router.post("/projects/{project}/import", dependencies=[CheckedForm])
@takes_files
def import_file(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    file: Annotated[UploadFile, File()],
    form: Text = "",
    gold: Text = "",
) -> Response:
    """Adds the items and grades of a file; a large one in the background."""
    found = store.projects.get(project)
    if found.kind == "side_by_side":
        raise InputError(
            message("app.two-runs-cannot"), hint=message("app.use-relyon-judge-import")
        )
    name = file.filename or "file"
    data = file.file.read()
    if is_archive(data[:HEAD]):
        raise HTTPException(400, "archive_here")
    large = len(data) > LARGE
    sent = sent_source(data, name, request.app.state.settings.largest_sheet)
    del data

    def read() -> Sheet:
        return read_sheet(sent, format=form or None, scale=found.scale)

    mode: Mode = "gold" if gold else "add"

    def note(told: Imported) -> None:
        note_event(request, visitor, "imported", f"{found.name}: {name}, {told[0]} + {told[1]}")

    if not large:
        told = import_sheet(store, found.id, read(), mode=mode, source=name, by=visitor.account)
        note(told)
        return _data(request, store, visitor, found, told)
    work = announce_import(store, found, source=name, by=visitor.account)
    in_background(
        lambda: note(import_sheet(store, found.id, read, mode=mode, work=work)),
        f"importing {name}",
    )
    return RedirectResponse(f"/jobs/{work.job_id}", 303)


@router.get("/projects/{project}/export")
def export_file(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    form: str = "csv",
    rule: Rule = "median",
) -> Response:
    """The project in another program's format."""
    found = store.projects.get(project)
    if form == "archive":
        note_event(request, visitor, "project_archived", found.name)
        return send_archive(store, found)
    chosen = sheet_format(check_format(found, form))
    note_event(request, visitor, "exported", f"{found.name}: {form}")
    return send_file(export_sheet(store, found.id, rule=rule), chosen, f"project-{project}")
