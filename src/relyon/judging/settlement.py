"""Updates of a judge's place of an item after an action, and of places that become free."""

from __future__ import annotations

from typing import NamedTuple

from relyon.judging.disguise import is_lost
from relyon.judging.places import (
    CHANGE_PLACE,
    COUNTS,
    DECIDING,
    LATER,
    UNANSWERED,
    forget_gold,
    give_gold,
    give_places,
    is_free,
    remember_lapse,
    take_turn,
    undone,
)
from relyon.judging.records import Project, User
from relyon.judging.result_rows import redo_results
from relyon.judging.schema import TableRow, actions, assignments, gold, items, projects, sa, users
from relyon.judging.table_rows import read_project, read_user

__all__ = [
    "Said",
    "count_late",
    "held_place",
    "is_gone",
    "last_said",
    "release_place",
    "release_places",
    "settle",
]

HELD = (
    sa.select(assignments)
    .where(
        assignments.c.item_id == sa.bindparam("item"),
        assignments.c.user_id == sa.bindparam("user"),
    )
    .with_for_update()  # serialises the same judge's actions from two devices
)


class Said(NamedTuple):
    """A judge's last action on an item."""

    id: int
    kind: str


def held_place(connection: sa.Connection, user: User, item_id: int) -> TableRow | None:
    """Returns the judge's place of an item, and locks it."""
    return connection.execute(HELD, {"item": item_id, "user": user.id}).one_or_none()


def is_gone(
    connection: sa.Connection, project: Project, user: User, target: TableRow, now: float
) -> bool:
    """Returns whether a skipped item is lost, as an ordinary one would be: then gold is removed.

    Args:
        connection: A connection in a write transaction.
        project: The project.
        user: The judge.
        target: The action that is undone.
        now: The time.
    """
    if target.kind != "skip":
        return False
    held = held_place(connection, user, target.item_id)
    if held is None or held.slot is not None:
        return False
    if not is_lost(connection, project, user, target.item_id, target.created_at, now):
        return False
    forget_gold(connection, held.id)
    return True


def last_said(connection: sa.Connection, user: User, item_id: int) -> Said | None:
    """Returns a judge's last action on an item that was not undone."""
    row = connection.execute(
        sa.select(actions.c.id, actions.c.kind)
        .where(
            actions.c.item_id == item_id,
            actions.c.user_id == user.id,
            actions.c.kind.in_(DECIDING),
            actions.c.id.not_in(undone(actions.c.item_id == item_id)),
        )
        .order_by(actions.c.id.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else Said(row.id, row.kind)


def settle(
    connection: sa.Connection,
    project: Project,
    user: User,
    item_id: int,
    last: Said | None,
    now: float,
    held: TableRow | None = None,
    given: int | None = None,
) -> None:
    """Updates a judge's place after their last action; an undone item is the next one again.

    Args:
        connection: A connection in a write transaction.
        project: The project.
        user: The judge.
        item_id: The item.
        last: The judge's last action on it.
        now: The time.
        held: The judge's place, if known.
        given: The new position in the judge's order; None leaves it.
    """
    held = held or held_place(connection, user, item_id)
    kind = None if last is None else last.kind
    removed = held is not None and held.state == "removed"
    if kind == "skip" and (held is None or held.slot is not None) and not removed:
        if held is not None:
            release_place(connection, held.id)
        count_late(connection, project, item_id, now)
        return
    if held is None:
        if not _take_back(connection, project, user, item_id, kind, now):
            return
        held = connection.execute(HELD, {"item": item_id, "user": user.id}).one()
    state = {None: "open", "later": "later"}.get(kind, "done")
    lease = {"open": 1, "later": LATER, "done": None}[state]
    if removed:  # what it is when it is restored follows from the action
        state = "removed"
    connection.execute(
        CHANGE_PLACE,
        {
            "place": held.id,
            "state": state,
            "leased_until": None if lease is None else now + lease * project.lease_seconds,
            "action_id": None if last is None else last.id,
            "given": held.given if given is None else given,
        },
    )


def count_late(connection: sa.Connection, project: Project, item_id: int, now: float) -> None:
    """Assigns a place that became free to the earliest grade that came too late."""
    holders = sa.select(assignments.c.user_id).where(
        assignments.c.item_id == item_id, assignments.c.user_id.is_not(None)
    )
    late = connection.execute(
        sa.select(users)
        .select_from(users.join(actions, actions.c.user_id == users.c.id))
        .where(
            actions.c.item_id == item_id,
            actions.c.kind.in_(("grade", "cannot")),
            actions.c.id.not_in(undone(actions.c.item_id == item_id)),
            actions.c.user_id.not_in(holders),
        )
        .order_by(actions.c.id)
    ).all()
    for row in late:
        judge = read_user(row)
        last = last_said(connection, judge, item_id)
        if last is not None and last.kind in ("grade", "cannot"):
            settle(connection, project, judge, item_id, last, now)
            return


def release_places(
    connection: sa.Connection, user_id: int, now: float, *, project_id: int | None = None
) -> None:
    """Releases the places that a judge has not graded. A late grade can still be counted.

    Args:
        connection: A connection in a write transaction.
        user_id: The judge.
        now: The time.
        project_id: Only places in this project; None for all.
    """
    mine = sa.and_(assignments.c.user_id == user_id, assignments.c.state.in_(UNANSWERED))
    if project_id is not None:
        mine = sa.and_(mine, assignments.c.project_id == project_id)
    here = sa.select(projects).where(
        projects.c.id.in_(sa.select(assignments.c.project_id).where(mine))
    )
    for row in connection.execute(here.order_by(projects.c.id)).all():
        project = read_project(row)
        take_turn(connection, project.id)
        held = connection.execute(
            sa.select(assignments).where(mine, assignments.c.project_id == project.id)
        ).all()
        for place in held:
            remember_lapse(connection, place.item_id, user_id, now)
            if place.slot is None:
                forget_gold(connection, place.id)
                continue
            release_place(connection, place.id)
            count_late(connection, project, place.item_id, now)
        redo_results(connection, project.id, [place.item_id for place in held])


def release_place(connection: sa.Connection, place: int) -> None:
    """Unassigns a place."""
    connection.execute(
        sa.update(assignments)
        .where(assignments.c.id == place)
        .values(user_id=None, state="open", leased_until=None, action_id=None, swapped=False)
    )


def _take_back(
    connection: sa.Connection,
    project: Project,
    user: User,
    item_id: int,
    kind: str | None,
    now: float,
) -> bool:
    """Assigns a place to a judge who had one before, and returns whether there was one.

    An existing grade takes precedence over a possible one: it takes the place of a judge who has
    not graded yet, and whose grade would then be the late one.
    """
    order = sa.case((assignments.c.user_id.is_(None), 0), (is_free(now), 1), else_=2)
    query = sa.select(assignments).where(
        assignments.c.item_id == item_id,
        assignments.c.slot.is_not(None),
        assignments.c.state.in_(UNANSWERED),
    )
    if kind not in ("grade", "cannot"):
        query = query.where(is_free(now))
    slot = connection.execute(query.order_by(order, assignments.c.slot).limit(1)).one_or_none()
    if slot is None:
        known = sa.select(gold.c.item_id).select_from(gold.join(items))
        known = known.where(gold.c.item_id == item_id, COUNTS)
        if not connection.execute(known).all():
            return False
        give_gold(connection, project, user, item_id, now + project.lease_seconds, 0)
        return True
    give_places(connection, project, user, {0: slot}, now)
    return True
