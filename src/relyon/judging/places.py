"""Places: which of them a judge may take, in which order, and how one changes hands."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Any

from relyon.judging.records import Project, User
from relyon.judging.schema import actions, assignments, items, lapses, sa
from relyon.judging.table_rows import PLACES

__all__ = [
    "ANSWERS",
    "CHANGE_PLACE",
    "DECIDING",
    "JUDGING_ORDER",
    "LATER",
    "MAY_GET",
    "NOW",
    "PROJECT",
    "USER",
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

#: Kinds of actions that say what becomes of an item.
DECIDING = ("grade", "cannot", "skip", "later")
#: Those of them after which an item is done with, and not given to its judge again.
ANSWERS = ("grade", "cannot", "skip")
#: An item that a judge put off stays reserved so many times longer.
LATER = 100
# Making a statement takes longer than carrying it out, so each is made once. These are what the
# statements of a claim ask for: its values are `claim_values`.
PROJECT, USER = (sa.bindparam(name, type_=sa.Integer) for name in ("project", "user"))
NOW = sa.bindparam("now", type_=sa.Double)
HELD, SAID, TAKEN_BACK = assignments.alias(), actions.alias(), actions.alias()


def take_turn(connection: sa.Connection, project_id: int, *, alone: bool = True) -> None:
    """Lets one transaction after the other change who has which place, for a moment each.

    Args:
        connection: A connection in a write transaction.
        project_id: The project.
        alone: False for who changes nothing but a place of their own: those wait only for who is
            alone, and their transactions reach the disk together.
    """
    if connection.dialect.name != "sqlite":  # its writers queue anyway
        lock = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
        connection.execute(sa.text(f"SELECT {lock}(728512, :project)"), {"project": project_id})


def draw_number(*parts: object) -> int:
    """Returns 64 bits that the same parts always give: chance that can be repeated."""
    text = "\n".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())


#: The judge's own order of all items: a permutation of their places.
JUDGING_ORDER = (
    sa.bindparam("factor", type_=sa.BigInteger) * sa.cast(items.c.place, sa.BigInteger)
    + sa.bindparam("shift", type_=sa.BigInteger)
) % sa.literal(PLACES, sa.BigInteger)


def claim_values(project: Project, user: User, now: float) -> dict[str, Any]:
    """Returns what statements about a judge's own items ask for."""
    return {
        "project": project.id,
        "user": user.id,
        "now": now,
        "factor": 1 + draw_number(project.seed, "factor", user.name) % (PLACES - 1),
        "shift": draw_number(project.seed, "shift", user.name) % PLACES,
    }


def is_free(now: float | sa.BindParameter[float]) -> sa.ColumnElement[bool]:
    """Whether nobody has a place, or the time of who has it ran out."""
    return sa.or_(
        assignments.c.user_id.is_(None),
        sa.and_(assignments.c.state != "done", assignments.c.leased_until < now),
    )


def new_to_judge(item: sa.ColumnElement[int]) -> list[sa.ColumnElement[bool]]:
    """Which items a judge neither has nor said anything of."""
    # Looked up for each item that is free: a judge's own may be many more.
    return [
        ~sa.exists().where(HELD.c.item_id == item, HELD.c.user_id == USER),
        ~sa.exists().where(
            SAID.c.item_id == item,
            SAID.c.user_id == USER,
            SAID.c.kind.in_(ANSWERS),
            ~sa.exists().where(TAKEN_BACK.c.undoes == SAID.c.id),
        ),
    ]


#: Which of a project's places a judge may be given.
MAY_GET = (
    assignments.c.slot.is_not(None),
    is_free(NOW),
    *new_to_judge(assignments.c.item_id),
)


def speaks(condition: sa.ColumnElement[bool]) -> list[sa.ColumnElement[bool]]:
    """Which of some actions keep an item from being given to their judge again."""
    return [
        actions.c.kind.in_(ANSWERS),
        actions.c.id.not_in(undone(condition)),
    ]


def undone(condition: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """The ids of actions that were taken back."""
    return sa.select(actions.c.undoes).where(condition, actions.c.undoes.is_not(None))


def is_swapped(project: Project, user: User, item: int) -> bool:
    """Whether this judge sees the second system on the left: as by a coin, and always the same."""
    side_by_side = project.kind == "side_by_side"
    return side_by_side and bool(draw_number(project.seed, "side", user.name, item) & 1)


def see_preference(project: Project, user: User, item: int, grade: float | None) -> float | None:
    """Turns a preference between left and right into one between two systems, and back."""
    swapped = grade is not None and is_swapped(project, user, item)
    return -(grade or 0.0) or 0.0 if swapped else grade


def count_given(
    connection: sa.Connection, project_id: int, user_id: int | None = None
) -> dict[int, int]:
    """Returns how many items judges were given so far, also those that others have now.

    Args:
        connection: To the database.
        project_id: The project.
        user_id: This judge only; None for all.
    """
    rows = connection.execute(
        _given_query(one=user_id is not None), {"project": project_id, "user": user_id}
    )
    return {row[0]: int(row[1]) for row in rows}


@cache
def _given_query(*, one: bool) -> sa.Select[Any]:
    def had(table: sa.Table, *conditions: sa.ColumnElement[bool]) -> sa.Select[Any]:
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
    """Gives a gold item to a judge; nobody loses a place by it."""
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
    """Takes a gold item from who has it and did not grade it."""
    connection.execute(sa.delete(assignments).where(assignments.c.id == place))


#: With the values of the columns that change.
CHANGE_PLACE = sa.update(assignments).where(assignments.c.id == sa.bindparam("place"))


def give_places(
    connection: sa.Connection,
    project: Project,
    user: User,
    slots: Mapping[int, Any],
    now: float,
) -> None:
    """Gives places to a judge, and remembers from whom they were taken.

    Args:
        connection: A connection in a write transaction.
        project: The project.
        user: The judge.
        slots: The places, by how many items the judge was given before each.
        now: The time, from which the lease counts.
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
    """Remembers that a judge had an item which somebody else has now."""
    held = sa.and_(lapses.c.item_id == item_id, lapses.c.user_id == user_id)
    if not connection.execute(sa.select(lapses.c.item_id).where(held)).all():
        connection.execute(
            sa.insert(lapses).values(item_id=item_id, user_id=user_id, created_at=now)
        )
