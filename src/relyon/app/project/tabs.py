"""The page of a project: one tab for each of its sides."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from relyon.app.authentication import Visitor
from relyon.app.management import unfinished_job
from relyon.app.pages import render
from relyon.judging.records import Project
from relyon.judging.snapshots.kept import has_snapshots
from relyon.judging.store import Store

__all__ = ["PATIENCE", "TABS", "render_tab"]

#: Seconds that a page waits for the figures of a large project, which are counted after a start.
PATIENCE = 0.5
#: The tabs, by the last part of their address.
TABS = {
    "progress": "",
    "data": "/data",
    "results": "/results",
    "try": "/try",
    "snapshots": "/snapshots",
    "quality": "/agreement",
    "models": "/models",
    "people": "/people",
    "settings": "/settings",
}
#: Those of projects whose leads may ask engines.
LIVE = {"try", "snapshots"}
#: Pages below a tab.
PAGES = {
    "snapshot": "snapshots",
    "versus": "snapshots",
    "unjudged": "snapshots",
    "next": "snapshots",
}


def render_tab(
    request: Request,
    store: Store,
    visitor: Visitor,
    project: Project,
    tab: str,
    /,
    *,
    status: int = 200,
    **values: object,
) -> Response:
    """Returns a tab of a project's page.

    Args:
        request: The request.
        store: The database.
        visitor: Who sees it.
        project: The project.
        tab: One of `TABS`, or a page below one; its template is `project_TAB.html`.
        status: The status of the answer.
        **values: What the template needs besides.
    """
    engines = request.app.state.settings.engines.names(project.id)
    live = bool(engines) and project.kind == "grades"
    hidden = set() if live else LIVE
    if not live and has_snapshots(store, project.id):
        hidden = LIVE - {"snapshots"}
    return render(
        request,
        visitor,
        f"project_{tab}.html",
        status=status,
        project=project,
        tab=PAGES.get(tab, tab),
        tabs={name: end for name, end in TABS.items() if name not in hidden},
        job=unfinished_job(store, project.id),
        **values,
    )
