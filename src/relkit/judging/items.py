"""Items: the documents, or the pairs of rankings, that a project's judges see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields

from relkit.errors import InputError, ParameterError
from relkit.judging.places import take_turn
from relkit.judging.projects import ProjectStore
from relkit.judging.records import Comparison, Item, Project
from relkit.judging.rows import item_row, read_comparison, read_item, read_project, result_rows
from relkit.judging.schema import assignments, items, projects, sa, sides
from relkit.judging.texts import is_id

__all__ = ["ItemStore", "find_project", "item_ids"]

# What every grade asks is put together once.
PROJECT_OF = (
    sa.select(projects).select_from(projects.join(items)).where(items.c.id == sa.bindparam("item"))
)


#: What an item is outside of the database, in the order of `Item`.
CONTENT = [items.c[one.name] for one in fields(Item) if one.name != "id"]


class ItemStore(ProjectStore):
    """The part of a store that keeps items."""

    def add_items(self, project_id: int, new: Iterable[Item]) -> int:
        """Adds items to judge; those that the project has already stay as they are.

        Returns:
            How many are new.

        Raises:
            InputError: If an item has no query or document, or holds what cannot be stored.
            UnknownNameError: If there is no such project.
        """
        project = self.project(project_id)
        with self.database.write() as connection:
            take_turn(connection, project.id)
            return len(self._add_items(connection, project, new))

    def _add_items(
        self, connection: sa.Connection, project: Project, new: Iterable[Item], slots: bool = True
    ) -> dict[tuple[str, str], int]:
        known = set(item_ids(connection, project.id))
        rows = []
        for item in new:
            row = item_row(item, project, self.clock())
            key = (row["query"], row["document"])
            if key not in known:
                known.add(key)
                rows.append(row)
        if not rows:
            return {}
        connection.execute(sa.insert(items), rows)
        fresh = item_ids(connection, project.id)
        added = {
            (row["query"], row["document"]): fresh[row["query"], row["document"]] for row in rows
        }
        if slots:
            places = [
                {"project_id": project.id, "item_id": item, "slot": slot, "state": "open"}
                for item in added.values()
                for slot in range(project.overlap)
            ]
            connection.execute(sa.insert(assignments), places)
        return added

    def items(self, project_id: int, *, ids: Sequence[int] | None = None) -> list[Item]:
        """Returns a project's items in the order in which they were added.

        Args:
            project_id: The project.
            ids: These items only; None for all.
        """
        query = sa.select(items).where(items.c.project_id == project_id).order_by(items.c.id)
        if ids is not None:
            query = query.where(items.c.id.in_([one for one in ids if is_id(one)]))
        with self.database.read() as connection:
            return [read_item(row) for row in connection.execute(query)]

    def items_by_id(self, project_id: int) -> Iterator[tuple[int, Item]]:
        """Yields the ids of a project's items, and the items without them, in their order."""
        query = sa.select(*CONTENT, items.c.id)
        query = query.where(items.c.project_id == project_id).order_by(items.c.id)
        with self.database.read() as connection:
            for part in connection.execute(query).partitions(1000):
                for *content, number in part:
                    yield number, Item(*content)

    def project_of(self, item_id: int) -> Project:
        """Returns the project that an item belongs to.

        Raises:
            InputError: If there is no such item.
        """
        with self.database.read() as connection:
            return find_project(connection, item_id)

    def tiers(self, project_id: int) -> dict[int, str]:
        """Returns every item's tier."""
        query = sa.select(items.c.id, items.c.tier).where(items.c.project_id == project_id)
        with self.database.read() as connection:
            return {row[0]: row[1] for row in connection.execute(query.order_by(items.c.id))}

    def add_comparisons(self, project_id: int, new: Iterable[Comparison]) -> int:
        """Adds pairs of rankings to a side-by-side project.

        Returns:
            How many are new.

        Raises:
            ParameterError: If the project is none of that kind.
            InputError: If a pair has no query, or one name for both systems.
        """
        project = self.project(project_id)
        if project.kind != "side_by_side":
            raise ParameterError(
                f"`{project.name}` is a project of single results",
                hint="make one with kind='side_by_side'",
            )
        pairs = {}
        for pair in new:
            if not pair.first or not pair.second or pair.first == pair.second:
                raise InputError(
                    f"query `{pair.query}` compares `{pair.first}` with `{pair.second}`",
                    hint="name two systems",
                )
            item = Item(
                query=pair.query,
                document=f"{pair.first} / {pair.second}",
                query_text=pair.query_text,
                tier=pair.tier,
            )
            pairs[item.query, item.document] = (item, pair)
        with self.database.write() as connection:
            take_turn(connection, project.id)
            added = self._add_items(connection, project, [item for item, _ in pairs.values()])
            rows = [
                {
                    "item_id": place,
                    "first": pairs[key][1].first,
                    "second": pairs[key][1].second,
                    "first_results": result_rows(pairs[key][1].first_results),
                    "second_results": result_rows(pairs[key][1].second_results),
                }
                for key, place in added.items()
            ]
            if rows:
                connection.execute(sa.insert(sides), rows)
            return len(added)

    def comparisons(self, project_id: int) -> dict[int, Comparison]:
        """Returns the pairs of rankings of a side-by-side project by item."""
        with self.database.read() as connection:
            rows = connection.execute(
                sa.select(items, sides)
                .select_from(items.join(sides))
                .where(items.c.project_id == project_id)
                .order_by(items.c.id)
            )
            return {row.id: read_comparison(row) for row in rows}


def find_project(connection: sa.Connection, item_id: int) -> Project:
    """Returns the project that an item belongs to.

    Raises:
        InputError: If there is no such item.
    """
    row = None
    if is_id(item_id):
        row = connection.execute(PROJECT_OF, {"item": item_id}).one_or_none()
    if row is None:
        raise InputError(f"there is no item {item_id}")
    return read_project(row)


def item_ids(connection: sa.Connection, project_id: int) -> dict[tuple[str, str], int]:
    """Returns the items of a project by query and document."""
    rows = connection.execute(
        sa.select(items.c.query, items.c.document, items.c.id).where(
            items.c.project_id == project_id
        )
    )
    return {(row.query, row.document): row.id for row in rows}
