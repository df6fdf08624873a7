"""The tab Try: a query against an engine, graded in place."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field

from relyon.app.authentication import CheckedForm, Leader, OpenStore, Visitor, note_event
from relyon.app.bodies import takes_text
from relyon.app.engines.allowed import AllowedEngines
from relyon.app.engines.form import MOST, SideForm, Wish, Wished, describe_sides, wanted
from relyon.app.engines.gate import Gate
from relyon.app.engines.kept import Kept, Try
from relyon.app.engines.lists import new_items, read_lists
from relyon.app.engines.trying import ask
from relyon.app.project.tabs import render_tab
from relyon.app.projects import list_levels
from relyon.app.rest import Id
from relyon.app.told_errors import tell_error
from relyon.core.errors import InputError, ParameterError, RelyonError, UnknownNameError
from relyon.core.texts import message
from relyon.engines.asked import Query as Asked
from relyon.engines.files.configuration import Configuration
from relyon.engines.files.template import write_scalar
from relyon.judging.access import new_secret
from relyon.judging.actions import LONGEST_KEY, Action
from relyon.judging.chosen_item import choose_item
from relyon.judging.figures import is_large
from relyon.judging.query_results import find_query
from relyon.judging.records import Project
from relyon.judging.snapshots.queries import project_queries
from relyon.judging.store import Store

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
#: Queries of the project that the form offers.
OFFERED = 500
Token = Annotated[str, Form(pattern="^[0-9a-f]{32}$")]
Key = Annotated[str, Form(min_length=1, max_length=LONGEST_KEY)]


class Given(BaseModel):
    """A grade for a result of a list, as a form sends it.

    `again` says that the page showed an earlier grade of the same person.
    """

    at: str = Field(pattern="^[0-9a-f]{32}$")
    document: str = Field(min_length=1, max_length=10_000)
    grade: str = Field(max_length=50)
    key: str = Field(min_length=1, max_length=LONGEST_KEY)
    row: str = Field("a1", pattern="^[ab][0-9]{1,3}$")
    again: bool = False
    csrf: str = ""


def _engines(request: Request) -> AllowedEngines:
    found: AllowedEngines = request.app.state.settings.engines
    return found


def _gate(request: Request) -> Gate:
    found: Gate = request.app.state.gate
    return found


def _kept(request: Request) -> Kept:
    found: Kept = request.app.state.tries
    return found


def _project(store: Store, number: int) -> Project:
    """Returns a project whose single results are graded."""
    found = store.projects.get(number)
    if found.kind != "grades":
        raise HTTPException(404)
    return found


def _show(
    request: Request,
    store: Store,
    visitor: Visitor,
    project: Project,
    wish: Wish,
    *,
    one: Try | None = None,
    error: RelyonError | None = None,
) -> Response:
    """Returns the tab.

    Args:
        request: The request.
        store: The database.
        visitor: Who sees it.
        project: The project.
        wish: What is in the form.
        one: A try whose results are shown.
        error: What went wrong.
    """
    engines = _engines(request)
    names = engines.names(project.id)
    configuration: Configuration | None = None
    sides: tuple[SideForm, ...] = ()
    if names:
        try:
            name = wish.engine if wish.engine in names else names[0]
            configuration = engines.get(name, project.id)
            sides = describe_sides(engines, configuration, project.id, wish)
        except (ParameterError, UnknownNameError) as problem:
            error = error or problem
    lists = () if one is None else read_lists(store, project, visitor.account, one)
    done, values = ("", {}) if one is None else one.say()
    told, hint = ("", "") if error is None else tell_error(error, visitor.language)
    return render_tab(
        request,
        store,
        visitor,
        project,
        "try",
        engines=names,
        engine=configuration,
        sides=sides,
        wish=wish,
        most=MOST,
        queries=_offered(store, project),
        tried=one,
        lists=lists,
        waiting=[] if one is None else new_items(one, lists),
        levels=list_levels(project, visitor.language),
        new_key=new_secret,
        done=done,
        values=values,
        problem=told,
        hint=hint,
        status=200 if error is None else 400,
    )


def _offered(store: Store, project: Project) -> list[Asked]:
    """Returns queries to choose from; none of a project so large that reading them takes long."""
    return [] if is_large(store, project.id) else project_queries(store, project.id)[:OFFERED]


@router.get("/projects/{project}/try")
def show_try(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    wish: Annotated[Wish, Query()],
) -> Response:
    """The form, and what was tried. Reading the page asks no engine."""
    found = _project(store, project)
    one, error = None, None
    if wish.at:
        try:
            one = _kept(request).find(wish.at, visitor.account.id, project)
        except InputError as problem:
            error = problem
    if one is not None:
        wish = _filled(one)
    elif wish.query:
        try:
            wish.id, wish.query = find_query(store, project, wish.query)
        except InputError as problem:
            error = problem
    return _show(request, store, visitor, found, wish, one=one, error=error)


def _filled(one: Try) -> Wish:
    """Returns the form of a try."""
    values: dict[str, object] = {
        "engine": one.engine, "of": one.engine, "query": one.text, "id": one.query, "k": one.k,
        "explain": one.explain,
    }  # fmt: skip
    for side, each in zip("ab", one.sides, strict=False):
        values |= {side: each.variant.name, f"{side}.of": each.variant.name}
        parameters = each.variant.parameters.items()
        values |= {f"{side}.p.{name}": write_scalar(value) for name, value in parameters}
        if each.body is not None:
            values[f"{side}.body"] = each.body
    return Wish.model_validate(values)


@router.post("/projects/{project}/try", dependencies=[CheckedForm])
@takes_text
def try_query(
    request: Request, store: OpenStore, visitor: Leader, project: Id, wish: Wished
) -> Response:
    """Asks an engine, and leads to the page with its results; or only fills in the form again."""
    found = _project(store, project)
    if wish.fill:
        return _show(request, store, visitor, found, wish)
    try:
        asked = wanted(_engines(request), project, wish)
        id, text = find_query(store, project, wish.id) if wish.id else ("", "")
        if text != asked.text:
            id, text = find_query(store, project, asked.text)
        turn = _gate(request).enter(visitor.account.id, parts=len(asked.sides))
    except (InputError, ParameterError, UnknownNameError) as error:
        return _show(request, store, visitor, found, wish, error=error)
    names = ", ".join(one.variant.name for one in asked.sides)
    try:
        note_event(request, visitor, "engine_asked", f"{found.name}: {wish.engine}, {names}")
    except BaseException:  # no engine is asked, and the next try need not wait
        turn.leave(len(asked.sides))
        raise
    sides = ask(asked.sides, Asked(id, text), wish.k, turn, explain=wish.explain)
    one = Try(
        visitor.account.id, project, wish.engine, id, text, wish.k, wish.explain, sides,
        asked.changed,
    )  # fmt: skip
    _kept(request).keep(one)
    return _back(one)


def _back(one: Try, place: str = "") -> Response:
    return RedirectResponse(f"/projects/{one.project}/try?at={one.token}{place}", 303)


@router.post("/projects/{project}/try/grade", dependencies=[CheckedForm])
def grade(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    given: Annotated[Given, Form()],
) -> Response:
    """Grades a result of a list, as a judge would whose turn it is."""
    found = _project(store, project)
    one = _kept(request).find(given.at, visitor.account.id, project)
    item, title = _item_of(store, found, visitor, one, given.document)
    choose_item(store, visitor.account, item)
    action = Action(
        "grade", given.key, item_id=item, project_id=project, grade=given.grade,
        again="replace" if given.again else "refuse",
    )  # fmt: skip
    receipt = store.grading.record(visitor.account, action)
    one.done, one.key = "graded" if receipt.counted else "late", given.key
    one.values = {"title": title, "grade": receipt.grade}
    return _back(one, f"#{given.row}")


def _item_of(
    store: Store, project: Project, visitor: Visitor, one: Try, document: str
) -> tuple[int, str]:
    """Returns a result of a try as an item of its project, which gets it if it lacks it.

    Returns:
        The id of the item, and its title on the page.

    Raises:
        InputError: If the try has no such result.
    """
    for _ in range(2):
        lists = read_lists(store, project, visitor.account, one)
        rows = [row for side in lists for row in side.rows if row.item.document == document]
        known = next((row.known for row in rows if row.known is not None), None)
        if known is not None:
            return known.item.id, rows[0].item.title or document
        new = [item for item in new_items(one, lists) if item.document == document]
        store.items.add(project.id, new)
    raise InputError(message("app.try-is-forgotten"), hint=message("app.start-it-again"))


@router.post("/projects/{project}/try/undo", dependencies=[CheckedForm])
def undo(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    at: Token,
    undoes: Key,
    key: Key,
) -> Response:
    """Takes the last grade back."""
    one = _kept(request).find(at, visitor.account.id, project)
    action = Action("undo", key, project_id=project, undoes=undoes)
    store.grading.record(visitor.account, action)
    one.done, one.key = "undone", ""
    return _back(one)


@router.post("/projects/{project}/try/queue", dependencies=[CheckedForm])
def add_to_queue(
    request: Request, store: OpenStore, visitor: Leader, project: Id, at: Token
) -> Response:
    """Adds the results that the project lacks, for its judges to grade."""
    found = _project(store, project)
    one = _kept(request).find(at, visitor.account.id, project)
    lists = read_lists(store, found, visitor.account, one)
    added = store.items.add(project, new_items(one, lists))
    detail = f"{found.name}: {added} results"
    note_event(request, visitor, "imported", detail)
    one.done, one.values = "queued", {"count": added}
    return _back(one)
