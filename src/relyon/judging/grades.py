"""Ratings: judges' current answers, their history, and imported grades."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from relyon.judging.agreement import Ratings
from relyon.judging.database import Database
from relyon.judging.database_part import Base
from relyon.judging.imports import bring_in
from relyon.judging.incoming_items import Imported, Incoming
from relyon.judging.jobs import Report
from relyon.judging.projects import Projects
from relyon.judging.records import Item, Rating
from relyon.judging.schema import actions, assignments, sa, users

__all__ = ["Grades", "Imported"]


#: The columns of an action besides its judge, in the order of `Rating`.
SAID = (
    actions.c.grade, actions.c.reason, actions.c.note, actions.c.seconds, actions.c.created_at,
)  # fmt: skip


class Grades(Base):
    """The part of a store that manages ratings."""

    def __init__(self, database: Database, clock: Callable[[], float], projects: Projects) -> None:
        super().__init__(database, clock)
        self._projects = projects

    def ratings(
        self, project_id: int, *, items: Sequence[int] | None = None
    ) -> dict[int, list[Rating]]:
        """Returns judges' current ratings by item, without undone or surplus ones.

        Args:
            project_id: The project.
            items: Only these items; None for all.
        """
        query = _standing(project_id, *SAID).where(actions.c.kind.in_(("grade", "cannot")))
        if items is not None:
            query = query.where(assignments.c.item_id.in_(items))
        found: dict[int, list[Rating]] = {}
        with self.database.read() as connection:
            for part in connection.execute(query).partitions(1000):
                for item, *said in part:
                    found.setdefault(item, []).append(Rating(*said))
        return found

    def by_judge(self, project_id: int) -> Ratings:
        """Returns grades by item and judge, as `relyon.judging.measure_agreement` takes them."""
        query = _standing(project_id, actions.c.grade).where(actions.c.kind == "grade")
        found: dict[int, dict[str, float]] = {}
        with self.database.read() as connection:
            for item, name, grade in connection.execute(query).all():
                found.setdefault(item, {})[name] = grade
        return found

    def history(self, project_id: int) -> list[dict[str, Any]]:
        """Returns the full history of judges' actions, in order, including undone ones."""
        query = (
            sa.select(actions, users.c.name.label("judge"))
            .select_from(actions.join(users))
            .where(actions.c.project_id == project_id)
            .order_by(actions.c.id)
        )
        with self.database.read() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def add(
        self,
        project_id: int,
        ratings: Iterable[tuple[Item, Sequence[Rating]]],
        *,
        report: Report | None = None,
    ) -> Imported:
        """Adds items with imported grades, and creates accounts for their judges.

        Each grade takes one of the item's places; a second import of the same file adds nothing.
        An import that fails leaves nothing behind.

        Args:
            project_id: The project.
            ratings: Items with their ratings.
            report: Called with progress if there are many.

        Returns:
            The numbers of new items and grades.

        Raises:
            InputError: If a grade is not on the scale, or an item has more grades than the project
                has places.
        """
        project = self._projects.get(project_id)
        given = [Incoming(item, found) for item, found in ratings]
        return bring_in(self, project, given, report=report)


def _standing(project_id: int, *said: Any) -> sa.Select[Any]:
    """Selects item, judge and `said` of every action that fills a place, in order."""
    return (
        sa.select(assignments.c.item_id, users.c.name, *said)
        .select_from(
            assignments.join(actions, assignments.c.action_id == actions.c.id).join(
                users, assignments.c.user_id == users.c.id
            )
        )
        .where(assignments.c.project_id == project_id, assignments.c.state == "done")
        .order_by(assignments.c.item_id, actions.c.id)
    )
