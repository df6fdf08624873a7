"""How far the work is: of a project, and of one judge."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from relkit.judging.mixing import count_turns
from relkit.judging.places import DECIDING, count_given, is_free, speaks, undone
from relkit.judging.records import Project, User
from relkit.judging.rows import read_user
from relkit.judging.schema import actions, assignments, gold, items, sa, users

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
        done: What the judge answered, gold as any other item; 0 without a judge.
        open: What the judge has.
        later: What the judge put off.
        available: Items that the judge could still be given, gold among them.
        seconds: The mean time of the judge's grades that have one; NaN where none has.
        free: Items with a place that nobody has.
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
    """Counts what is done and what is left, of a project and of one judge."""
    project = store.project(project_id)
    with store.database.read() as connection:
        overall, free = _overall(connection, project, store.clock())
        if user is None:
            return overall
        return _of_judges(connection, project, overall, free, store.clock(), user)[user.id]


def measure_judges(store: Store, project_id: int) -> tuple[Progress, dict[int, Progress]]:
    """Counts what is done and what is left of a project, and of all who have or had some of it.

    Returns:
        The project's progress, and the judges' by the account's id.
    """
    project = store.project(project_id)
    with store.database.read() as connection:
        overall, free = _overall(connection, project, store.clock())
        return overall, _of_judges(connection, project, overall, free, store.clock())


def measure_own(store: Store, project_id: int, user: User, overall: Progress) -> Progress:
    """Counts what one judge did and has left, of a project whose own progress is known.

    What the judge could be given counts every item with a free place: it is `overall.free`.
    """
    project = store.project(project_id)
    with store.database.read() as connection:
        now = store.clock()
        return _of_judges(connection, project, overall, overall.free, now, user)[user.id]


def count_held(store: Store, project_id: int, user: User) -> dict[str, int]:
    """Returns how many places a judge has in each state."""
    query = (
        sa.select(assignments.c.state, sa.func.count())
        .where(
            assignments.c.project_id == project_id,
            assignments.c.user_id == user.id,
            assignments.c.state.in_(("open", "later", "done")),
        )
        .group_by(assignments.c.state)
    )
    with store.database.read() as connection:
        return {row[0]: row[1] for row in connection.execute(query)}


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
    every, complete, places, filled, free = map(int, row)
    return Progress(every, complete, places, filled, free=free), free


def _of_judges(
    connection: sa.Connection,
    project: Project,
    overall: Progress,
    free: int,
    now: float,
    user: User | None = None,
) -> dict[int, Progress]:
    """Counts for each judge, or for one. Gold items count as any other item."""
    chosen = None if user is None else user.id

    def select(table: sa.Table, *values: Any) -> sa.Select[Any]:
        whose = table.c.user_id.is_not(None) if chosen is None else table.c.user_id == chosen
        return sa.select(table.c.user_id, *values).where(table.c.project_id == project.id, whose)

    def count(query: sa.Select[Any]) -> dict[int, Any]:
        return {row[0]: row[1] for row in connection.execute(query)}

    whose_actions = actions.c.project_id == project.id
    if chosen is not None:
        whose_actions = sa.and_(whose_actions, actions.c.user_id == chosen)
    states: dict[int, dict[str, int]] = {}
    held = select(assignments, assignments.c.state, sa.func.count())
    for judge, state, times in connection.execute(
        held.group_by(assignments.c.user_id, assignments.c.state)
    ):
        states.setdefault(judge, {})[state] = times
    seconds = count(
        select(actions, sa.func.avg(actions.c.seconds))
        .where(actions.c.kind == "grade")
        .group_by(actions.c.user_id)
    )
    last = (
        select(actions, sa.func.max(actions.c.id).label("id"))
        .where(
            actions.c.kind.in_(DECIDING),
            actions.c.id.not_in(undone(whose_actions)),
        )
        .group_by(actions.c.user_id, actions.c.item_id)
        .subquery()
    )
    answered = count(
        sa.select(actions.c.user_id, sa.func.count())
        .select_from(actions.join(last, actions.c.id == last.c.id))
        .where(actions.c.kind.in_(("grade", "cannot")))
        .group_by(actions.c.user_id)
    )
    # Of the items with a free place, those that the judge has or said something of.
    known = sa.union(
        select(assignments, assignments.c.item_id),
        select(actions, actions.c.item_id).where(*speaks(whose_actions)),
    ).subquery()
    # Looked up for each item: the free places of a project may be many more.
    still_free = sa.exists().where(
        assignments.c.item_id == known.c.item_id, assignments.c.slot.is_not(None), is_free(now)
    )
    taken = count(
        sa.select(known.c.user_id, sa.func.count()).where(still_free).group_by(known.c.user_id)
    )
    golden = sa.select(gold.c.item_id).select_from(gold.join(items))
    golden = golden.where(items.c.project_id == project.id)
    every = len(connection.execute(golden).all()) if project.gold_share else 0
    seen: dict[int, int] = {}
    given: dict[int, int] = {}
    if every:
        seen = count(
            sa.select(known.c.user_id, sa.func.count())
            .where(known.c.item_id.in_(golden))
            .group_by(known.c.user_id)
        )
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
                free - taken.get(one, 0),
                every - seen.get(one, 0),
            ),
            seconds=math.nan if mean is None else float(mean),
        )
    return found
