"""Corrections of one result by a lead: its places, its decision, and whether it counts.

All of it is append-only. Re-opening undoes what judges answered, as if they had done it themselves,
and marks these actions as a lead's; a removed result keeps its places, which count nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from relyon.judging.database import new_id
from relyon.judging.places import (
    CHANGE_PLACE,
    DECIDING,
    REMOVED,
    UNANSWERED,
    forget_gold,
    remember_lapse,
    undone,
)
from relyon.judging.records import Project, User
from relyon.judging.schema import (
    TableRow,
    actions,
    adjudications,
    assignments,
    corrected,
    items,
    overrides,
    sa,
    users,
)
from relyon.judging.settlement import Said, count_late, last_said, release_place, settle
from relyon.judging.table_rows import read_user

__all__ = ["Corrector"]


@dataclass
class Corrector:
    """Applies one correction to results, in a transaction that has its turn.

    Attributes:
        connection: A connection in a write transaction.
        project: The project.
        lead: Who corrects.
        number: The id of the correction.
        reason: Why.
        now: The time.
        decision: The id of the decision that was made or withdrawn for the last result.
    """

    connection: sa.Connection
    project: Project
    lead: User
    number: int
    reason: str
    now: float
    decision: int | None = None

    def decide(self, item: int, grade: float | None) -> bool:
        """Decides a grade, or withdraws the decision, unless it is so already."""
        before = self.newest_decision(item)
        if self.is_removed(item) or (None if before is None else before.grade) == grade:
            return False
        self._decide(item, grade)
        return True

    def remove(self, item: int) -> bool:
        """Takes a result out of everything that is counted."""
        changed = self._set_removed(item, removed=True)
        if changed:
            mine = assignments.c.item_id == item
            self.connection.execute(sa.update(assignments).where(mine).values(state="removed"))
        return changed

    def restore(self, item: int) -> bool:
        """Takes a removed result back in, with the answers that judges gave meanwhile."""
        changed = self._set_removed(item, removed=False)
        if changed:
            self._restore_places(item)
        return changed

    def reopen(self, item: int, *, others: bool) -> bool:
        """Makes the places of a result free again; earlier grades and decisions no longer count.

        Args:
            item: The result.
            others: Whether judges who had answered it do not get it again.
        """
        if self.is_removed(item):
            return False
        before = self.newest_decision(item)
        if before is not None and before.grade is not None:
            self._decide(item, None)
        answers = self._standing(item)
        for row in answers:
            self._act(item, row.user_id, "undo", undoes=row.id)
        judges = {row.user_id for row in answers if row.kind != "later"}
        if others:
            for judge in sorted(judges):
                self._act(item, judge, "skip")
        done = sa.and_(assignments.c.item_id == item, assignments.c.state.not_in(UNANSWERED))
        for place in self.connection.execute(sa.select(assignments).where(done)).all():
            remember_lapse(self.connection, item, place.user_id, self.now)
            if place.slot is None:
                forget_gold(self.connection, place.id)
            else:
                release_place(self.connection, place.id)
        return bool(answers) or self.decision is not None

    def take_back(self, item: int, target: TableRow) -> bool:
        """Takes an earlier correction of a result back, if it was the last one.

        Args:
            item: The result.
            target: The earlier correction.
        """
        newest = self.connection.execute(
            sa.select(corrected)
            .where(corrected.c.item_id == item, corrected.c.applied)
            .order_by(corrected.c.id.desc())
            .limit(1)
        ).one_or_none()
        if newest is None or newest.correction_id != target.id:
            return False
        if target.kind in ("remove", "restore"):
            return self.restore(item) if target.kind == "remove" else self.remove(item)
        if self.is_removed(item):
            return False
        changed = False
        last = self.newest_decision(item)
        if newest.decision_id is not None and last is not None and last.id == newest.decision_id:
            changed = self.decide(item, self._decision_before(item, newest.decision_id))
        return self._answer_again(item, target.id) or changed

    def is_removed(self, item: int) -> bool:
        """Returns whether a lead removed a result."""
        gone = sa.select(items.c.id).where(items.c.id == item, REMOVED)
        return self.connection.execute(gone).first() is not None

    def newest_decision(self, item: int) -> TableRow | None:
        """Returns the last decision, which may be a withdrawal."""
        mine = sa.select(adjudications).where(adjudications.c.item_id == item)
        return self.connection.execute(
            mine.order_by(adjudications.c.id.desc()).limit(1)
        ).one_or_none()

    def _decision_before(self, item: int, decision: int) -> float | None:
        earlier = sa.select(adjudications.c.grade).where(
            adjudications.c.item_id == item, adjudications.c.id < decision
        )
        found = self.connection.execute(earlier.order_by(adjudications.c.id.desc()).limit(1))
        return found.scalar()

    def _decide(self, item: int, grade: float | None) -> None:
        inserted = self.connection.execute(
            sa.insert(adjudications).values(
                item_id=item,
                user_id=self.lead.id,
                grade=grade,
                note=self.reason,
                key=uuid4().hex,
                created_at=self.now,
            )
        )
        self.decision = new_id(inserted)

    def _set_removed(self, item: int, *, removed: bool) -> bool:
        other = sa.and_(items.c.id == item, items.c.removed == sa.literal(not removed))
        return bool(
            self.connection.execute(sa.update(items).where(other).values(removed=removed)).rowcount
        )

    def _restore_places(self, item: int) -> None:
        """Gives places the states that follow from their judges' last actions."""
        mine = assignments.c.item_id == item
        places = self.connection.execute(sa.select(assignments).where(mine)).all()
        until = self.now + self.project.lease_seconds
        for place in places:
            values = {"state": "open", "leased_until": None if place.user_id is None else until}
            self.connection.execute(CHANGE_PLACE, {"place": place.id, **values})
        for place in places:
            if place.user_id is not None:
                judge = self._judge(place.user_id)
                last = last_said(self.connection, judge, item)
                settle(self.connection, self.project, judge, item, last, self.now)
        for place in places:
            if place.slot is not None:
                count_late(self.connection, self.project, item, self.now)

    def _judge(self, user: int) -> User:
        query = sa.select(users).where(users.c.id == user)
        return read_user(self.connection.execute(query).one())

    def _standing(self, item: int) -> list[TableRow]:
        """Returns the actions on a result that were not undone."""
        query = sa.select(actions).where(
            actions.c.item_id == item,
            actions.c.kind.in_(DECIDING),
            actions.c.id.not_in(undone(actions.c.item_id == item)),
        )
        return list(self.connection.execute(query.order_by(actions.c.id)).all())

    def _act(self, item: int, judge: int, kind: str, **values: object) -> int:
        """Writes an action for a judge, and that it was not the judge's own."""
        inserted = self.connection.execute(
            sa.insert(actions).values(
                project_id=self.project.id,
                item_id=item,
                user_id=judge,
                kind=kind,
                key=uuid4().hex,
                created_at=self.now,
                **values,
            )
        )
        number = new_id(inserted)
        self.connection.execute(
            sa.insert(overrides).values(action_id=number, correction_id=self.number, item_id=item)
        )
        return number

    def _answer_again(self, item: int, target: int) -> bool:
        """Gives the answers that a correction undid again, unless their judges gave others."""
        said, taken_back = actions.alias(), actions.alias()
        query = (
            sa.select(taken_back)
            .select_from(
                overrides.join(said, overrides.c.action_id == said.c.id).join(
                    taken_back, said.c.undoes == taken_back.c.id
                )
            )
            .where(overrides.c.correction_id == target, overrides.c.item_id == item)
            .order_by(taken_back.c.id)
        )
        last = {row.user_id: row for row in self.connection.execute(query)}
        written = sa.select(overrides.c.action_id).where(
            overrides.c.correction_id == target, overrides.c.item_id == item
        )
        own = set(self.connection.execute(written).scalars())
        standing = self._standing(item)
        changed = False
        for user, row in last.items():
            others = [one for one in standing if one.user_id == user]
            if any(one.id not in own for one in others):
                continue
            for one in others:  # the skip that kept the judge from getting it again
                self._act(item, user, "undo", undoes=one.id)
            answer = {"grade": row.grade, "reason": row.reason, "note": row.note}
            number = self._act(item, user, row.kind, **answer)
            judge, again = self._judge(user), Said(number, row.kind)
            settle(self.connection, self.project, judge, item, again, self.now)
            changed = True
        return changed
