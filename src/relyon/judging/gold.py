"""Gold items: items whose grade is known, and how judges grade them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from relyon.judging.database import Database
from relyon.judging.database_part import Base
from relyon.judging.imports import bring_in
from relyon.judging.incoming_items import Imported, Incoming
from relyon.judging.jobs import Report
from relyon.judging.places import COUNTS
from relyon.judging.projects import Projects
from relyon.judging.records import Item
from relyon.judging.schema import actions, gold, items, sa, users

__all__ = ["Gold", "GoldQuality"]


@dataclass(frozen=True)
class GoldQuality:
    """How a judge grades gold items.

    A judge's first grade of an item counts, even if it was undone or replaced: judges who
    learn later that an item was gold cannot correct it.

    Attributes:
        judge: The judge's name.
        items: Gold items graded.
        equal: The share whose first grade equals the known one.
        difference: The mean of the judge's grade minus the known one.
    """

    judge: str
    items: int
    equal: float
    difference: float


class Gold(Base):
    """The part of a store that manages known grades."""

    def __init__(self, database: Database, clock: Callable[[], float], projects: Projects) -> None:
        super().__init__(database, clock)
        self._projects = projects

    def add(
        self,
        project_id: int,
        grades: Iterable[tuple[Item, float | str]],
        *,
        note: str = "",
        report: Report | None = None,
    ) -> Imported:
        """Adds gold items, or turns existing items into gold items.

        Every judge gets some of them among the others; they occupy no places.

        Returns:
            The numbers of new items and new gold items.

        Raises:
            InputError: If a grade is not on the scale.
        """
        project = self._projects.get(project_id)
        given = [Incoming(item, known=grade, known_note=note) for item, grade in grades]
        return bring_in(self, project, given, report=report)

    def all(self, project_id: int) -> dict[int, float]:
        """Returns the known grades by item."""
        with self.database.read() as connection:
            rows = connection.execute(
                sa.select(gold.c.item_id, gold.c.grade)
                .select_from(gold.join(items))
                .where(items.c.project_id == project_id, COUNTS)
            )
            return {row.item_id: row.grade for row in rows}

    def count(self, project_id: int) -> int:
        """Returns the number of gold items."""
        with self.database.read() as connection:
            return _count_gold(connection, project_id)

    def quality(self, project_id: int) -> list[GoldQuality]:
        """Returns how each judge grades the gold items, by name: the first grade counts."""
        first = (
            sa.select(sa.func.min(actions.c.id))
            .select_from(actions.join(gold, actions.c.item_id == gold.c.item_id).join(items))
            .where(actions.c.project_id == project_id, actions.c.kind == "grade", COUNTS)
            .group_by(actions.c.item_id, actions.c.user_id)
        )
        query = (
            sa.select(users.c.name, actions.c.grade, gold.c.grade)
            .select_from(actions.join(users).join(gold, actions.c.item_id == gold.c.item_id))
            .where(actions.c.id.in_(first))
        )
        pairs: dict[str, list[tuple[float, float]]] = {}
        with self.database.read() as connection:
            for judge, given, known in connection.execute(query):
                pairs.setdefault(judge, []).append((given, known))
        return [
            GoldQuality(
                judge,
                len(found),
                sum(one == other for one, other in found) / len(found),
                math.fsum(one - other for one, other in found) / len(found),
            )
            for judge, found in sorted(pairs.items())
        ]


def _count_gold(connection: sa.Connection, project_id: int) -> int:
    query = (
        sa.select(sa.func.count())
        .select_from(gold.join(items))
        .where(items.c.project_id == project_id, COUNTS)
    )
    return int(connection.execute(query).scalar_one())
