"""How far the work is: of a project, and of one judge."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relkit.judging.places import may_get
from relkit.judging.records import User
from relkit.judging.schema import actions, assignments, sa

if TYPE_CHECKING:
    from relkit.judging.store import Store

__all__ = ["Progress", "measure_progress"]


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


def _count(connection: sa.Connection, *conditions: sa.ColumnElement[bool]) -> int:
    query = sa.select(sa.func.count()).select_from(assignments).where(*conditions)
    return int(connection.execute(query).scalar_one())


def measure_progress(store: Store, project_id: int, user: User | None = None) -> Progress:
    """Counts what is done and what is left, of a project and of one judge."""
    project = store.project(project_id)
    here = assignments.c.project_id == project.id
    ordinary = assignments.c.slot.is_not(None)
    done = assignments.c.state == "done"
    with store.database.read() as connection:
        per_item = (
            sa.select(
                assignments.c.item_id,
                sa.func.sum(sa.case((done, 0), else_=1)).label("missing"),
            )
            .where(here, ordinary)
            .group_by(assignments.c.item_id)
            .subquery()
        )
        whole, finished = connection.execute(
            sa.select(
                sa.func.count(), sa.func.sum(sa.case((per_item.c.missing == 0, 1), else_=0))
            ).select_from(per_item)
        ).one()
        overall = {
            "items": int(whole),
            "finished": int(finished or 0),
            "places": _count(connection, here, ordinary),
            "filled": _count(connection, here, ordinary, done),
        }
        if user is None:
            return Progress(**overall)
        mine = assignments.c.user_id == user.id
        seconds = connection.execute(
            sa.select(sa.func.avg(actions.c.seconds)).where(
                actions.c.project_id == project.id,
                actions.c.user_id == user.id,
                actions.c.kind == "grade",
            )
        ).scalar_one()
        available = connection.execute(
            sa.select(sa.func.count(assignments.c.item_id.distinct())).where(
                *may_get(project, user, store.clock())
            )
        ).scalar_one()
        return Progress(
            **overall,
            done=_count(connection, here, mine, done),
            open=_count(connection, here, mine, assignments.c.state == "open"),
            later=_count(connection, here, mine, assignments.c.state == "later"),
            available=int(available),
            seconds=math.nan if seconds is None else float(seconds),
        )
