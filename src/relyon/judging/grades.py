"""Ratings: judges' current answers, their history, and imported grades."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypedDict, TypeVarTuple

from relyon.judging.agreement import Ratings
from relyon.judging.database import Database
from relyon.judging.database_part import Base
from relyon.judging.imports import bring_in
from relyon.judging.incoming_items import Imported, Incoming
from relyon.judging.jobs import Report
from relyon.judging.projects import Projects
from relyon.judging.records import Item, Rating
from relyon.judging.schema import actions, assignments, sa, users

__all__ = ["Grades", "Imported", "PastAction", "standing"]

Columns = TypeVarTuple("Columns")

#: The columns of an action besides its judge, in the order of `Rating`.
SAID = (
    actions.c.grade, actions.c.reason, actions.c.note, actions.c.seconds, actions.c.created_at,
)  # fmt: skip


class PastAction(TypedDict):
    """An action in a project's history: a row of the actions, with the judge's name."""

    id: int
    project_id: int
    item_id: int
    user_id: int
    kind: str
    grade: float | None
    reason: str
    note: str
    seconds: float | None
    undoes: int | None
    key: str
    created_at: float
    judge: str


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
        query = standing(sa.select(assignments.c.item_id, users.c.name, *SAID), project_id)
        query = query.where(actions.c.kind.in_(("grade", "cannot")))
        if items is not None:
            query = query.where(assignments.c.item_id.in_(items))
        found: dict[int, list[Rating]] = {}
        with self.database.read() as connection:
            for part in connection.execute(query).partitions(1000):
                for item, *said in part:
                    found.setdefault(item, []).append(Rating(*said))
        return found

    def by_judge(self, project_id: int) -> Ratings[int]:
        """Returns grades by item and judge, as `relyon.judging.measure_agreement` takes them."""
        query = standing(
            sa.select(assignments.c.item_id, users.c.name, actions.c.grade), project_id
        ).where(actions.c.kind == "grade")
        found: dict[int, dict[str, float]] = {}
        with self.database.read() as connection:
            for item, name, grade in connection.execute(query).all():
                found.setdefault(item, {})[name] = grade
        return found

    def history(self, project_id: int) -> list[PastAction]:
        """Returns the full history of judges' actions, in order, including undone ones."""
        query = (
            sa.select(actions, users.c.name.label("judge"))
            .select_from(actions.join(users))
            .where(actions.c.project_id == project_id)
            .order_by(actions.c.id)
        )
        with self.database.read() as connection:
            return [
                {
                    "id": row.id,
                    "project_id": row.project_id,
                    "item_id": row.item_id,
                    "user_id": row.user_id,
                    "kind": row.kind,
                    "grade": row.grade,
                    "reason": row.reason,
                    "note": row.note,
                    "seconds": row.seconds,
                    "undoes": row.undoes,
                    "key": row.key,
                    "created_at": row.created_at,
                    "judge": row.judge,
                }
                for row in connection.execute(query)
            ]

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


def standing(query: sa.Select[*Columns], project_id: int) -> sa.Select[*Columns]:
    """Returns a query restricted to the actions that fill a place, in order."""
    return (
        query.select_from(
            assignments.join(actions, assignments.c.action_id == actions.c.id).join(
                users, assignments.c.user_id == users.c.id
            )
        )
        .where(assignments.c.project_id == project_id, assignments.c.state == "done")
        .order_by(assignments.c.item_id, actions.c.id)
    )
