"""Places of items: which a judge may take, in which order, and how they change hands."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from typing import TypedDict

from relyon.judging.records import Project, User
from relyon.judging.schema import TableRow, actions, assignments, items, lapses, sa
from relyon.judging.table_rows import PLACES

__all__ = [
    "ANSWERS",
    "CHANGE_PLACE",
    "COUNTS",
    "DECIDING",
    "JUDGING_ORDER",
    "LATER",
    "MAY_GET",
    "NOW",
    "PROJECT",
    "REMOVED",
    "UNANSWERED",
    "USER",
    "ClaimValues",
    "claim_values",
    "count_given",
    "draw_number",
    "forget_gold",
    "give_gold",
    "give_places",
    "is_free",
    "is_swapped",
    "new_to_judge",
    "remember_lapse",
    "see_preference",
    "speaks",
    "take_turn",
    "undone",
]

#: Kinds of actions that change the state of an item.
DECIDING = ("grade", "cannot", "skip", "later")
#: Those of them after which an item is finished, and not given to its judge again.
ANSWERS = ("grade", "cannot", "skip")
#: States of places whose judge has not answered.
UNANSWERED = ("open", "later")
#: The conditions for items that count, and for those that a lead removed: they count in no figure.
COUNTS, REMOVED = items.c.removed == sa.false(), items.c.removed == sa.true()
#: A postponed item stays reserved this many times longer.
LATER = 100
# Building a statement takes longer than executing it, so each is built once. These are the
# parameters of a claim's statements; `claim_values` returns their values.
PROJECT, USER = (sa.bindparam(name, type_=sa.Integer) for name in ("project", "user"))
NOW = sa.bindparam("now", type_=sa.Double)
HELD, SAID, TAKEN_BACK = assignments.alias(), actions.alias(), actions.alias()


def take_turn(connection: sa.Connection, project_id: int, *, alone: bool = True) -> None:
    """Waits until no other transaction changes the project's places.

    Args:
        connection: A connection in a write transaction.
        project_id: The project.
        alone: False if the transaction changes only the judge's own place: such transactions wait
            only for those that are alone, and reach the disk together.
    """
    if connection.dialect.name != "sqlite":  # its writers queue anyway
        lock = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
        connection.execute(sa.text(f"SELECT {lock}(728512, :project)"), {"project": project_id})


def draw_number(*parts: object) -> int:
    """Returns a pseudorandom number of 64 bits that depends only on the parts."""
    text = "\n".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())


#: The judge's own order of all items: a permutation of their places.
JUDGING_ORDER = (
    sa.bindparam("factor", type_=sa.BigInteger) * sa.cast(items.c.place, sa.BigInteger)
    + sa.bindparam("shift", type_=sa.BigInteger)
) % sa.literal(PLACES, sa.BigInteger)


class ClaimValues(TypedDict):
    """The parameters of statements about a judge's own items."""

    project: int
    user: int
    now: float
    factor: int
    shift: int


def claim_values(project: Project, user: User, now: float) -> ClaimValues:
    """Returns the parameters of statements about a judge's own items."""
    return {
        "project": project.id,
        "user": user.id,
        "now": now,
        "factor": 1 + draw_number(project.draw_key, "factor", user.name) % (PLACES - 1),
        "shift": draw_number(project.draw_key, "shift", user.name) % PLACES,
    }


def is_free(now: float | sa.BindParameter[float]) -> sa.ColumnElement[bool]:
    """Returns the condition that a place is unassigned, or its lease has expired."""
    return sa.and_(
        assignments.c.state.in_(UNANSWERED),
        sa.or_(assignments.c.user_id.is_(None), assignments.c.leased_until < now),
    )


def new_to_judge(item: sa.ColumnElement[int]) -> list[sa.ColumnElement[bool]]:
    """Returns the conditions that a judge neither has an item nor has answered it."""
    # Looked up for each free item: a judge's own may be many more.
    return [
        ~sa.exists().where(HELD.c.item_id == item, HELD.c.user_id == USER),
        ~sa.exists().where(
            SAID.c.item_id == item,
            SAID.c.user_id == USER,
            SAID.c.kind.in_(ANSWERS),
            ~sa.exists().where(TAKEN_BACK.c.undoes == SAID.c.id),
        ),
    ]


#: The conditions for places that a judge may be given.
MAY_GET = (
    assignments.c.slot.is_not(None),
    is_free(NOW),
    *new_to_judge(assignments.c.item_id),
)


def speaks(condition: sa.ColumnElement[bool]) -> list[sa.ColumnElement[bool]]:
    """Returns the conditions for actions that keep an item from being given to their judge again.

    Args:
        condition: The condition for the actions.
    """
    return [
        actions.c.kind.in_(ANSWERS),
        actions.c.id.not_in(undone(condition)),
    ]


def undone(condition: sa.ColumnElement[bool]) -> sa.Select[int]:
    """Selects the ids of undone actions."""
    return sa.select(actions.c.undoes).where(condition, actions.c.undoes.is_not(None))


def is_swapped(project: Project, user: User, item: int) -> bool:
    """Returns whether a judge sees the second system on the left: random, but always the same."""
    side_by_side = project.kind == "side_by_side"
    return side_by_side and bool(draw_number(project.draw_key, "side", user.name, item) & 1)


def see_preference(project: Project, user: User, item: int, grade: float | None) -> float | None:
    """Converts a preference between left and right into one between systems, or back."""
    swapped = grade is not None and is_swapped(project, user, item)
    return -(grade or 0.0) or 0.0 if swapped else grade


def count_given(
    connection: sa.Connection, project_id: int, user_id: int | None = None
) -> dict[int, int]:
    """Returns how many items each judge has been given, including those that others have now.

    Args:
        connection: A connection to the database.
        project_id: The project.
        user_id: Only this judge; None for all.
    """
    rows = connection.execute(
        _given_query(one=user_id is not None), {"project": project_id, "user": user_id}
    )
    return {row[0]: int(row[1]) for row in rows}


@cache
def _given_query(*, one: bool) -> sa.Select[int, int]:
    def had(table: sa.Table, *conditions: sa.ColumnElement[bool]) -> sa.Select[int, int]:
        whose = table.c.user_id == USER if one else table.c.user_id.is_not(None)
        return sa.select(table.c.user_id, table.c.item_id).where(whose, *conditions)

    here = sa.union(
        had(assignments, assignments.c.project_id == PROJECT),
        had(actions, actions.c.project_id == PROJECT, actions.c.kind.in_(DECIDING)),
        had(lapses, lapses.c.item_id == items.c.id, items.c.project_id == PROJECT),
    ).subquery()
    return sa.select(here.c.user_id, sa.func.count()).group_by(here.c.user_id)


def give_gold(
    connection: sa.Connection, project: Project, user: User, item: int, until: float, given: int
) -> None:
    """Assigns a gold item to a judge, in addition to the item's places."""
    connection.execute(
        sa.insert(assignments).values(
            project_id=project.id,
            item_id=item,
            user_id=user.id,
            state="open",
            leased_until=until,
            swapped=is_swapped(project, user, item),
            given=given,
        )
    )


def forget_gold(connection: sa.Connection, place: int) -> None:
    """Removes the assignment of a gold item that was not graded."""
    connection.execute(sa.delete(assignments).where(assignments.c.id == place))


#: With the values of the columns that change.
CHANGE_PLACE = sa.update(assignments).where(assignments.c.id == sa.bindparam("place"))


def give_places(
    connection: sa.Connection,
    project: Project,
    user: User,
    slots: Mapping[int, TableRow],
    now: float,
) -> None:
    """Assigns places to a judge, and records whom they were taken from.

    Args:
        connection: A connection in a write transaction.
        project: The project.
        user: The judge.
        slots: The places, by the number of items that the judge was given before each.
        now: The time when the lease begins.
    """
    for slot in slots.values():
        if slot.user_id is not None:
            remember_lapse(connection, slot.item_id, slot.user_id, now)
    if not slots:
        return
    connection.execute(
        CHANGE_PLACE,
        [
            {
                "place": slot.id,
                "user_id": user.id,
                "state": "open",
                "leased_until": now + project.lease_seconds,
                "swapped": is_swapped(project, user, slot.item_id),
                "action_id": None,
                "given": given,
            }
            for given, slot in slots.items()
        ],
    )


def remember_lapse(connection: sa.Connection, item_id: int, user_id: int, now: float) -> None:
    """Records that a judge had an item that somebody else now has."""
    held = sa.and_(lapses.c.item_id == item_id, lapses.c.user_id == user_id)
    if not connection.execute(sa.select(lapses.c.item_id).where(held)).all():
        connection.execute(
            sa.insert(lapses).values(item_id=item_id, user_id=user_id, created_at=now)
        )
