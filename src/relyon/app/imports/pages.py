"""Pages on which a lead uploads files, sees what they would change, and imports them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, HTTPException, Request, UploadFile
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from relyon.app.authentication import CheckedForm, Leader, OpenStore, Visitor, note_event
from relyon.app.bodies import takes_files, takes_text
from relyon.app.catalogue import say
from relyon.app.imports.checks import SMALL, Checked, find_check
from relyon.app.imports.preview import FileView, view_file
from relyon.app.imports.waiting import Waiting, WaitingFiles
from relyon.app.long_work import in_background
from relyon.app.project.data import show_tab
from relyon.app.project.tabs import render_tab
from relyon.app.rest import Id
from relyon.app.told_errors import tell_error
from relyon.core.cells import csv_cell
from relyon.core.errors import InputError, RelyonError
from relyon.core.texts import message
from relyon.io.byte_source import HEAD
from relyon.io.declared_encoding import COMMON
from relyon.io.encoding import decoded, guess
from relyon.io.sheets import BYTE_ORDER_MARK
from relyon.judging.archive_reader import is_archive
from relyon.judging.exchange import Mode
from relyon.judging.imports import announce_import
from relyon.judging.intake.columns import IntakeKind
from relyon.judging.intake.files import Part, Seen, upload_formats
from relyon.judging.intake.outcome import Outcome
from relyon.judging.intake.rankings import DEEPEST, RankingsFile
from relyon.judging.intake.upload import Upload, bring_upload, see_upload
from relyon.judging.records import Project
from relyon.judging.store import Store

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
Name = Annotated[str, Form(max_length=200)]
#: Refused rows that the page lists.
LISTED = 20
MODES: tuple[Mode, ...] = ("add", "update", "gold")
#: Names of encodings as `guess` and as the form have them.
GUESSED = {"GBK": "GBK", "GB18030": "GB18030", "BIG5": "Big5", "SHIFT_JIS": "Shift_JIS"}


async def _fields(request: Request) -> Mapping[str, str]:
    form = await request.form()
    return {name: value for name, value in form.items() if isinstance(value, str)}


Fields = Annotated[Mapping[str, str], Depends(_fields)]


def _files(request: Request) -> WaitingFiles:
    store: Store = request.app.state.store
    return WaitingFiles.of(store.database.address)


@router.post("/projects/{project}/import", dependencies=[CheckedForm])
@takes_files
def upload(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    file: Annotated[UploadFile, File()],
    kind: Annotated[IntakeKind, Form()] = "results",
    other: Annotated[UploadFile | None, File()] = None,
    first: Name = "",
    second: Name = "",
) -> Response:
    """Keeps uploaded files, and leads to the page that says what they would change."""
    found = store.projects.get(project)
    given = [file] if other is None or kind != "sides" else [file, other]
    if kind == "sides" and len(given) < 2:
        raise InputError(
            message("judging.systems-need-names"), hint=message("judging.name-system-each")
        )
    if any(is_archive(one.file.read(HEAD)) for one in given):
        raise HTTPException(400, "archive_here")
    for one in given:
        one.file.seek(0)
    systems = (first, second) if kind == "sides" else ("",)
    parts = tuple(Part("", "", system=system.strip()) for system in systems)
    sent = [((one.filename or "file")[:200], one.file) for one in given]
    waiting = _files(request).add(visitor.account.id, found.id, Upload(kind, parts), sent)
    return RedirectResponse(f"/projects/{project}/import/{waiting.token}", 303)


@router.get("/projects/{project}/import/{token}")
def show_upload(
    request: Request, store: OpenStore, visitor: Leader, project: Id, token: str, changed: str = ""
) -> Response:
    """What an upload would change, with what its columns are taken for."""
    found = store.projects.get(project)
    waiting = _files(request).get(visitor.account.id, project, token)
    return _show(request, store, visitor, found, waiting, changed=bool(changed))


@router.get("/projects/{project}/import/{token}/state")
def tell_state(
    request: Request, store: OpenStore, visitor: Leader, project: Id, token: str
) -> dict[str, bool]:
    """Whether it is known what an upload would change."""
    found = store.projects.get(project)
    waiting = _files(request).get(visitor.account.id, project, token)
    return {"ready": find_check(store, found, waiting, _limit(request)) is not None}


@router.get("/projects/{project}/import/{token}/refused")
def download_refused(
    request: Request, store: OpenStore, visitor: Leader, project: Id, token: str
) -> Response:
    """The rows that cannot be imported, with the reasons, as CSV."""
    found = store.projects.get(project)
    waiting = _files(request).get(visitor.account.id, project, token)
    checked = find_check(store, found, waiting, _limit(request))
    if checked is None or not checked.refused:
        raise HTTPException(404)
    (seen, *_) = see_upload(found, waiting.upload, _limit(request))
    lines = _refused_lines(seen, checked, visitor)
    headers = {"Content-Disposition": 'attachment; filename="refused.csv"'}
    return StreamingResponse(lines, media_type="application/octet-stream", headers=headers)


@router.post("/projects/{project}/import/{token}", dependencies=[CheckedForm])
@takes_text
def decide(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    token: str,
    fields: Fields,
) -> Response:
    """Shows an upload as somebody chose, imports it, or forgets it."""
    found = store.projects.get(project)
    files = _files(request)
    waiting = files.get(visitor.account.id, project, token)
    action = fields.get("action", "preview")
    if action == "cancel":
        files.discard(waiting)
        return RedirectResponse(f"/projects/{project}/data", 303)
    chosen = replace(waiting, upload=_chosen(waiting.upload, found, fields, _limit(request)))
    page = f"/projects/{project}/import/{token}"
    if chosen.key != waiting.key:
        files.save(chosen)
        # What is imported was seen before.
        return RedirectResponse(page if action == "preview" else f"{page}?changed=yes", 303)
    checked = find_check(store, found, waiting, _limit(request))
    agreed = checked is not None and not checked.problem and not checked.refused
    if checked is None or (not agreed and action != "without") or checked.problem:
        return RedirectResponse(page, 303)
    return _bring(request, store, visitor, found, files, waiting, checked)


def _limit(request: Request) -> int:
    limit: int = request.app.state.settings.largest_sheet
    return limit


def _chosen(upload: Upload, project: Project, fields: Mapping[str, str], limit: int) -> Upload:
    """Returns an upload as the form says that it is to be read."""
    k = fields.get("k", "")
    mode = next((one for one in MODES if one == fields.get("mode")), upload.mode)
    made = replace(upload, mode=mode)
    ranks = int(k) if re.fullmatch(r"[0-9]{1,4}", k) else 0
    if ranks != upload.depth(project) and 1 <= ranks <= DEEPEST:
        made = replace(made, k=ranks)
    parts = []
    for number, part in enumerate(upload.parts):
        form = fields.get(f"format-{number}", part.format or "") or None
        encoding = fields.get(f"encoding-{number}", part.encoding or "") or None
        same = (form, encoding) == (part.format, part.encoding)
        parts.append(replace(part, format=form, encoding=encoding, choices=part.choices))
        if not same:
            parts[-1] = replace(parts[-1], choices=None)
    made = replace(made, parts=tuple(parts))
    if made.parts != upload.parts or not any(name.startswith("column-") for name in fields):
        return made
    try:
        seen = see_upload(project, upload, limit)
    except RelyonError:  # the page says so
        return made
    _refuse_unknown(seen, fields)
    return replace(
        made,
        parts=tuple(
            replace(part, choices=_choices(one, fields, number))
            for number, (part, one) in enumerate(zip(made.parts, seen, strict=True))
        ),
    )


def _refuse_unknown(seen: Sequence[Seen], fields: Mapping[str, str]) -> None:
    """Refuses a form with columns that are not there.

    Raises:
        HTTPException: If there is one.
    """
    known = {
        f"column-{number}-{place}"
        for number, one in enumerate(seen)
        for place in range(0 if one.table is None else len(one.table.names))
    }
    if any(name.startswith("column-") and name not in known for name in fields):
        raise HTTPException(400, "upload_columns")


def _choices(seen: Seen, fields: Mapping[str, str], number: int) -> Mapping[str, str] | None:
    """Returns what columns were chosen to be; None if nothing differs from what they seem to be."""
    if seen.table is None:
        return None
    known = {f"column-{number}-{place}": name for place, name in enumerate(seen.table.names)}
    found = dict(seen.choices)
    found |= {name: fields[field] for field, name in known.items() if field in fields}
    return None if found == seen.guess.choices else found


def _bring(
    request: Request,
    store: Store,
    visitor: Visitor,
    project: Project,
    files: WaitingFiles,
    waiting: Waiting,
    checked: Checked,
) -> Response:
    """Imports an upload; a large one in the background."""
    limit = _limit(request)
    without = frozenset(place for place, _ in checked.refused)
    taken = files.take(waiting)
    upload = taken.upload

    def note(told: Outcome) -> None:
        added = f"{told.new} + {told.grades}"
        if told.filled or told.needs:
            added += f" + {told.filled} + {told.needs}"
        note_event(request, visitor, "imported", f"{project.name}: {waiting.name}, {added}")

    try:
        if taken.size <= SMALL or upload.kind == "sides":
            told = bring_upload(
                store, project, upload, limit, leave_out=without, by=visitor.account
            )
            files.discard(taken)
            note(told)
            return show_tab(request, store, visitor, project, told)
        work = announce_import(store, project, source=waiting.name, by=visitor.account)
    except RelyonError as error:
        files.give_back(taken)
        return _show(request, store, visitor, project, waiting, error=error)
    except BaseException:
        files.give_back(taken)
        raise

    def run() -> None:
        try:
            note(
                bring_upload(
                    store, project, upload, limit,
                    leave_out=without, by=visitor.account, work=work,
                )
            )  # fmt: skip
        finally:
            files.discard(taken)

    in_background(run, f"importing {waiting.name}")
    return RedirectResponse(f"/jobs/{work.job_id}", 303)


def _show(
    request: Request,
    store: Store,
    visitor: Visitor,
    project: Project,
    waiting: Waiting,
    *,
    changed: bool = False,
    error: RelyonError | None = None,
) -> Response:
    """Returns the page of an upload."""
    upload, limit = waiting.upload, _limit(request)
    problem = ("", "") if error is None else tell_error(error, visitor.language)
    trouble = ("", "")
    views: Sequence[FileView] = ()
    checked = None
    guessed = ["" for _ in upload.parts]
    try:
        seen = see_upload(project, upload, limit)
    except RelyonError as fault:
        problem = tell_error(fault, visitor.language)
        guessed = [_guess_encoding(part) for part in upload.parts]
    else:
        views = [view_file(one, upload, project) for one in seen]
        try:
            _check_columns(seen, upload, project)
        except RelyonError as fault:
            trouble = tell_error(fault, visitor.language)
        else:
            checked = find_check(store, project, waiting, limit)
            if checked is not None and checked.problem:
                problem = checked.problem[visitor.language]
    return render_tab(
        request,
        store,
        visitor,
        project,
        "import",
        status=400 if error is not None else 200,
        waiting=waiting,
        upload=upload,
        views=views,
        guessed=guessed,
        formats=upload_formats(upload.kind),
        encodings=[*COMMON],
        modes=MODES,
        depth=upload.depth(project),
        deepest=DEEPEST,
        checked=checked,
        listed=[] if checked is None else checked.refused[:LISTED],
        problem=problem,
        trouble=trouble,
        changed=changed,
        checking=checked is None and not problem[0] and not trouble[0],
    )


def _check_columns(seen: Sequence[Seen], upload: Upload, project: Project) -> None:
    """Refuses columns that do not fit what is brought in.

    Raises:
        RelyonError: If they do not.
    """
    for one in seen:
        if one.table is not None:
            one.columns(upload.kind)
    if upload.kind == "sides":
        RankingsFile.of(seen, [part.system for part in upload.parts], project, 1)


def _guess_encoding(part: Part) -> str:
    """Returns the encoding that a text seems to have if it is not UTF-8."""
    with open(part.path, "rb") as file:
        head = file.read(HEAD)
    if b"\0" in head or decoded(head, "utf-8") is not None:
        return ""
    return GUESSED.get(guess(head), "")


def _refused_lines(seen: Seen, checked: Checked, visitor: Visitor) -> Iterator[str]:
    """Yields the refused rows as lines of CSV."""
    told = {place: reasons[visitor.language] for place, reasons in checked.refused}
    names = () if seen.table is None else seen.table.names
    headings = [say(visitor.language, f"import.{name}") for name in (checked.unit, "reason")]
    yield BYTE_ORDER_MARK + ",".join(map(csv_cell, [*headings, *names])) + "\n"
    if seen.table is None:
        for place, reason in told.items():
            yield f"{place},{csv_cell(reason)}\n"
        return
    for place, values in seen.table.rows():
        if place in told:
            cells: list[str] = []
            if not isinstance(values, InputError):
                shown = (values.get(name) for name in names)
                cells = ["" if one in (None, "") else csv_cell(str(one)) for one in shown]
            yield ",".join([str(place), csv_cell(told[place]), *cells]) + "\n"
