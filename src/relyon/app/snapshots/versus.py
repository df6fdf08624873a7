"""Two snapshots against each other, and grading what is unjudged in them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import CheckedForm, Leader, OpenStore, Visitor, note_event
from relyon.app.long_work import in_background
from relyon.app.project.tabs import render_tab
from relyon.app.rest import LARGEST_ID, Id
from relyon.app.results.correcting import start
from relyon.app.snapshots.files import whole_snapshot
from relyon.app.snapshots.links import try_link
from relyon.app.snapshots.wishes import allowed_engines, describe
from relyon.core.errors import InputError, ParameterError, RelyonError
from relyon.core.texts import Language, catalogue, message, translate
from relyon.judging.access import new_secret
from relyon.judging.records import Project
from relyon.judging.snapshots.comparing import Versus, compare_snapshots
from relyon.judging.snapshots.kept import Snapshot, list_snapshots, read_answers
from relyon.judging.snapshots.quality import cutoff
from relyon.judging.snapshots.retitled import find_left_behind, find_retitled, judge_again
from relyon.judging.snapshots.unjudged import add_unjudged, count_unjudged
from relyon.judging.store import Store
from relyon.measures.display_names import convention_line

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["chosen_pair", "grade", "router"]

log = logging.getLogger("relyon.judging")
router = APIRouter(include_in_schema=False)
Number = Annotated[int, Query(ge=1, le=LARGEST_ID)]
Maybe = Annotated[int, Query(ge=0, le=LARGEST_ID)]


def chosen_pair(store: Store, project: int, first: int, second: int) -> tuple[Snapshot, Snapshot]:
    """Returns two whole snapshots.

    Raises:
        UnknownNameError: If the project does not have one of them.
        ParameterError: If they are one, or one is open.
    """
    if first == second:
        raise ParameterError(message("judging.choose-two-snapshots"))
    return whole_snapshot(store, project, first), whole_snapshot(store, project, second)


@router.get("/projects/{project}/snapshots/compare")
def compare(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    first: Number,
    second: Number,
) -> Response:
    """Two snapshots against each other."""
    found = store.projects.get(project)
    one, two = chosen_pair(store, project, first, second)
    versus = compare_snapshots(store, found, one, two)
    contrast, finding = versus.contrast, versus.finding
    language = visitor.language
    rules = ""
    if versus.comparison is not None and versus.comparison.convention is not None:
        measures = [f"ndcg@{versus.k}"]
        rules = convention_line(versus.comparison.convention, measures, language=language)
    engines = allowed_engines(request)
    return render_tab(
        request,
        store,
        visitor,
        found,
        "versus",
        versus=versus,
        contrast=contrast,
        outcome=_outcome(versus, language),
        drawn=_drawn(versus, language),
        open_text="" if finding is None else finding.text(language),
        rules=rules,
        snapshots=[shot for shot in list_snapshots(store, project) if shot.whole],
        link=lambda query: try_link(engines, project, query, [one, two]),
        describe=describe,
    )


def _outcome(versus: Versus, language: Language) -> str:
    """Returns the difference in a sentence that claims no more than the test allows."""
    from relyon.core.texts import PAGE
    from relyon.report.overview import headline

    if versus.contrast is None or versus.comparison is None:
        return ""
    texts = catalogue("report", language, PAGE)
    return str(headline(versus.contrast, versus.comparison, texts, 3))


def _drawn(versus: Versus, language: Language) -> Markup | str:
    """Returns the difference of every query as a chart; empty if there is nothing to draw."""
    from relyon.core.document.model import Section
    from relyon.core.texts import PAGE
    from relyon.report.html import render_parts
    from relyon.report.page import Page
    from relyon.report.queries import query_chart

    if versus.comparison is None or not (versus.lost or versus.gained):
        return ""
    texts = catalogue("report", language, PAGE)
    known = {one.query: one.text for one in (*versus.lost, *versus.gained)}
    chart = query_chart(versus.comparison, versus.second.name, f"ndcg@{versus.k}", texts, {}, known)
    section = Section("queries", texts.say("section.queries"), (chart,))
    try:
        _, sections = render_parts(Page(language, "", "", (), (section,)))
    except RelyonError as error:  # the numbers do not depend on the drawing
        log.warning("a chart cannot be drawn: %s", error)
        return ""
    return sections


def _asked(store: Store, project: int, first: int, second: int) -> list[Snapshot]:
    if not second:
        return [whole_snapshot(store, project, first)]
    return [*chosen_pair(store, project, first, second)]


@router.get("/projects/{project}/snapshots/unjudged")
def ask_to_grade(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    first: Number,
    second: Maybe = 0,
) -> Response:
    """How many results of snapshots have no grade, before they are added."""
    found = store.projects.get(project)
    return _ask(request, store, visitor, found, _asked(store, project, first, second))


def _ask(
    request: Request,
    store: Store,
    visitor: Visitor,
    project: Project,
    chosen: list[Snapshot],
    *,
    added: int | None = None,
    error: RelyonError | None = None,
) -> Response:
    k = cutoff(project, *chosen)
    sides = [read_answers(store, one) for one in chosen]
    names = ("first", "second")
    request.state.about = {name: one.id for name, one in zip(names, chosen, strict=False)}
    return render_tab(
        request,
        store,
        visitor,
        project,
        "unjudged",
        chosen=chosen,
        k=k,
        unjudged=count_unjudged(store, project, sides, k),
        retitled=len(find_retitled(store, project, chosen)),
        left_behind=len(find_left_behind(store, project, chosen)),
        request_key=new_secret(),
        added=added,
        problem="" if error is None else translate(error.message, visitor.language),
        hint="" if error is None else translate(error.hint, visitor.language),
        status=400 if error is not None else 200,
    )


@router.post("/projects/{project}/snapshots/unjudged", dependencies=[CheckedForm])
def grade(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    first: Annotated[int, Form(ge=1, le=LARGEST_ID)],
    second: Annotated[int, Form(ge=0, le=LARGEST_ID)] = 0,
) -> Response:
    """Adds the results that the project does not have, for its judges."""
    found = store.projects.get(project)
    chosen = _asked(store, project, first, second)
    try:
        made = add_unjudged(store, found, chosen, by=visitor.account)
    except (InputError, ParameterError) as error:
        return _ask(request, store, visitor, found, chosen, error=error)
    names = ", ".join(one.name for one in chosen)
    note_event(request, visitor, "imported", f"{found.name}: {names}")
    if isinstance(made, tuple):
        return _ask(request, store, visitor, found, chosen, added=made.items)
    in_background(made.run, f"adding results of snapshots to project {project}")
    return RedirectResponse(f"/jobs/{made.work.job_id}", 303)


@router.post("/projects/{project}/snapshots/retitled", dependencies=[CheckedForm])
def grade_again(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    key: Annotated[str, Form(min_length=1, max_length=200)],
    first: Annotated[int, Form(ge=1, le=LARGEST_ID)],
    second: Annotated[int, Form(ge=0, le=LARGEST_ID)] = 0,
) -> Response:
    """Has graded results judged again that have another title now."""
    found = store.projects.get(project)
    chosen = _asked(store, project, first, second)
    reason = catalogue("app", visitor.language)["snapshots.retitled_reason"]
    try:
        begun = judge_again(store, found, chosen, visitor.account, request=key, reason=reason)
    except (InputError, ParameterError) as error:
        return _ask(request, store, visitor, found, chosen, error=error)
    if begun is None:
        return _ask(request, store, visitor, found, chosen)
    return start(request, store, visitor, found, begun, "reopen")
