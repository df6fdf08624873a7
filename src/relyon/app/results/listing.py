"""The list of a project's results, and the page of one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import Leader, OpenStore, Person, see_projects
from relyon.app.long_work import in_background
from relyon.app.pages import render
from relyon.app.project.tabs import render_tab
from relyon.app.projects import list_levels
from relyon.app.rest import Id
from relyon.app.results.asked import Asked, AskedFor, safe_return
from relyon.core.errors import InputError
from relyon.judging.access import new_secret
from relyon.judging.needs import needs_of
from relyon.judging.result_choices import list_graders, list_tiers
from relyon.judging.result_details import find_result, read_details, read_history, read_state
from relyon.judging.result_list import list_results
from relyon.judging.result_rows import RESULT_STATES, follow
from relyon.judging.schema import items, sa
from relyon.judging.store import Store

__all__ = ["follow_up", "router"]

router = APIRouter(include_in_schema=False)
#: Seconds that a page spends on bringing the list up to date; the rest is done in the background.
PATIENCE = 0.7
#: Seconds after which it is given up in the background, until the next page.
LONGEST = 600.0
#: Databases and projects that a thread is bringing up to date: one is enough.
_following: set[tuple[int, int]] = set()
ORDERS = ("newest", "query", "spread", "added")


def follow_up(store: Store, project: int) -> float:
    """Brings the list of a project up to date, or begins to, and returns the share that is."""
    share = follow(store, project, seconds=PATIENCE)
    key = (id(store), project)
    if share < 1 and key not in _following:

        def go_on() -> None:
            try:
                follow(store, project, seconds=LONGEST)
            finally:
                _following.discard(key)

        _following.add(key)
        in_background(go_on, f"listing the results of project {project}")
    return share


@router.get("/projects/{project}/results")
def show_results(
    request: Request, store: OpenStore, visitor: Leader, project: Id, asked: AskedFor
) -> Response:
    """Results, filtered and sorted."""
    found = store.projects.get(project)
    share = follow_up(store, project)
    chosen = asked.chosen()
    page = list_results(store, project, chosen, order=asked.order, after=asked.after)
    details = read_details(store, project, [one.id for one in page.results])
    narrowed = asked.model_copy(update={"order": "newest", "after": "", "back": ""})
    return render_tab(
        request,
        store,
        visitor,
        found,
        "results",
        asked=asked,
        filtered=narrowed != Asked(),
        page=page,
        rows=[(one, details[one.id]) for one in page.results if one.id in details],
        share=share,
        states=RESULT_STATES,
        orders=ORDERS,
        judges=list_graders(store, project),
        tiers=list_tiers(store, project),
        levels=list_levels(found, visitor.language),
        need=needs_of(store, project, [asked.query]).get(asked.query, "") if asked.exact else "",
        back=safe_return(asked.back),
        request_key=new_secret(),
    )


@router.get("/projects/{project}/results/{item}")
def show_result(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    item: Id,
    asked: AskedFor,
) -> Response:
    """One result: what judges see, all grades, and its history."""
    found = store.projects.get(project)
    follow_up(store, project)
    try:
        one = find_result(store, project, item)
    except InputError:
        raise HTTPException(404) from None
    return render(
        request,
        visitor,
        "result.html",
        project=found,
        one=one,
        state=read_state(store, item) or "open",
        need=needs_of(store, project, [one.item.query]).get(one.item.query, ""),
        history=read_history(store, project, item)[::-1],
        levels=list_levels(found, visitor.language),
        asked=asked,
        request_key=new_secret(),
    )


@router.get("/results")
def find_query(
    request: Request,
    store: OpenStore,
    visitor: Person,
    query: Annotated[str, Query(min_length=1, max_length=500)],
    back: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """The results of a query, in whichever project has it: from a month to its grades."""
    asked = Asked(query=query, exact=True, back=safe_return(back))
    there = [
        project
        for project, account in reversed(see_projects(request, visitor.account))
        if account.role != "judge" and _has_query(store, project.id, query)
    ]
    if len(there) == 1:
        return RedirectResponse(f"/projects/{there[0].id}/results?{asked.address()}", 303)
    return render(request, visitor, "found_query.html", projects=there, asked=asked)


def _has_query(store: Store, project: int, query: str) -> bool:
    if "\x00" in query:
        return False
    mine = sa.select(items.c.id).where(items.c.project_id == project, items.c.query == query)
    with store.database.read() as connection:
        return connection.execute(mine.limit(1)).first() is not None
