"""Assignment of items to judges.

Each item has as many places as the project wants grades for it. A judge takes a place for a while
(a lease); once the lease has expired, someone else can take the place. Gold items have no places:
every judge gets each of them at most once. To a judge they look like all others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeVarTuple

from relyon.judging.disguise import lose_gold
from relyon.judging.gold_turns import is_gold_turn
from relyon.judging.jobs import unfinished
from relyon.judging.places import (
    COUNTS,
    JUDGING_ORDER,
    LATER,
    MAY_GET,
    PROJECT,
    UNANSWERED,
    USER,
    ClaimValues,
    claim_values,
    count_given,
    draw_number,
    give_gold,
    give_places,
    new_to_judge,
)
from relyon.judging.records import Comparison, Item, Project, User
from relyon.judging.schema import TableRow, assignments, gold, items, sa, sides
from relyon.judging.table_rows import PLACES, read_comparison, read_item

__all__ = ["Task", "Unit", "claim_tasks"]

Unit = Literal["result", "query"]
#: Shares of all items to search first for new ones, in a large project.
WINDOWS = (PLACES // 256, PLACES // 16)

Columns = TypeVarTuple("Columns")

_IDS: sa.BindParameter[int] = sa.bindparam("ids", expanding=True)
_OWN = (
    sa.select(assignments)
    .select_from(assignments.join(items, assignments.c.item_id == items.c.id))
    .where(
        assignments.c.project_id == PROJECT,
        assignments.c.user_id == USER,
        assignments.c.state.in_(UNANSWERED),
    )
    .order_by(assignments.c.given, JUDGING_ORDER, items.c.id)
)
_RENEW = sa.update(assignments).where(assignments.c.id.in_(_IDS))
_FREE = (
    sa.select(assignments)
    .select_from(assignments.join(items, assignments.c.item_id == items.c.id))
    .where(*MAY_GET)
    .order_by(JUDGING_ORDER, items.c.id, assignments.c.slot)
    .limit(sa.bindparam("most"))
)
_FREE_ANYWHERE = _FREE.where(assignments.c.project_id == PROJECT)
_FREE_IN_WINDOW = _FREE.where(
    assignments.c.item_id.in_(
        sa.select(items.c.id).where(
            items.c.project_id == PROJECT,
            items.c.place.between(sa.bindparam("start"), sa.bindparam("end")),
        )
    )
)
_FREE_OF_QUERY = _FREE.where(
    assignments.c.item_id.in_(
        sa.select(items.c.id).where(
            items.c.project_id == PROJECT, items.c.query == sa.bindparam("query")
        )
    )
)
_QUERY_OF = sa.select(items.c.query).where(items.c.id == sa.bindparam("item"))
_SAME_QUERY = sa.select(items.c.id).where(
    items.c.id.in_(_IDS), items.c.query == sa.bindparam("query")
)
_FREE_GOLD = (
    sa.select(items.c.id)
    # A project has many items but few gold items: search only those.
    .where(items.c.id.in_(sa.select(gold.c.item_id)), items.c.project_id == PROJECT, COUNTS)
    .where(*new_to_judge(items.c.id))
    .order_by(JUDGING_ORDER, items.c.id)
    .limit(sa.bindparam("most"))
)
_ITEMS = sa.select(items).where(items.c.id.in_(_IDS))
_PAIRS = sa.select(items, sides).select_from(items.join(sides)).where(items.c.id.in_(_IDS))


@dataclass(frozen=True)
class Task:
    """An item assigned to a judge.

    Attributes:
        item: The item to grade.
        later: Whether the judge postponed it before.
        leased_until: The end of the lease, in seconds since 1970.
        left: The left ranking of a side-by-side project, without its system's name.
        right: The right ranking.
    """

    item: Item
    later: bool
    leased_until: float
    left: tuple[Item, ...] = ()
    right: tuple[Item, ...] = ()


def claim_tasks(
    connection: sa.Connection,
    project: Project,
    user: User,
    count: int,
    now: float,
    *,
    by: Unit = "result",
) -> list[Task]:
    """Assigns up to `count` items to a judge, in a transaction that has its turn.

    Args:
        connection: A connection in a write transaction that has its turn.
        project: The project.
        user: The judge.
        count: How many items the judge should have.
        now: The time.
        by: Whether they are any `result`s, or those of one `query`.
    """
    lose_gold(connection, project, user, now)
    values = claim_values(project, user, now)
    own = _own(connection, values)
    if by == "query":
        own = _claim_query(connection, project, user, count, values, own)
    else:
        wanted = count - len(own["open"])
        if wanted > 0 and _claim(connection, project, user, wanted, values):
            own = _own(connection, values)
    chosen = own["open"][:count] or own["later"][:count]
    until = now + project.lease_seconds * (1 if own["open"] else LATER)
    if chosen:
        ids = [row.id for row in chosen]
        connection.execute(_RENEW, {"ids": ids, "leased_until": until})
    return _tasks(connection, project, chosen, until)


def _own(connection: sa.Connection, values: ClaimValues) -> dict[str, list[TableRow]]:
    rows = connection.execute(_OWN, values).all()
    return {state: [row for row in rows if row.state == state] for state in ("open", "later")}


def _claim_query(
    connection: sa.Connection,
    project: Project,
    user: User,
    count: int,
    values: ClaimValues,
    own: dict[str, list[TableRow]],
) -> dict[str, list[TableRow]]:
    """Assigns the items of one query to a judge: that of the judge's next item.

    Gold items come at the same turns as else. One of another query is shown with that query, which
    may have further results, or as few as others have left.

    Returns:
        The judge's places of the query, by state.
    """
    if not own["open"] and _claim(connection, project, user, 1, values):
        own = _own(connection, values)
    first = next(iter(own["open"] or own["later"]), None)
    if first is None:
        return own
    query = connection.execute(_QUERY_OF, {"item": first.item_id}).scalar_one()
    if own["open"]:
        _claim(connection, project, user, count, values, query=query)
        own = _own(connection, values)
    ids = [row.item_id for rows in own.values() for row in rows]
    same = set(connection.execute(_SAME_QUERY, {"ids": ids, "query": query}).scalars())
    return {state: [row for row in rows if row.item_id in same] for state, rows in own.items()}


def _claim(
    connection: sa.Connection,
    project: Project,
    user: User,
    wanted: int,
    values: ClaimValues,
    *,
    query: str | None = None,
) -> int:
    """Assigns new items to a judge and returns how many.

    Args:
        connection: A connection in a write transaction that has its turn.
        project: The project.
        user: The judge.
        wanted: How many at most.
        values: The parameters of statements about the judge's items.
        query: Only items of this query; None for any.
    """
    before = count_given(connection, project.id, user.id).get(user.id, 0)
    if query is None:
        ordinary = _free(connection, project, user, wanted, before, values)
    else:
        ordinary = _free_of_query(connection, project, wanted, values, query)
    known = _free_gold(connection, project, wanted, values) if project.gold_share else []
    now = values["now"]
    slots: dict[int, TableRow] = {}
    given = 0
    while given < wanted and ordinary:
        turn = before + given
        if known and is_gold_turn(project, user, turn):
            until = now + project.lease_seconds
            give_gold(connection, project, user, known.pop(0), until, turn)
        else:
            slots[turn] = ordinary.pop(0)
        given += 1
    give_places(connection, project, user, slots, now)
    return given


def _free(
    connection: sa.Connection,
    project: Project,
    user: User,
    wanted: int,
    before: int,
    values: ClaimValues,
) -> list[TableRow]:
    """Returns one free place for each of the next items that the judge may get."""
    # This many rows cover at least the wanted number of items, given the places per item.
    most = wanted * project.overlap
    jobs = unfinished(connection, project.id)
    first: dict[int, TableRow] = {}
    for width in (*WINDOWS, PLACES):
        # In a large project a random subset is enough, and the index finds it.
        drawn = draw_number(project.draw_key, "window", user.name, before, width)
        start = drawn % (PLACES - width + 1)
        query = _without_jobs(_FREE_ANYWHERE if width == PLACES else _FREE_IN_WINDOW, jobs)
        window = {"start": start, "end": start + width, "most": most}
        rows = connection.execute(query, {**values, **window})
        first = {}
        for row in rows:
            first.setdefault(row.item_id, row)
        if len(first) >= wanted:
            break
    return list(first.values())[:wanted]


def _free_of_query(
    connection: sa.Connection, project: Project, wanted: int, values: ClaimValues, query: str
) -> list[TableRow]:
    """Returns one free place for each item of a query that the judge may get."""
    found = _without_jobs(_FREE_OF_QUERY, unfinished(connection, project.id))
    asked = {**values, "query": query, "most": wanted * project.overlap}
    first: dict[int, TableRow] = {}
    for row in connection.execute(found, asked):
        first.setdefault(row.item_id, row)
    return list(first.values())[:wanted]


def _free_gold(
    connection: sa.Connection, project: Project, wanted: int, values: ClaimValues
) -> list[int]:
    query = _without_jobs(_FREE_GOLD, unfinished(connection, project.id))
    return list(connection.execute(query, {**values, "most": wanted}).scalars())


def _without_jobs(query: sa.Select[*Columns], jobs: Iterable[int]) -> sa.Select[*Columns]:
    """Excludes the items of unfinished imports."""
    for job in jobs:
        query = query.where(items.c.job_id.is_distinct_from(job))
    return query


def _tasks(
    connection: sa.Connection, project: Project, chosen: list[TableRow], until: float
) -> list[Task]:
    ids = [row.item_id for row in chosen]
    rows = connection.execute(_ITEMS, {"ids": ids})
    found = {row.id: read_item(row) for row in rows}
    pairs: dict[int, Comparison] = {}
    if project.kind == "side_by_side":
        both = connection.execute(_PAIRS, {"ids": ids})
        pairs = {row.id: read_comparison(row) for row in both}
    tasks = []
    for row in chosen:
        item = found[row.item_id]
        left: tuple[Item, ...] = ()
        right: tuple[Item, ...] = ()
        if row.item_id in pairs:
            pair = pairs[row.item_id]
            left, right = pair.first_results, pair.second_results
            if row.swapped:
                left, right = right, left
            # The document's id would reveal the systems.
            item = Item(item.query, "", item.query_text, tier=item.tier, id=item.id)
        tasks.append(Task(item, row.state == "later", until, left, right))
    return tasks
