"""How far the work is: of a project, and of one judge."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from relkit.judging.places import is_free, speaks
from relkit.judging.records import Project, User
from relkit.judging.schema import actions, assignments, sa

if TYPE_CHECKING:
    from relkit.judging.store import Store

__all__ = ["Progress", "measure_judges", "measure_progress"]


@dataclass(frozen=True)
class Progress:
    """How far the work is.

    Attributes:
        items: Items to grade, without gold.
        finished: Of them, those all of whose places are filled.
        places: Places of all items.
        filled: Places with a grade or with a reason why there is none.
        done: What the judge did; 0 without a judge.
        open: What the judge has.
        later: What the judge put off.
        available: Items that the judge could still be given.
        seconds: The mean time of the judge's grades that have one; NaN where none has.
    """

    items: int
    finished: int
    places: int
    filled: int
    done: int = 0
    open: int = 0
    later: int = 0
    available: int = 0
    seconds: float = math.nan


def measure_progress(store: Store, project_id: int, user: User | None = None) -> Progress:
    """Counts what is done and what is left, of a project and of one judge."""
    project = store.project(project_id)
    with store.database.read() as connection:
        overall, free = _overall(connection, project, store.clock())
        if user is None:
            return overall
        return _of_judges(connection, project, overall, free, store.clock(), user.id).get(
            user.id, replace(overall, available=free)
        )


def measure_judges(store: Store, project_id: int) -> tuple[Progress, dict[int, Progress]]:
    """Counts what is done and what is left of a project, and of all who have or had some of it.

    Returns:
        The project's progress, and the judges' by the account's id.
    """
    project = store.project(project_id)
    with store.database.read() as connection:
        overall, free = _overall(connection, project, store.clock())
        return overall, _of_judges(connection, project, overall, free, store.clock())


def _overall(connection: sa.Connection, project: Project, now: float) -> tuple[Progress, int]:
    """Counts a project's items and places, and the items with a place that is free."""
    done = sa.case((assignments.c.state == "done", 1), else_=0)
    per_item = (
        sa.select(
            sa.func.count().label("places"),
            sa.func.sum(done).label("filled"),
            sa.func.max(sa.case((is_free(now), 1), else_=0)).label("free"),
        )
        .where(assignments.c.project_id == project.id, assignments.c.slot.is_not(None))
        .group_by(assignments.c.item_id)
        .subquery()
    )
    finished = sa.case((per_item.c.filled == per_item.c.places, 1), else_=0)
    row = connection.execute(
        sa.select(
            sa.func.count(),
            *(
                sa.func.coalesce(sa.func.sum(part), 0)
                for part in (finished, per_item.c.places, per_item.c.filled, per_item.c.free)
            ),
        ).select_from(per_item)
    ).one()
    *counts, free = map(int, row)
    return Progress(*counts), free


def _of_judges(
    connection: sa.Connection,
    project: Project,
    overall: Progress,
    free: int,
    now: float,
    user_id: int | None = None,
) -> dict[int, Progress]:
    """Counts for each judge, or for one."""

    def select(table: sa.Table, *values: Any) -> sa.Select[Any]:
        whose = table.c.user_id.is_not(None) if user_id is None else table.c.user_id == user_id
        return sa.select(table.c.user_id, *values).where(table.c.project_id == project.id, whose)

    def count(query: sa.Select[Any]) -> dict[int, Any]:
        return {row[0]: row[1] for row in connection.execute(query)}

    states: dict[int, dict[str, int]] = {}
    held = select(assignments, assignments.c.state, sa.func.count())
    for user, state, times in connection.execute(
        held.group_by(assignments.c.user_id, assignments.c.state)
    ):
        states.setdefault(user, {})[state] = times
    seconds = count(
        select(actions, sa.func.avg(actions.c.seconds))
        .where(actions.c.kind == "grade")
        .group_by(actions.c.user_id)
    )
    # Of the items with a free place, those that the judge has or said something of.
    known = sa.union(
        select(assignments, assignments.c.item_id),
        select(actions, actions.c.item_id).where(*speaks(actions.c.project_id == project.id)),
    ).subquery()
    still_free = sa.select(assignments.c.item_id).where(
        assignments.c.project_id == project.id, assignments.c.slot.is_not(None), is_free(now)
    )
    taken = count(
        sa.select(known.c.user_id, sa.func.count())
        .where(known.c.item_id.in_(still_free))
        .group_by(known.c.user_id)
    )
    found = {}
    for user in {*states, *seconds, *taken}:
        mine = states.get(user, {})
        mean = seconds.get(user)
        found[user] = replace(
            overall,
            done=mine.get("done", 0),
            open=mine.get("open", 0),
            later=mine.get("later", 0),
            available=free - taken.get(user, 0),
            seconds=math.nan if mean is None else float(mean),
        )
    return found
