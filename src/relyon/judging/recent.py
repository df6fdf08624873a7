"""How far a project is, for pages: exact of most projects, recent of a large one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from relyon.judging.decisions import Queued
from relyon.judging.figures import is_large
from relyon.judging.progress import Progress, count_held, measure_own, measure_progress
from relyon.judging.records import User
from relyon.judging.status import describe_agreement, describe_work

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = ["recent_agreement", "recent_progress", "recent_queue", "recent_work"]

#: Seconds for which what a judge has left is not counted again; what is done since is.
OWN = 60.0


def recent_progress(
    store: Store, project_id: int, user: User, *, patience: float | None = None
) -> Progress:
    """Returns how far a project and a judge are.

    Raises:
        NotReadyError: If a large project is being counted and the patience was too short.
    """
    if not is_large(store, project_id):
        return measure_progress(store, project_id, user)
    whole = store.figures.get(
        ("progress", project_id), lambda: measure_progress(store, project_id), patience=patience
    )

    def own() -> tuple[Progress, dict[str, int]]:
        # Before, so that what comes meanwhile is counted in later.
        held = count_held(store, project_id, user)
        return measure_own(store, project_id, user, whole), held

    mine, before = store.figures.get(
        ("own", project_id, user.id), own, patience=patience, least=OWN
    )
    held = count_held(store, project_id, user)
    more = sum(held.values()) - sum(before.values())
    return replace(
        whole,
        done=max(0, mine.done + held.get("done", 0) - before.get("done", 0)),
        open=held.get("open", 0),
        later=held.get("later", 0),
        available=max(0, mine.available - more),
        seconds=mine.seconds,
    )


def recent_work(store: Store, project_id: int, *, patience: float | None = None) -> dict[str, Any]:
    """Returns what `describe_work` says.

    Raises:
        NotReadyError: As `recent_progress`.
    """
    if not is_large(store, project_id):
        return describe_work(store, project_id)
    key = ("work", project_id)
    return store.figures.get(key, lambda: describe_work(store, project_id), patience=patience)


def recent_agreement(
    store: Store, project_id: int, *, patience: float | None = None
) -> dict[str, Any]:
    """Returns what `describe_agreement` says.

    Raises:
        NotReadyError: As `recent_progress`.
    """
    if not is_large(store, project_id):
        return describe_agreement(store, project_id)
    key = ("agreement", project_id)
    return store.figures.get(key, lambda: describe_agreement(store, project_id), patience=patience)


def recent_queue(
    store: Store,
    project_id: int,
    *,
    again: int | None = None,
    most: int,
    patience: float | None = None,
) -> tuple[list[Queued], int]:
    """Returns the first of what a lead should decide, and how much it is.

    Of a large project, disagreements of the last moments may be missing; what is decided never
    comes again.

    Raises:
        NotReadyError: As `recent_progress`.
    """
    if not is_large(store, project_id):
        found = store.decisions.queue(project_id, again=again, most=most)
        return found, max(store.decisions.count_queue(project_id), len(found))
    every = store.figures.get(
        ("queue", project_id), lambda: store.decisions.queued_items(project_id), patience=patience
    )
    decided = store.decisions.all(project_id)
    left = [item for item in every if item not in decided]
    chosen = left[: 2 * most] + ([again] if again else [])
    shown = store.decisions.queue(project_id, again=again, most=most, among=chosen)
    return shown, max(len(left), len(shown))
