"""All results of one query in a project: their grades, and whether a person may grade them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.data.aggregation import aggregate
from relyon.judging.jobs import unfinished
from relyon.judging.places import MAY_GET, claim_values
from relyon.judging.result_details import ResultDetails, read_details
from relyon.judging.schema import assignments, items, sa
from relyon.judging.texts import check_text

if TYPE_CHECKING:
    from relyon.judging.records import Item, Project, User
    from relyon.judging.store import Store

__all__ = ["Access", "QueryResult", "find_query", "read_query"]

#: Whether a person may grade a result: `own` if it is theirs already, `free` if it has a place for
#: one more judge, `full` if it has none; a `gold` item and a `removed` one have none, either.
Access = Literal["own", "free", "full", "gold", "removed"]


@dataclass(frozen=True)
class QueryResult:
    """A result of a query.

    Attributes:
        item: The item.
        grade: The final grade; None without one.
        source: Where it comes from, as `Final.source`, or the name of an accepted language model.
        own: The person's own grade; None without one.
        judges: How many people graded it.
        access: Whether the person may grade it.
    """

    item: Item
    grade: float | None
    source: str
    own: float | None
    judges: int
    access: Access


def find_query(store: Store, project_id: int, text: str) -> tuple[str, str]:
    """Returns the id and text of a query of a project, by either.

    A query that the project lacks has its text as its id.

    Raises:
        InputError: If the text has a character that cannot be stored.
    """
    check_text(text, "query")
    mine = sa.select(items.c.query, items.c.query_text).where(items.c.project_id == project_id)
    ways = (items.c.query == text, items.c.query_text == text)
    with store.database.read() as connection:
        for way in ways:
            row = connection.execute(mine.where(way).order_by(items.c.id).limit(1)).one_or_none()
            if row is not None:
                return row.query, row.query_text or row.query
    return text, text


def read_query(store: Store, project: Project, query: str, user: User) -> dict[str, QueryResult]:
    """Returns the results of a query by document, also removed ones.

    Args:
        store: The database.
        project: The project.
        query: The id of the query.
        user: Who wants to grade.
    """
    mine = sa.and_(items.c.project_id == project.id, items.c.query == query)
    with store.database.read() as connection:
        ids = list(connection.execute(sa.select(items.c.id).where(mine)).scalars())
        free = _free(connection, project, user, ids, store.clock())
    details = read_details(store, project.id, ids)
    machine = _machine_grades(store, project, details)
    found = {}
    for id, one in details.items():
        final = one.final
        grade, source = (None, "") if final is None else (final.grade, final.source)
        if final is None and id in machine:
            grade, source = machine[id]
        said = [rating for rating in one.ratings if rating.judge == user.name]
        found[one.item.document] = QueryResult(
            one.item,
            None if one.removed else grade,
            source,
            said[-1].grade if said else None,
            sum(rating.grade is not None for rating in one.ratings),
            _access(one, user, bool(said), free=id in free),
        )
    return found


def _access(one: ResultDetails, user: User, answered: bool, *, free: bool) -> Access:
    if one.removed:
        return "removed"
    if one.known is not None:
        return "gold"
    if answered or user.name in one.holders:
        return "own"
    return "free" if free else "full"


def _free(
    connection: sa.Connection, project: Project, user: User, ids: Sequence[int], now: float
) -> set[int]:
    """Returns the items that have a place that a judge may be given."""
    query = sa.select(assignments.c.item_id).where(assignments.c.item_id.in_(ids), *MAY_GET)
    jobs = unfinished(connection, project.id)
    if jobs:
        query = query.where(
            assignments.c.item_id.not_in(sa.select(items.c.id).where(items.c.job_id.in_(jobs)))
        )
    return set(connection.execute(query, claim_values(project, user, now)).scalars())


def _machine_grades(
    store: Store, project: Project, details: Mapping[int, ResultDetails]
) -> dict[int, tuple[float, str]]:
    """Returns the grades of an accepted language model for results that no person answered."""
    accepted = store.models.accepted(project.id)
    if accepted is None:
        return {}
    return {
        id: (
            aggregate([aggregate(sample).value], scale=project.scale).value,
            accepted.configuration.judge,
        )
        for id, sample in store.replies.samples(accepted.configuration).items()
        if id in details and details[id].final is None and not details[id].ratings
    }
