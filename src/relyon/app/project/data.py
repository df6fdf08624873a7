"""What a project contains: files in and out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import Response

from relyon.app.authentication import Leader, OpenStore, Visitor, note_event
from relyon.app.catalogue import say
from relyon.app.downloads import send_file
from relyon.app.management import send_archive
from relyon.app.project.tabs import PATIENCE, render_tab
from relyon.app.rest import Id, check_format, fitting_formats
from relyon.core.texts.languages import Language
from relyon.data.aggregation import Rule
from relyon.io.sheets import PARTS, SheetFormat, sheet_format
from relyon.judging.exchange import export_sheet
from relyon.judging.intake.outcome import Outcome
from relyon.judging.intake.upload import fitting_kinds
from relyon.judging.item_texts import measure_bare
from relyon.judging.marks import find_marks
from relyon.judging.recent import recent_work
from relyon.judging.records import Project
from relyon.judging.store import Store

__all__ = ["note_format", "router", "show_tab"]

router = APIRouter(include_in_schema=False)


@router.get("/projects/{project}/data")
def show_data(request: Request, store: OpenStore, visitor: Leader, project: Id) -> Response:
    """Imports and exports."""
    return show_tab(request, store, visitor, store.projects.get(project))


def show_tab(
    request: Request,
    store: Store,
    visitor: Visitor,
    found: Project,
    outcome: Outcome | None = None,
) -> Response:
    """Returns the page of what a project contains.

    Args:
        request: The request.
        store: The database.
        visitor: Who sees it.
        found: The project.
        outcome: The result of an import that has just ended.
    """
    return render_tab(
        request,
        store,
        visitor,
        found,
        "data",
        found=recent_work(store, found.id, patience=PATIENCE),
        formats=[sheet_format(name) for name in fitting_formats(found)],
        kinds=fitting_kinds(found),
        bare=measure_bare(store, found.id) if found.kind == "grades" else 0,
        marks=_name_marks(visitor.language, find_marks(store, found.id)),
        note_format=partial(note_format, visitor.language),
        told=outcome,
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
