"""Pages of those who lead: progress, agreement, disagreements to decide, files, accounts."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, HTTPException, Query, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from relkit.app.catalogue import say
from relkit.app.interface import (
    LARGEST_ID,
    LEFT_OUT,
    Id,
    check_format,
    fitting_formats,
    list_left_out,
)
from relkit.app.machines import hold_against_people
from relkit.app.pages import render
from relkit.app.projects import guideline, list_levels
from relkit.app.visitor import CheckedForm, Leader, OpenStore, Visitor
from relkit.errors import InputError
from relkit.judging.access import end_all_sign_ins, new_secret
from relkit.judging.aggregation import Rule
from relkit.judging.disguise import find_marks
from relkit.judging.exchange import export_sheet, import_sheet
from relkit.judging.filling import measure_bare
from relkit.judging.formats import Format, formats, write_sheet
from relkit.judging.formats.base import BYTE_ORDER_MARK, PARTS, find_format, join_rows
from relkit.judging.keys import count_confirmed, is_notice_due
from relkit.judging.llm.wording import describe_machines
from relkit.judging.passwords import generate_password
from relkit.judging.records import Kind, Project, Role
from relkit.judging.status import describe_agreement, describe_work
from relkit.judging.store import Store
from relkit.language import Language
from relkit.scale import scales

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
Text = Annotated[str, Form()]
#: An item, or 0 for none.
Number = Annotated[int, Query(ge=0, le=LARGEST_ID)]
#: Disagreements on one page.
SHOWN = 20
#: Results of which an agreement says something.
FEW = 30


@router.post("/projects", dependencies=[CheckedForm])
def create_project(
    store: OpenStore,
    visitor: Leader,
    name: Text = "",
    kind: Annotated[Kind, Form()] = "grades",
    scale: Text = "search",
    overlap: Annotated[int, Form(ge=1, le=1000)] = 1,
    gold_share: Annotated[float, Form(ge=0, lt=1)] = 0.0,
    guideline_en: Text = "",
    guideline_zh: Text = "",
) -> Response:
    """Makes a project."""
    if any(one.name == name.strip() for one in store.projects()):
        raise HTTPException(400, "project_taken")
    made = store.create_project(
        name,
        kind=kind,
        # A scale may also be a file, which is for the command line alone.
        scale=scales.get(scale),
        overlap=overlap,
        gold_share=gold_share,
        guideline_en=guideline_en,
        guideline_zh=guideline_zh,
    )
    return RedirectResponse(f"/projects/{made.id}", 303)


@router.get("/projects/{project}")
def show_project(request: Request, store: OpenStore, visitor: Leader, project: Id) -> Response:
    """Progress by judge, and files in and out."""
    return _project(request, store, visitor, project)


def _project(
    request: Request,
    store: Store,
    visitor: Visitor,
    project: int,
    told: tuple[int, int] | None = None,
) -> Response:
    found = store.project(project)
    return render(
        request,
        visitor,
        "project.html",
        project=found,
        found=describe_work(store, project),
        machines=describe_machines(store, project),
        formats=[formats.get(name) for name in fitting_formats(found)],
        bare=measure_bare(store, project),
        marks=_name_marks(visitor.language, find_marks(store, project)),
        import_command=write_import(store, found),
        keys=list_levels(found, visitor.language),
        confirmed=count_confirmed(store, project),
        note_format=partial(note_format, visitor.language),
        told=told,
    )


def write_import(store: Store, project: Project) -> str:
    """Returns the command that fills a project with what the browser cannot: runs, and titles."""
    what = "--side old=old.run --side new=new.run -k 10"
    if project.kind == "grades":
        what = "pool.csv"
    address = shlex.quote(store.database.address)
    name = shlex.quote(project.name)
    return (
        f"relkit judge import {address} --project {name} \\\n    {what} \\\n"
        "    --documents catalogue.csv --queries queries.tsv"
    )


def _name_marks(language: Language, marks: Sequence[str]) -> str:
    """Returns parts of items in words."""
    fields = "fields."
    return say(language, "lead.part_separator").join(
        mark.removeprefix(fields) if mark.startswith(fields) else say(language, f"part.{mark}")
        for mark in marks
    )


def note_format(language: Language, chosen: Format) -> str:
    """Returns what a format keeps or leaves out of a project: whichever is the shorter list."""
    kept = [part for part in PARTS if part in chosen.holds]
    fewer, key = (
        (kept, "lead.keeps_only")
        if len(kept) < len(chosen.lacks)
        else (chosen.lacks, "lead.leaves_out")
    )
    if not chosen.lacks:
        return say(language, "lead.holds_all")
    separator = say(language, "lead.part_separator")
    return say(language, key, parts=separator.join(say(language, f"part.{part}") for part in fewer))


@router.post("/projects/{project}/guideline", dependencies=[CheckedForm])
def change_guideline(
    store: OpenStore, visitor: Leader, project: Id, en: Text = "", zh: Text = ""
) -> Response:
    """Changes the guideline."""
    store.set_guideline(store.project(project).id, en=en, zh=zh)
    return RedirectResponse(f"/projects/{project}", 303)


@router.post("/projects/{project}/import", dependencies=[CheckedForm])
def import_file(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    file: Annotated[UploadFile, File()],
    form: Text = "",
    gold: Text = "",
) -> Response:
    """Adds the items and grades of a file."""
    found = store.project(project)
    if found.kind == "side_by_side":
        raise InputError("two runs cannot be uploaded", hint="use `relkit judge import --side`")
    name = file.filename or "file"
    try:
        text = file.file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("the file is not UTF-8", path=name) from None
    chosen = find_format(form or None, name, text)
    sheet = join_rows(chosen.read(text, path=name, scale=found.scale), path=name)
    told = import_sheet(store, project, sheet, as_gold=bool(gold))
    return _project(request, store, visitor, project, told)


@router.get("/projects/{project}/export")
def export_file(
    store: OpenStore, visitor: Leader, project: Id, form: str = "csv", rule: Rule = "median"
) -> Response:
    """The project as a file of another program."""
    chosen = formats.get(check_format(store.project(project), form))
    sheet = export_sheet(store, project, rule=rule)
    text, notes = write_sheet(sheet, format=form)
    if form == "csv":  # which people open in Excel; a CSV of Quepid is for Quepid
        text = BYTE_ORDER_MARK + text
    name = f"project-{project}{chosen.suffix}"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        LEFT_OUT: list_left_out(notes),
    }
    return Response(text, media_type="application/octet-stream", headers=headers)


@router.get("/projects/{project}/agreement")
def show_agreement(request: Request, store: OpenStore, visitor: Leader, project: Id) -> Response:
    """How far judges agree: over all, by tier, by pair and by judge; and with language models."""
    found = describe_agreement(store, project)
    return render(
        request,
        visitor,
        "agreement.html",
        project=store.project(project),
        found=found,
        verdict=judge_agreement(found["agreement"]),
        machines=hold_against_people(store, project, found["machines"]),
    )


def judge_agreement(found: Mapping[str, Any] | None) -> str:
    """Returns what the agreement of judges allows to conclude: the end of a text's key.

    Ordinal alpha of 0.8 allows firm conclusions, and one of 0.667 tentative ones (Krippendorff
    2004, Content Analysis, p. 241). Of fewer than thirty results it says little.

    Args:
        found: What `describe_agreement` says of it.

    Examples:
        >>> judge_agreement({"overall": {"units": 200, "alpha_ordinal": 0.7}})
        'tentative'
    """
    overall = found["overall"] if found else {}
    alpha = overall.get("alpha_ordinal")
    if alpha is None:
        return "undefined"
    if overall["units"] < FEW:
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
    """Disagreements, the widest first.

    Args:
        at: The item to go on with, if it is there.
        decided: The item that was decided a moment ago.
        again: An item to decide anew.
    """
    found = store.project(project)
    shown = store.queue(project, again=again, most=SHOWN)
    ids = [one.item.id for one in shown]
    grade = store.adjudicated(project).get(decided)
    return render(
        request,
        visitor,
        "queue.html",
        project=found,
        count=max(store.count_queue(project), len(shown)),
        queue=[
            (one, new_secret(), following)
            for one, following in zip(shown, [*ids[1:], 0], strict=False)
        ],
        at=at if at in ids else next(iter(ids), 0),
        going_on=bool(at or decided or again),
        decided=next(iter(store.items(project, ids=[decided])), None),
        decision=grade,
        guideline=guideline(found, visitor.language),
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
    """Decides a disagreement. The same form sent twice decides once."""
    store.adjudicate(item, visitor.account, grade, key=key, note=note, project_id=project)
    return RedirectResponse(f"/projects/{project}/queue?at={following}&decided={item}", 303)


def _accounts(request: Request, store: Store, visitor: Visitor, **values: Any) -> Response:
    if visitor.account.role != "admin":
        raise HTTPException(403)
    told = {"made": "", "password": "", **values}
    return render(request, visitor, "accounts.html", accounts=store.users(), **told)


@router.get("/accounts")
def show_accounts(request: Request, store: OpenStore, visitor: Leader) -> Response:
    """All accounts."""
    return _accounts(request, store, visitor)


@router.post("/accounts", dependencies=[CheckedForm])
def add_account(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    name: Text = "",
    role: Annotated[Role, Form()] = "judge",
) -> Response:
    """Makes an account with a password that is shown once."""
    if visitor.account.role != "admin":
        raise HTTPException(403)
    if any(one.name == name.strip() for one in store.users()):
        raise HTTPException(400, "user_taken")
    password = generate_password()
    user = store.create_user(name, role=role, password=password)
    return _accounts(request, store, visitor, made=user.name, password=password)


@router.post("/accounts/change", dependencies=[CheckedForm])
def change_account(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    name: Text = "",
    action: Text = "",
) -> Response:
    """Gives an account a new password, or closes or opens it. Its sign-ins end."""
    if visitor.account.role != "admin" or name == visitor.account.name:
        raise HTTPException(403)
    user = store.user(name)
    password = generate_password() if action == "password" else None
    active = None if password else action == "open"
    store.set_user(user.name, password=password, active=active)
    end_all_sign_ins(store, user)
    return _accounts(request, store, visitor, made=user.name, password=password or "")
