"""Progress of a project and of its judges."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

from relyon.judging.gold_turns import count_turns
from relyon.judging.places import (
    COUNTS,
    DECIDING,
    NOW,
    PROJECT,
    REMOVED,
    USER,
    count_given,
    is_free,
    speaks,
    undone,
)
from relyon.judging.records import Project, User
from relyon.judging.schema import actions, assignments, gold, items, sa, users
from relyon.judging.table_rows import read_user

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = ["Progress", "measure_judges", "measure_progress"]

Columns = TypeVarTuple("Columns")
T = TypeVar("T")


@dataclass(frozen=True)
class Progress:
    """Progress of a project, and of one judge if there is one.

    Attributes:
        items: Items to grade, without gold.
        finished: Items whose places are all filled.
        places: Places of all items.
        filled: Places with a grade or a reason why the item cannot be graded.
        done: Items that the judge answered, gold included; 0 without a judge.
        open: Items that the judge has.
        later: Items that the judge postponed.
        available: Items that the judge could still be given, gold included.
        seconds: The mean time of the judge's timed grades; NaN if there are none.
        free: Items with an unassigned place.
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
    free: int = 0


def measure_progress(store: Store, project_id: int, user: User | None = None) -> Progress:
    """Returns the progress of a project, and of one judge.

    Raises:
        UnknownNameError: If the project does not exist.
    """
    project = store.projects.get(project_id)
    with store.database.read() as connection:
        overall = _overall(connection, project, store.clock())
        if user is None:
            return overall
        return _of_judges(connection, project, overall, store.clock(), user)[user.id]


def measure_judges(store: Store, project_id: int) -> tuple[Progress, dict[int, Progress]]:
    """Returns the progress of a project and of all judges who have or had some of its items.

    Returns:
        The project's progress, and each judge's by account id.
    """
    project = store.projects.get(project_id)
    with store.database.read() as connection:
        overall = _overall(connection, project, store.clock())
        return overall, _of_judges(connection, project, overall, store.clock())


def measure_own(store: Store, project_id: int, user: User, overall: Progress) -> Progress:
    """Returns the progress of one judge in a project whose own progress is known.

    `available` is computed from `overall.free`, the number of items with a free place.
    """
    project = store.projects.get(project_id)
    with store.database.read() as connection:
        return _of_judges(connection, project, overall, store.clock(), user)[user.id]


_HELD = (
    sa.select(assignments.c.state, sa.func.count())
    .where(
        assignments.c.project_id == PROJECT,
        assignments.c.user_id == USER,
        assignments.c.state.in_(("open", "later", "done")),
    )
    .group_by(assignments.c.state)
)


def count_held(store: Store, project_id: int, user: User) -> dict[str, int]:
    """Returns how many places a judge has in each state."""
    values = {"project": project_id, "user": user.id}
    with store.database.read() as connection:
        return {row[0]: row[1] for row in connection.execute(_HELD, values)}


def _overall(connection: sa.Connection, project: Project, now: float) -> Progress:
    """Counts a project's items and places, and the items with a free place."""
    row = connection.execute(_OVERALL, {"project": project.id, "now": now}).one()
    every, full, places, filled, free = map(int, row)
    return Progress(every, full, places, filled, free=free)


def _overall_query() -> sa.Select[*tuple[int, ...]]:
    done = sa.case((assignments.c.state == "done", 1), else_=0)
    per_item = (
        sa.select(
            sa.func.count().label("places"),
            sa.func.sum(done).label("filled"),
            sa.func.max(sa.case((is_free(NOW), 1), else_=0)).label("free"),
        )
        .where(
            assignments.c.project_id == PROJECT,
            assignments.c.slot.is_not(None),
            assignments.c.state != "removed",
        )
        .group_by(assignments.c.item_id)
        .subquery()
    )
    finished = sa.case((per_item.c.filled == per_item.c.places, 1), else_=0)
    return sa.select(
        sa.func.count(),
        *(
            sa.func.coalesce(sa.func.sum(part), 0)
            for part in (finished, per_item.c.places, per_item.c.filled, per_item.c.free)
        ),
    ).select_from(per_item)


_OVERALL = _overall_query()


@dataclass(frozen=True)
class _Queries:
    """Queries about judges, whose first column is the judge's id.

    Attributes:
        held: The number of places in each state.
        seconds: The mean time of their grades.
        answered: The number of items that they answered.
        taken: The number of items with a free place that they have or answered.
        seen: The number of gold items that they have or answered.
    """

    held: sa.Select[int, str, int]
    seconds: sa.Select[int, float | None]
    answered: sa.Select[int, int]
    taken: sa.Select[int, int]
    seen: sa.Select[int, int]


_GOLDEN = (
    sa.select(gold.c.item_id)
    .select_from(gold.join(items))
    .where(items.c.project_id == PROJECT, COUNTS)
)


@cache
def _queries(*, one: bool) -> _Queries:
    """Returns the queries about one judge, or about all."""

    def own(query: sa.Select[*Columns], table: sa.Table) -> sa.Select[*Columns]:
        whose = table.c.user_id == USER if one else table.c.user_id.is_not(None)
        return query.where(table.c.project_id == PROJECT, whose)

    whose_actions = actions.c.project_id == PROJECT
    if one:
        whose_actions = sa.and_(whose_actions, actions.c.user_id == USER)
    last = (
        own(sa.select(actions.c.user_id, sa.func.max(actions.c.id).label("id")), actions)
        .where(
            actions.c.kind.in_(DECIDING),
            actions.c.id.not_in(undone(whose_actions)),
        )
        .group_by(actions.c.user_id, actions.c.item_id)
        .subquery()
    )
    # Of the items with a free place, those that the judge has or answered.
    known = sa.union(
        own(sa.select(assignments.c.user_id, assignments.c.item_id), assignments),
        own(sa.select(actions.c.user_id, actions.c.item_id), actions).where(*speaks(whose_actions)),
    ).subquery()
    # Looked up for each item: the free places of a project may be many more.
    still_free = sa.exists().where(
        assignments.c.item_id == known.c.item_id, assignments.c.slot.is_not(None), is_free(NOW)
    )
    counted = sa.select(known.c.user_id, sa.func.count()).group_by(known.c.user_id)
    return _Queries(
        held=own(
            sa.select(assignments.c.user_id, assignments.c.state, sa.func.count()), assignments
        ).group_by(assignments.c.user_id, assignments.c.state),
        seconds=own(sa.select(actions.c.user_id, sa.func.avg(actions.c.seconds)), actions)
        .where(actions.c.kind == "grade")
        .group_by(actions.c.user_id),
        answered=sa.select(actions.c.user_id, sa.func.count())
        .select_from(actions.join(last, actions.c.id == last.c.id))
        .where(
            actions.c.kind.in_(("grade", "cannot")),
            actions.c.item_id.not_in(
                sa.select(items.c.id).where(items.c.project_id == PROJECT, REMOVED)
            ),
        )
        .group_by(actions.c.user_id),
        taken=counted.where(still_free),
        seen=counted.where(known.c.item_id.in_(_GOLDEN)),
    )


def _of_judges(
    connection: sa.Connection,
    project: Project,
    overall: Progress,
    now: float,
    user: User | None = None,
) -> dict[int, Progress]:
    """Returns the progress of each judge, or of one. Gold items count as any other item."""
    chosen = None if user is None else user.id
    asked = _queries(one=user is not None)
    whose = {"project": project.id, "user": chosen}

    def count(query: sa.Select[int, T], **values: float) -> dict[int, T]:
        return {row[0]: row[1] for row in connection.execute(query, {**whose, **values})}

    states: dict[int, dict[str, int]] = {}
    for owner, state, times in connection.execute(asked.held, whose):
        states.setdefault(owner, {})[state] = times
    seconds = count(asked.seconds)
    answered = count(asked.answered)
    taken = count(asked.taken, now=now)
    every = len(connection.execute(_GOLDEN, whose).all()) if project.gold_share else 0
    seen: dict[int, int] = {}
    given: dict[int, int] = {}
    if every:
        seen = count(asked.seen)
        given = count_given(connection, project.id, chosen)
    judges = {} if user is None else {user.id: user}
    if user is None:
        who = {*states, *seconds, *answered, *taken}
        rows = connection.execute(sa.select(users).where(users.c.id.in_(who)))
        judges = {row.id: read_user(row) for row in rows}
    found = {}
    for one, judge in judges.items():
        mean = seconds.get(one)
        found[one] = replace(
            overall,
            done=answered.get(one, 0),
            open=states.get(one, {}).get("open", 0),
            later=states.get(one, {}).get("later", 0),
            available=count_turns(
                project,
                judge,
                given.get(one, 0),
                overall.free - taken.get(one, 0),
                every - seen.get(one, 0),
            ),
            seconds=math.nan if mean is None else float(mean),
        )
    return found
