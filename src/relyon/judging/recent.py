"""Status of projects for pages: exact for most projects, slightly out of date for large ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.judging.decisions import Queued
from relyon.judging.figures import is_large
from relyon.judging.progress import Progress, count_held, measure_own, measure_progress
from relyon.judging.records import User
from relyon.judging.status import AgreementStatus, WorkStatus, describe_agreement, describe_work

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = ["recent_agreement", "recent_progress", "recent_queue", "recent_work"]

#: Seconds for which a judge's remaining items are not counted again; finished ones always are.
OWN = 60.0


def recent_progress(
    store: Store, project_id: int, user: User, *, patience: float | None = None
) -> Progress:
    """Returns the progress of a project and of a judge.

    Raises:
        NotReadyError: If a large project is being counted and the patience was too short.
    """
    if not is_large(store, project_id):
        return measure_progress(store, project_id, user)
    whole = store.figures.get(
        ("progress", project_id), lambda: measure_progress(store, project_id), patience=patience
    )

    def own() -> tuple[Progress, dict[str, int]]:
        # First, so that answers given meanwhile are added later.
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


def recent_work(store: Store, project_id: int, *, patience: float | None = None) -> WorkStatus:
    """Returns the result of `describe_work`.

    Raises:
        NotReadyError: As `recent_progress`.
    """
    if not is_large(store, project_id):
        return describe_work(store, project_id)
    key = ("work", project_id)
    return store.figures.get(key, lambda: describe_work(store, project_id), patience=patience)


def recent_agreement(
    store: Store, project_id: int, *, patience: float | None = None
) -> AgreementStatus:
    """Returns the result of `describe_agreement`.

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
    """Returns the first items that a lead should decide, and the total number of such items.

    In a large project the most recent disagreements may be missing; decided ones never reappear.

    Raises:
        NotReadyError: As `recent_progress`.
    """
    if not is_large(store, project_id):
        found = store.decisions.queue(project_id, again=again, most=most)
        return found, max(store.decisions.count_queue(project_id), len(found))
    every = store.figures.get(
        ("queue", project_id), lambda: store.decisions.queued_items(project_id), patience=patience
    )
    settled = {*store.decisions.all(project_id), *store.items.removed(project_id)}
    left = [item for item in every if item not in settled]
    chosen = left[: 2 * most] + ([again] if again else [])
    shown = store.decisions.queue(project_id, again=again, most=most, among=chosen)
    return shown, max(len(left), len(shown))
