"""One item that a person chooses to grade: a place of it, by the rules of all places."""

from __future__ import annotations

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.judging.jobs import unfinished
from relyon.judging.places import (
    MAY_GET,
    claim_values,
    count_given,
    give_places,
    take_turn,
)
from relyon.judging.projects import find_project, refuse_closed
from relyon.judging.records import User
from relyon.judging.result_rows import refuse_removed
from relyon.judging.schema import actions, assignments, gold, items, sa
from relyon.judging.store import Store

__all__ = ["choose_item"]


def choose_item(store: Store, user: User, item_id: int) -> None:
    """Assigns an item to a person who wants to grade it, unless it is theirs already.

    They take one of its places, as they would in turn: an item never gets more grades than the
    project wants, gold items come at their turns only, and removed ones not at all.

    Args:
        store: The database.
        user: The person.
        item_id: The item.

    Raises:
        InputError: If there is no such item, or no place for them.
        ParameterError: If the project is closed.
    """
    with store.database.write() as connection:
        project = find_project(connection, item_id)
        take_turn(connection, project.id)
        refuse_closed(project)
        refuse_removed(connection, item_id)
        if connection.execute(sa.select(gold.c.item_id).where(gold.c.item_id == item_id)).all():
            raise InputError(
                message("judging.item-is-gold"), hint=message("judging.correct-on-its-page")
            )
        if _is_theirs(connection, user, item_id):
            return
        now = store.clock()
        query = (
            sa.select(assignments)
            .select_from(assignments.join(items, assignments.c.item_id == items.c.id))
            .where(assignments.c.item_id == item_id, *MAY_GET)
            .order_by(assignments.c.slot)
            .limit(1)
        )
        for job in unfinished(connection, project.id):
            query = query.where(items.c.job_id.is_distinct_from(job))
        place = connection.execute(query, claim_values(project, user, now)).one_or_none()
        if place is None:
            raise InputError(
                message("judging.item-has-no-place"), hint=message("judging.correct-on-its-page")
            )
        given = count_given(connection, project.id, user.id).get(user.id, 0)
        give_places(connection, project, user, {given: place}, now)


def _is_theirs(connection: sa.Connection, user: User, item_id: int) -> bool:
    """Returns whether a person has a place of an item, or has graded it."""
    held = sa.select(assignments.c.id).where(
        assignments.c.item_id == item_id, assignments.c.user_id == user.id
    )
    said = sa.select(actions.c.id).where(
        actions.c.item_id == item_id, actions.c.user_id == user.id, actions.c.kind == "grade"
    )
    return bool(connection.execute(held).first() or connection.execute(said.limit(1)).first())
