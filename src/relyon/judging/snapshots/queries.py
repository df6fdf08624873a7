"""The queries of a project, as engines are asked them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.engines.asked import Query
from relyon.judging.places import COUNTS
from relyon.judging.schema import items, sa
from relyon.judging.texts import check_text

if TYPE_CHECKING:
    from relyon.judging.database_part import Base

__all__ = ["project_queries", "with_more"]

#: Bytes of a query: what PostgreSQL can index.
LONGEST = 2000


def project_queries(store: Base, project_id: int) -> list[Query]:
    """Returns the queries of a project, each once, in the order in which they were added.

    A query's text is what its results have as the text of the query, or else its id. Results that a
    lead removed do not count.
    """
    query = (
        sa.select(items.c.query, sa.func.max(items.c.query_text))
        .where(items.c.project_id == project_id, COUNTS)
        .group_by(items.c.query)
        .order_by(sa.func.min(items.c.id))
    )
    with store.database.read() as connection:
        return [Query(id, text.strip() or id) for id, text in connection.execute(query)]


def with_more(known: Iterable[Query], lines: str) -> list[Query]:
    """Returns queries and further ones, one per line, whose texts are then their ids.

    Args:
        known: Queries.
        lines: Further ones; those that are known by their text or id are left out.

    Raises:
        InputError: If one is too long, or has a character that cannot be stored.

    Examples:
        >>> known = [Query("q1", "red shoes")]
        >>> [one.id for one in with_more(known, "red shoes\\n\\n tv \\ntv")]
        ['q1', 'tv']
    """
    found = list(known)
    seen = {name for one in found for name in (one.id, one.text)}
    for line in lines.splitlines():
        text = check_text(line.strip(), "query")
        if len(text.encode()) > LONGEST:
            raise InputError(message("judging.query-is-too-long", query=text[:60], most=LONGEST))
        if text and text not in seen:
            seen.add(text)
            found.append(Query(text, text))
    return found
