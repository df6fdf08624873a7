"""Ratings: what judges say now, everything they did, and what was said elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from relkit.errors import InputError
from relkit.judging.accounts import AccountStore
from relkit.judging.agreement import Ratings
from relkit.judging.database import new_id
from relkit.judging.items import ItemStore, item_ids
from relkit.judging.records import Item, Project, Rating
from relkit.judging.schema import actions, assignments, sa, users
from relkit.judging.texts import check_finite, check_name, check_text

__all__ = ["RatingStore"]


class RatingStore(ItemStore, AccountStore):
    """The part of a store that keeps what judges say."""

    def ratings(self, project_id: int) -> dict[int, list[Rating]]:
        """Returns what judges say now, by item: what was undone or is surplus is not in it."""
        query = (
            sa.select(assignments.c.item_id, users.c.name, actions)
            .select_from(
                assignments.join(actions, assignments.c.action_id == actions.c.id).join(
                    users, assignments.c.user_id == users.c.id
                )
            )
            .where(
                assignments.c.project_id == project_id,
                assignments.c.state == "done",
                actions.c.kind.in_(("grade", "cannot")),
            )
            .order_by(assignments.c.item_id, actions.c.id)
        )
        found: dict[int, list[Rating]] = {}
        with self.database.read() as connection:
            for row in connection.execute(query):
                found.setdefault(row[0], []).append(
                    Rating(row.name, row.grade, row.reason, row.note, row.seconds, row.created_at)
                )
        return found

    def grades(self, project_id: int) -> Ratings:
        """Returns grades by item and judge, as `relkit.judging.agreement` takes them."""
        return {
            item: graded
            for item, ratings in self.ratings(project_id).items()
            if (graded := {one.judge: one.grade for one in ratings if one.grade is not None})
        }

    def history(self, project_id: int) -> list[dict[str, Any]]:
        """Returns everything that judges did, in order, with what they undid."""
        query = (
            sa.select(actions, users.c.name.label("judge"))
            .select_from(actions.join(users))
            .where(actions.c.project_id == project_id)
            .order_by(actions.c.id)
        )
        with self.database.read() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def import_ratings(
        self, project_id: int, ratings: Iterable[tuple[Item, Sequence[Rating]]]
    ) -> int:
        """Adds items with grades that were given elsewhere; accounts are made for their judges.

        Each grade takes one of the item's places; a second import of the same file adds nothing.

        Returns:
            How many grades were added.

        Raises:
            InputError: If the scale does not have a grade, or an item has more grades than the
                project has places.
        """
        project = self.project(project_id)
        given = list(ratings)
        names = {user.name: user.id for user in self.users()}
        for name in dict.fromkeys(one.judge for _, found in given for one in found):
            if name not in names:
                names[check_name(name, "judge")] = self.create_user(name).id
        with self.database.write() as connection:
            self._add_items(connection, project, [item for item, _ in given])
            known = item_ids(connection, project.id)
            done: dict[int, set[int]] = {}
            free: dict[int, list[int]] = {}
            for row in connection.execute(
                sa.select(assignments).where(assignments.c.project_id == project.id)
            ):
                if row.user_id is None:
                    free.setdefault(row.item_id, []).append(row.id)
                else:
                    done.setdefault(row.item_id, set()).add(row.user_id)
            # Also whoever gave a grade and took it back: it is not given again in their name.
            for row in connection.execute(
                sa.select(actions.c.item_id, actions.c.user_id).where(
                    actions.c.project_id == project.id
                )
            ):
                done.setdefault(row.item_id, set()).add(row.user_id)
            added = 0
            for item, found in given:
                place = known[item.query, item.document]
                for one in found:
                    user = names[one.judge.strip()]
                    if user in done.setdefault(place, set()):
                        continue
                    if not free.get(place):
                        raise InputError(
                            f"query `{item.query}`, document `{item.document}` has more than"
                            f" {project.overlap} grades",
                            hint="import into a project with a larger overlap",
                        )
                    done[place].add(user)
                    self._import_rating(connection, project, place, user, one, free[place].pop(0))
                    added += 1
            return added

    def _import_rating(
        self,
        connection: sa.Connection,
        project: Project,
        place: int,
        user: int,
        rating: Rating,
        slot: int,
    ) -> None:
        grade = None if rating.grade is None else project.scale.parse(rating.grade)
        check_finite(grade)
        inserted = connection.execute(
            sa.insert(actions).values(
                project_id=project.id,
                item_id=place,
                user_id=user,
                kind="cannot" if grade is None else "grade",
                grade=grade,
                reason=check_text(rating.reason, "reason"),
                note=check_text(rating.note, "note"),
                seconds=rating.seconds,
                key=f"import {place}",
                created_at=self.clock() if rating.at is None else rating.at,
            )
        )
        connection.execute(
            sa.update(assignments)
            .where(assignments.c.id == slot)
            .values(user_id=user, state="done", action_id=new_id(inserted))
        )
