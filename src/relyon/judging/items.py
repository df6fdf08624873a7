"""Items: the documents, or pairs of rankings, that a project's judges see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.judging.database import Database
from relyon.judging.database_part import Base
from relyon.judging.imports import bring_in
from relyon.judging.incoming_items import Incoming, Lazy
from relyon.judging.jobs import Report
from relyon.judging.places import COUNTS, REMOVED
from relyon.judging.projects import Projects
from relyon.judging.records import Comparison, Item
from relyon.judging.schema import items, sa, sides
from relyon.judging.table_rows import CONTENT, read_comparison, read_item
from relyon.judging.texts import is_id

__all__ = ["Items"]


class Items(Base):
    """The part of a store that manages items."""

    def __init__(self, database: Database, clock: Callable[[], float], projects: Projects) -> None:
        super().__init__(database, clock)
        self._projects = projects

    def add(self, project_id: int, new: Iterable[Item], *, report: Report | None = None) -> int:
        """Adds items to judge; existing ones are unchanged.

        Args:
            project_id: The project.
            new: The items.
            report: Called with progress if there are many.

        Returns:
            The number of new ones.

        Raises:
            InputError: If an item has no query or document, or contains something that cannot be
                stored.
            ParameterError: If the project is closed.
            UnknownNameError: If the project does not exist.
        """
        project = self._projects.get(project_id)
        return bring_in(self, project, Lazy(list(new), Incoming), report=report).items

    def all(self, project_id: int, *, ids: Sequence[int] | None = None) -> list[Item]:
        """Returns a project's items in the order in which they were added, without removed ones.

        Args:
            project_id: The project.
            ids: Only these items; None for all.
        """
        mine = sa.and_(items.c.project_id == project_id, COUNTS)
        query = sa.select(items).where(mine).order_by(items.c.id)
        if ids is not None:
            query = query.where(items.c.id.in_([one for one in ids if is_id(one)]))
        with self.database.read() as connection:
            return [read_item(row) for row in connection.execute(query)]

    def count(self, project_id: int) -> int:
        """Returns the number of a project's items, without removed ones."""
        mine = sa.and_(items.c.project_id == project_id, COUNTS)
        query = sa.select(sa.func.count()).select_from(items).where(mine)
        with self.database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def removed(self, project_id: int) -> set[int]:
        """Returns the ids of the items that a lead removed, which count in no figure."""
        query = sa.select(items.c.id).where(items.c.project_id == project_id, REMOVED)
        with self.database.read() as connection:
            return set(connection.execute(query).scalars())

    def by_id(self, project_id: int) -> Iterator[tuple[int, Item]]:
        """Yields the ids and items of a project, in order, without removed ones."""
        query = sa.select(*(items.c[name] for name in CONTENT), items.c.id)
        query = query.where(items.c.project_id == project_id, COUNTS).order_by(items.c.id)
        with self.database.read() as connection:
            for part in connection.execute(query).partitions(1000):
                for *content, number in part:
                    yield number, Item(*content)

    def tiers(self, project_id: int) -> dict[int, str]:
        """Returns every item's tier."""
        mine = sa.and_(items.c.project_id == project_id, COUNTS)
        query = sa.select(items.c.id, items.c.tier).where(mine)
        with self.database.read() as connection:
            return {row[0]: row[1] for row in connection.execute(query.order_by(items.c.id))}

    def add_comparisons(
        self, project_id: int, new: Iterable[Comparison], *, report: Report | None = None
    ) -> int:
        """Adds pairs of rankings to a side-by-side project.

        Args:
            project_id: The project.
            new: The pairs.
            report: Called with progress if there are many.

        Returns:
            The number of new ones.

        Raises:
            ParameterError: If the project is not of that kind.
            InputError: If a pair has no query, or the same name for both systems.
        """
        project = self._projects.get(project_id)
        if project.kind != "side_by_side":
            raise ParameterError(
                message("judging.is-not-side-by-side-project", project_name=project.name),
                hint=message("judging.create-one-with-kind"),
            )
        pairs: dict[tuple[str, str], Incoming] = {}
        for pair in new:
            if not pair.first or not pair.second or pair.first == pair.second:
                raise InputError(
                    message(
                        "judging.query-compares-first",
                        query=pair.query,
                        first=pair.first,
                        second=pair.second,
                    ),
                    hint=message("judging.name-two-systems"),
                )
            item = Item(
                query=pair.query,
                document=f"{pair.first} / {pair.second}",
                query_text=pair.query_text,
                tier=pair.tier,
            )
            pairs[item.query, item.document] = Incoming(item, pair=pair)
        return bring_in(self, project, pairs.values(), report=report).items

    def comparisons(self, project_id: int) -> dict[int, Comparison]:
        """Returns the pairs of rankings of a side-by-side project by item."""
        with self.database.read() as connection:
            rows = connection.execute(
                sa.select(items, sides)
                .select_from(items.join(sides))
                .where(items.c.project_id == project_id, COUNTS)
                .order_by(items.c.id)
            )
            return {row.id: read_comparison(row) for row in rows}
