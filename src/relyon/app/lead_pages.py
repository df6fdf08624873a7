"""Pages for leads: progress, agreement, disagreements to decide, files."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, HTTPException, Query, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import CheckedForm, Leader, OpenStore, Visitor, note_event
from relyon.app.bodies import takes_files
from relyon.app.catalogue import say
from relyon.app.downloads import send_file
from relyon.app.language_models import calibrate_models
from relyon.app.long_work import in_background
from relyon.app.management import send_archive, unfinished_job
from relyon.app.pages import render
from relyon.app.projects import list_levels
from relyon.app.rest import LARGEST_ID, Id, check_format, fitting_formats
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.core.texts.languages import LANGUAGES, Language, language_name, language_tag
from relyon.data.aggregation import Rule
from relyon.data.scale import scales
from relyon.data.sheets import Sheet
from relyon.io import read_sheet
from relyon.io.byte_source import HEAD
from relyon.io.plain_text import sent_source
from relyon.io.sheets import PARTS, SheetFormat, sheet_format
from relyon.judging.access import new_secret
from relyon.judging.agreement import CoefficientValues
from relyon.judging.archive_reader import is_archive
from relyon.judging.exchange import Mode, export_sheet, import_sheet
from relyon.judging.imports import announce_import
from relyon.judging.incoming_items import Imported
from relyon.judging.item_texts import measure_bare
from relyon.judging.keys import count_confirmed, is_notice_due
from relyon.judging.llm.descriptions import describe_machines
from relyon.judging.marks import find_marks
from relyon.judging.recent import recent_agreement, recent_queue, recent_work
from relyon.judging.records import Kind, Project
from relyon.judging.store import Store

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
Text = Annotated[str, Form()]
#: An item, or 0 for none.
Number = Annotated[int, Query(ge=0, le=LARGEST_ID)]
#: Seconds that a page waits for the figures of a large project, which are counted after a start.
PATIENCE = 0.5
#: Disagreements on one page.
SHOWN = 20
#: Number of results from which an agreement is meaningful.
FEW = 30
#: Languages of texts: code, native name, and HTML tag.
WRITTEN_IN = tuple((one, language_name(one), language_tag(one)) for one in LANGUAGES)
#: Size in bytes from which a file is imported in the background.
LARGE = 500_000


async def _texts(request: Request) -> dict[str, str]:
    """Returns the non-empty texts of a form by language."""
    form = await request.form()
    return {language: str(form[language]) for language, *_ in WRITTEN_IN if language in form}


#: The guideline in a form, by language.
GuidelineForm = Annotated[dict[str, str], Depends(_texts)]


@router.post("/projects", dependencies=[CheckedForm])
@takes_files
def create_project(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    guideline: GuidelineForm,
    name: Text = "",
    kind: Annotated[Kind, Form()] = "grades",
    scale: Text = "search",
    overlap: Annotated[int, Form(ge=1, le=1000)] = 1,
    gold_share: Annotated[float, Form(ge=0, lt=1)] = 0.0,
) -> Response:
    """Creates a project."""
    if any(one.name == name.strip() for one in store.projects.all()):
        raise HTTPException(400, "project_taken")
    made = store.projects.create(
        name,
        kind=kind,
        # A scale can also be a file, but only on the command line.
        scale=scales.get(scale),
        overlap=overlap,
        gold_share=gold_share,
        guideline=guideline,
    )
    note_event(request, visitor, "project_made", made.name)
    return RedirectResponse(f"/projects/{made.id}", 303)


@router.get("/projects/{project}")
def show_project(request: Request, store: OpenStore, visitor: Leader, project: Id) -> Response:
    """Progress by judge, imports and exports."""
    return _project(request, store, visitor, project)


def _project(
    request: Request,
    store: Store,
    visitor: Visitor,
    project: int,
    told: tuple[int, int] | None = None,
) -> Response:
    found = store.projects.get(project)
    return render(
        request,
        visitor,
        "project.html",
        project=found,
        languages=WRITTEN_IN,
        found=recent_work(store, project, patience=PATIENCE),
        machines=describe_machines(store, project),
        formats=[sheet_format(name) for name in fitting_formats(found)],
        bare=measure_bare(store, project),
        marks=_name_marks(visitor.language, find_marks(store, project)),
        import_command=write_import(store, found),
        keys=list_levels(found, visitor.language),
        confirmed=count_confirmed(store, project),
        note_format=partial(note_format, visitor.language),
        shares=sorted({0.0, 0.05, 0.1, 0.2, found.gold_share}),
        job=unfinished_job(store, project),
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


@router.post("/projects/{project}/guideline", dependencies=[CheckedForm])
@takes_files
def change_guideline(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    guideline: GuidelineForm,
) -> Response:
    """Changes the guideline."""
    found = store.projects.get(project)
    store.projects.set_guideline(found.id, guideline)
    note_event(request, visitor, "project_changed", f"{found.name}: guideline")
    return RedirectResponse(f"/projects/{project}", 303)


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
        return _project(request, store, visitor, found.id, told)
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


@router.get("/projects/{project}/agreement")
def show_agreement(request: Request, store: OpenStore, visitor: Leader, project: Id) -> Response:
    """Agreement between judges, overall, by tier, pair and judge; and with language models."""
    found = recent_agreement(store, project, patience=PATIENCE)
    agreement = found["agreement"]
    return render(
        request,
        visitor,
        "agreement.html",
        project=store.projects.get(project),
        found=found,
        verdict=judge_agreement(None if agreement is None else agreement["overall"]),
        machines=calibrate_models(store, project, found["machines"], visitor.language),
    )


def judge_agreement(found: CoefficientValues | None) -> str:
    """Returns a verdict on the judges' agreement, as the suffix of a text's key.

    Ordinal alpha of 0.8 allows firm conclusions, and one of 0.667 tentative ones (Krippendorff
    2004, Content Analysis, p. 241). With fewer than thirty results there is no verdict.

    Args:
        found: The agreement over all units; None if there are no grades.

    Examples:
        >>> from relyon.judging import measure_agreement
        >>> found = measure_agreement({"a": {"Ann": 3, "Bo": 3}, "b": {"Ann": 0, "Bo": 0}})
        >>> judge_agreement(found.overall.to_dict())
        'few'
    """
    alpha = None if found is None else found["alpha_ordinal"]
    if found is None or alpha is None:
        return "undefined"
    if found["units"] < FEW:
        return "few"
    return "firm" if alpha >= 0.8 else "tentative" if alpha >= 0.667 else "low"


@router.get("/projects/{project}/queue")
def show_queue(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    at: Number = 0,
    decided: Number = 0,
    again: Number = 0,
) -> Response:
    """Disagreements, the largest first.

    Args:
        at: The item to continue with, if it exists.
        decided: The item that has just been decided.
        again: An item to decide again.
    """
    found = store.projects.get(project)
    shown, waiting = recent_queue(store, project, again=again, most=SHOWN, patience=PATIENCE)
    ids = [one.item.id for one in shown]
    grade = store.decisions.all(project).get(decided)
    return render(
        request,
        visitor,
        "queue.html",
        project=found,
        count=waiting,
        queue=[
            (one, new_secret(), following)
            for one, following in zip(shown, [*ids[1:], 0], strict=False)
        ],
        at=at if at in ids else next(iter(ids), 0),
        going_on=bool(at or decided or again),
        decided=next(iter(store.items.all(project, ids=[decided])), None),
        decision=grade,
        guideline=found.guideline_in(visitor.language),
        levels=list_levels(found, visitor.language),
        keys_changed=is_notice_due(store, found, visitor.account),
    )


@router.post("/projects/{project}/queue", dependencies=[CheckedForm])
def decide(
    store: OpenStore,
    visitor: Leader,
    project: Id,
    item: Annotated[int, Form(ge=1, le=LARGEST_ID)],
    grade: Text,
    key: Annotated[str, Form(min_length=1, max_length=200)],
    note: Annotated[str, Form(max_length=10_000)] = "",
    following: Annotated[int, Form()] = 0,
) -> Response:
    """Decides a disagreement. Sending the same form twice decides once."""
    store.decisions.decide(item, visitor.account, grade, key=key, note=note, project_id=project)
    return RedirectResponse(f"/projects/{project}/queue?at={following}&decided={item}", 303)
