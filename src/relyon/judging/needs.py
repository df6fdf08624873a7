"""Information needs: what users meant by a query, which judges read beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from relyon.judging.places import take_turn
from relyon.judging.projects import check_open
from relyon.judging.schema import needs, postgresql, sa, sqlite
from relyon.judging.texts import check_text

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = ["LONGEST_NEED", "needs_of", "set_needs"]

#: Characters of a need: a paragraph or two, which fit beside a query.
LONGEST_NEED = 2000
#: Queries of one statement.
AT_ONCE = 500


def needs_of(store: Store, project_id: int, queries: Collection[str]) -> dict[str, str]:
    """Returns the information needs of some queries; those without one are left out.

    Args:
        store: The database.
        project_id: The project.
        queries: The queries, as their items have them.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from relyon.judging import open_store
        >>> folder = TemporaryDirectory()
        >>> with open_store(f"{folder.name}/judging.db", create=True) as store:
        ...     project = store.projects.create("June")
        ...     _ = set_needs(store, project.id, {"q1": "shoes for a marathon"})
        ...     needs_of(store, project.id, ["q1", "q2"])
        {'q1': 'shoes for a marathon'}
        >>> folder.cleanup()
    """
    found: dict[str, str] = {}
    with store.database.read() as connection:
        for some in _parts(list(dict.fromkeys(queries))):
            chosen = sa.and_(needs.c.project_id == project_id, needs.c.query.in_(some))
            query = sa.select(needs.c.query, needs.c.need).where(chosen)
            found.update((row.query, row.need) for row in connection.execute(query))
    return found


def set_needs(store: Store, project_id: int, given: Mapping[str, str]) -> int:
    """Stores information needs by query, replacing earlier ones, and returns how many changed.

    Raises:
        InputError: If a text cannot be stored.
        ParameterError: If the project is closed.
        UnknownNameError: If it does not exist.
    """
    project = store.projects.get(project_id)
    wanted = {
        check_text(query, "query"): check_text(need.strip()[:LONGEST_NEED], "need")
        for query, need in given.items()
        if need.strip()
    }
    before = needs_of(store, project_id, wanted)
    new = {query: need for query, need in wanted.items() if before.get(query) != need}
    for some in _parts(list(new)):
        rows = [
            {
                "project_id": project.id,
                "query": query,
                "need": new[query],
                "created_at": store.clock(),
            }
            for query in some
        ]
        with store.database.write() as connection:
            take_turn(connection, project.id)
            check_open(connection, project.id)
            dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
            insert = dialect.insert(needs)
            changed = {name: insert.excluded[name] for name in ("need", "created_at")}
            connection.execute(
                insert.on_conflict_do_update(index_elements=["project_id", "query"], set_=changed),
                rows,
            )
    return len(new)


def _parts(queries: Sequence[str]) -> Iterator[list[str]]:
    left = iter(queries)
    while some := list(islice(left, AT_ONCE)):
        yield some
