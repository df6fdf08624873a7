"""Expiry of gold items, which judges could recognise if they never expired.

An ordinary item that a judge leaves for too long, or skips, is soon assigned to another judge. A
gold item is lost at random, as often as ordinary ones.
"""

from __future__ import annotations

from relyon.judging.places import (
    MAY_GET,
    NOW,
    PROJECT,
    UNANSWERED,
    USER,
    claim_values,
    draw_number,
    forget_gold,
    remember_lapse,
)
from relyon.judging.records import Project, User
from relyon.judging.schema import actions, assignments, items, lapses, sa

__all__ = ["is_lost", "lose_gold"]

_EXPIRED = sa.select(assignments).where(
    assignments.c.project_id == PROJECT,
    assignments.c.user_id == USER,
    assignments.c.state.in_(UNANSWERED),
    assignments.c.leased_until < NOW,
)


def lose_gold(connection: sa.Connection, project: Project, user: User, now: float) -> None:
    """Removes expired gold items from a judge as often as others took ordinary ones."""
    values = {"project": project.id, "user": user.id, "now": now}
    expired = connection.execute(_EXPIRED, values).all()
    golden = [row for row in expired if row.slot is None]
    if not golden:
        return
    since = min(row.leased_until for row in golden)
    lost = sa.select(sa.func.count()).where(
        lapses.c.user_id == user.id,
        lapses.c.created_at >= since,
        lapses.c.item_id == items.c.id,
        items.c.project_id == project.id,
    )
    taken = int(connection.execute(lost).scalar_one())
    for row in golden:
        if _draw(project, user, row.item_id, taken, len(expired) - len(golden)):
            remember_lapse(connection, row.item_id, user.id, now)
            forget_gold(connection, row.id)


def is_lost(
    connection: sa.Connection, project: Project, user: User, item: int, since: float, now: float
) -> bool:
    """Returns whether an item that a judge returned would have been reassigned by now."""
    others = sa.and_(
        assignments.c.project_id == project.id,
        assignments.c.slot.is_not(None),
        assignments.c.user_id != user.id,
    )
    held = sa.and_(
        assignments.c.state == "open", assignments.c.leased_until > since + project.lease_seconds
    )
    done = sa.and_(assignments.c.state == "done", actions.c.created_at > since)
    taken = sa.select(sa.func.count()).select_from(
        assignments.outerjoin(actions, assignments.c.action_id == actions.c.id)
    )
    free = sa.select(sa.func.count()).where(assignments.c.project_id == PROJECT, *MAY_GET)
    values = claim_values(project, user, now)
    return _draw(
        project,
        user,
        item,
        int(connection.execute(taken.where(others, sa.or_(held, done))).scalar_one()),
        int(connection.execute(free, values).scalar_one()),
    )


def _draw(project: Project, user: User, item: int, taken: int, left: int) -> bool:
    """Draws one of some items and returns whether it was taken."""
    number = draw_number(project.draw_key, "lost", user.name, item, taken, left) / 2**64
    return number * (taken + left) < taken
