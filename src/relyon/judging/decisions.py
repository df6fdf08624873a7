"""Adjudication: a lead's decisions on disagreements, and the final grade."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.data.aggregation import Aggregate, Rule, aggregate
from relyon.judging.agreement import Ratings
from relyon.judging.database import Database
from relyon.judging.database_part import Base
from relyon.judging.gold import Gold
from relyon.judging.grades import Grades
from relyon.judging.imported_accounts import MACHINE_PREFIX
from relyon.judging.items import Items
from relyon.judging.llm.models import Models
from relyon.judging.llm.replies import Replies
from relyon.judging.places import COUNTS, take_turn
from relyon.judging.projects import Projects, find_project, refuse_closed
from relyon.judging.records import Item, Rating, User
from relyon.judging.result_rows import refuse_removed, write_results
from relyon.judging.schema import actions, adjudications, assignments, gold, items, sa
from relyon.judging.texts import check_grade, check_text, is_id

__all__ = ["Decisions", "FinalGrade", "FinalValue", "Queued", "is_machine_source"]


@dataclass(frozen=True)
class FinalGrade:
    """The final grade of an item.

    Attributes:
        item: The item.
        value: The grade; under `mean_gain` a gain.
        source: `adjudicated`, `gold`, the rule that aggregated the judges' grades, or the name of
            an accepted language model, which begins with `llm:`.
        judges: Number of people's grades.
        agreeing: How many of them equal the value.
        tied: Whether `majority` found several equally frequent grades.
    """

    item: Item
    value: float
    source: str
    judges: int
    agreeing: int
    tied: bool


@dataclass(frozen=True)
class Queued:
    """An item that a lead should decide.

    Attributes:
        item: The item.
        ratings: The judges' ratings.
        spread: The highest grade minus the lowest.
        unrateable: How many judges could not grade it.
    """

    item: Item
    ratings: tuple[Rating, ...]
    spread: float
    unrateable: int


def is_machine_source(source: str) -> bool:
    """Returns whether a final grade's source is a language model."""
    return source.startswith(MACHINE_PREFIX)


#: The final grade and its source.
FinalValue = tuple[Aggregate, str]


class Decisions(Base):
    """The part of a store that manages decisions and final grades."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], float],
        *,
        projects: Projects,
        items: Items,
        grades: Grades,
        gold: Gold,
        models: Models,
        replies: Replies,
    ) -> None:
        super().__init__(database, clock)
        self._projects = projects
        self._items = items
        self._grades = grades
        self._gold = gold
        self._models = models
        self._replies = replies

    def queue(
        self,
        project_id: int,
        *,
        at_least: float = 1.0,
        again: int | None = None,
        most: int | None = None,
        among: Sequence[int] | None = None,
    ) -> list[Queued]:
        """Returns the items to decide: disagreements, largest first, then ungradable items.

        Gold items and decided items are excluded.

        Args:
            project_id: The project.
            at_least: The least spread that counts as a disagreement.
            again: A decided item to decide again; it comes first.
            most: Maximum number to return; None returns all.
            among: Consider only these items; None considers all.

        Raises:
            ParameterError: If `at_least` is not above 0.
        """
        rows = self._queued(project_id, at_least, again, among)[:most]
        chosen = None if most is None else [item for item, _, _ in rows]
        ratings = self._grades.ratings(project_id, items=chosen)
        by_id = {item.id: item for item in self._items.all(project_id, ids=chosen)}
        return [
            Queued(by_id[item], tuple(ratings[item]), spread, unrateable)
            for item, spread, unrateable in rows
        ]

    def count_queue(self, project_id: int, *, at_least: float = 1.0) -> int:
        """Returns the length of the queue."""
        return len(self._queued(project_id, at_least))

    def queued_items(self, project_id: int, *, at_least: float = 1.0) -> list[int]:
        """Returns the items of the queue, in its order."""
        return [item for item, *_ in self._queued(project_id, at_least)]

    def _queued(
        self,
        project_id: int,
        at_least: float,
        again: int | None = None,
        among: Sequence[int] | None = None,
    ) -> list[tuple[int, float, int]]:
        """Returns item, spread and number of judges who could not grade it, in queue order."""
        if not at_least > 0:
            raise ParameterError(
                message(
                    "judging.parameter-at-least",
                    at_least=at_least,
                )
            )
        item = assignments.c.item_id
        newest = sa.select(sa.func.max(adjudications.c.id)).group_by(adjudications.c.item_id)
        stands = sa.and_(adjudications.c.id.in_(newest), adjudications.c.grade.is_not(None))
        spread = sa.func.max(actions.c.grade) - sa.func.min(actions.c.grade)
        unrateable = sa.func.sum(sa.case((actions.c.kind == "cannot", 1), else_=0))
        decided = sa.or_(
            item.in_(sa.select(adjudications.c.item_id).where(stands)),
            item.in_(sa.select(gold.c.item_id)),
        )
        query = (
            sa.select(item, spread, unrateable)
            .select_from(assignments.join(actions, assignments.c.action_id == actions.c.id))
            .where(
                assignments.c.project_id == project_id,
                assignments.c.state == "done",
                actions.c.kind.in_(("grade", "cannot")),
                sa.or_(~decided, item == (again if again is not None and is_id(again) else 0)),
            )
            .group_by(item)
            .having(sa.or_(spread >= at_least, unrateable > 0))
        )
        if among is not None:
            query = query.where(item.in_(among))
        with self.database.read() as connection:
            rows = connection.execute(query).all()
        found = [
            (number, width if width is not None and width >= at_least else 0.0, int(cannot))
            for number, width, cannot in rows
        ]
        return sorted(found, key=lambda one: (one[0] != again, -one[1], one[0]))

    def decide(
        self,
        item_id: int,
        user: User,
        grade: float | str,
        *,
        key: str,
        note: str = "",
        project_id: int | None = None,
    ) -> bool:
        """Decides an item's grade. The last decision counts; earlier ones are kept in the history.

        Args:
            item_id: The item.
            user: A lead or an admin.
            grade: The grade.
            key: Generated by the client for this decision: a resent request has the same key.
            note: Why.
            project_id: The project that the item must belong to.

        Returns:
            Whether it is new: False for a request that was stored before.

        Raises:
            ParameterError: If the user is a judge, or the key was used for something else.
            InputError: If the item is not in the project or was removed from it, or the grade is
                not on the scale.
        """
        if user.role == "judge":
            raise ParameterError(
                message("judging.is-judge", user_name=user.name),
                hint=message("judging.lead-or-admin-decides"),
            )
        check_text(key, "key")
        with self.database.write() as connection:
            project = find_project(connection, item_id)
            if project_id not in (None, project.id):
                raise InputError(message("judging.there-is-no-item", item_id=item_id))
            parsed = check_grade(project.scale, grade)
            take_turn(connection, project.id)
            before = connection.execute(
                sa.select(adjudications).where(
                    adjudications.c.user_id == user.id, adjudications.c.key == key
                )
            ).one_or_none()
            if before is not None:
                if (before.item_id, before.grade) != (item_id, parsed):
                    raise ParameterError(message("judging.this-key-was-used"))
                return False
            refuse_closed(project)
            refuse_removed(connection, item_id)
            connection.execute(
                sa.insert(adjudications).values(
                    item_id=item_id,
                    user_id=user.id,
                    grade=parsed,
                    note=check_text(note, "note"),
                    key=key,
                    created_at=self.clock(),
                )
            )
            write_results(connection, [item_id])
            return True

    def all(self, project_id: int) -> dict[int, float]:
        """Returns the decided grades by item, without decisions that were withdrawn."""
        with self.database.read() as connection:
            rows = connection.execute(
                sa.select(adjudications.c.item_id, adjudications.c.grade)
                .select_from(adjudications.join(items))
                .where(items.c.project_id == project_id, COUNTS)
                .order_by(adjudications.c.id)
            )
            newest = {row.item_id: row.grade for row in rows}
        return {item: grade for item, grade in newest.items() if grade is not None}

    def final_grades(self, project_id: int, *, rule: Rule = "median") -> list[FinalGrade]:
        """Returns the final grade of every item that has one, in the items' order.

        A lead's decision takes precedence, then the known grade of a gold item, then the judges'
        grades combined by `rule`. For items without any human answer, the median of an accepted
        language model's samples counts.

        Args:
            project_id: The project.
            rule: As in `relyon.data.aggregate`. Under `mean_gain` decided and known grades
                become gains too.
        """
        return self._with_items(project_id, self.final_values(project_id, rule=rule))

    def people_grades(self, project_id: int, *, rule: Rule = "median") -> list[FinalGrade]:
        """Returns the final grade of every item that people graded, in the items' order.

        Args:
            project_id: The project.
            rule: As in `relyon.data.aggregate`.
        """
        return self._with_items(project_id, self._people_values(project_id, rule, None))

    def _with_items(self, project_id: int, values: Mapping[int, FinalValue]) -> list[FinalGrade]:
        return [
            FinalGrade(item, found.value, source, found.judges, found.agreeing, found.tied)
            for item in self._items.all(project_id)
            if item.id in values
            for found, source in [values[item.id]]
        ]

    def final_values(
        self, project_id: int, *, rule: Rule = "median", grades: Ratings[int] | None = None
    ) -> dict[int, FinalValue]:
        """Returns the final grades and their sources by item, without the items.

        Args:
            project_id: The project.
            rule: As for `final_grades`; a model's grades become gains under `mean_gain`, too.
            grades: The result of `Grades.by_judge`, if known.
        """
        found = self._people_values(project_id, rule, grades)
        accepted = self._models.accepted(project_id)
        if accepted is None:
            return found
        scale = self._projects.get(project_id).scale
        said = self._grades.ratings(project_id)
        gone = self._items.removed(project_id)
        for item, sample in self._replies.samples(accepted.configuration).items():
            if item not in found and item not in said and item not in gone:
                one = aggregate([aggregate(sample).value], rule=rule, scale=scale)
                nobody = replace(one, judges=0, agreeing=0, tied=False)
                found[item] = (nobody, accepted.configuration.judge)
        return found

    def _people_values(
        self, project_id: int, rule: Rule, grades: Ratings[int] | None
    ) -> dict[int, FinalValue]:
        project = self._projects.get(project_id)
        given = self._grades.by_judge(project_id) if grades is None else grades

        @cache
        def combine(*given: float) -> Aggregate:  # the same few grades again and again
            return aggregate(given, rule=rule, scale=project.scale)

        found = {item: (combine(*said.values()), str(rule)) for item, said in given.items() if said}
        fixed = {item: (grade, "gold") for item, grade in self._gold.all(project_id).items()}
        decided = self.all(project_id).items()
        fixed |= {item: (grade, "adjudicated") for item, grade in decided}
        for item, (grade, source) in fixed.items():
            said = [*given.get(item, {}).values()]
            counted = replace(combine(grade), judges=len(said), agreeing=said.count(grade))
            found[item] = (counted, source)
        return found

    def count_filled(self, project_id: int) -> int:
        """Returns how many final grades are the accepted model's."""
        accepted = self._models.accepted(project_id)
        if accepted is None:
            return 0
        said = {*self._grades.ratings(project_id), *self._gold.all(project_id)}
        said |= {*self.all(project_id), *self._items.removed(project_id)}
        return len(self._replies.graded_items(accepted.configuration) - said)
