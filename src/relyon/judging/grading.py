"""Grading: assigning items to judges, and storing their actions exactly once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import get_args

from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.judging.actions import Action, AnsweredError, Receipt
from relyon.judging.assignment import Task, Unit, claim_tasks
from relyon.judging.database import Database, new_id
from relyon.judging.database_part import Base
from relyon.judging.places import (
    ANSWERS,
    DECIDING,
    UNANSWERED,
    see_preference,
    take_turn,
    undone,
)
from relyon.judging.projects import Projects, find_project, refuse_closed
from relyon.judging.records import Project, User
from relyon.judging.schema import TableRow, actions, lapses, overrides, projects, sa
from relyon.judging.settlement import Said, held_place, is_gone, last_said, settle
from relyon.judging.table_rows import read_project
from relyon.judging.texts import is_id, is_storable

__all__ = ["Grading"]

# The query of every grade is built once.
STORED = sa.select(actions).where(
    actions.c.user_id == sa.bindparam("user"), actions.c.key == sa.bindparam("key")
)
STORE = sa.insert(actions)


class _NotAloneError(Exception):
    """The change may affect other judges' places, and others are at work."""


class Grading(Base):
    """The part of a store that assigns items to judges, and records their actions."""

    def __init__(self, database: Database, clock: Callable[[], float], projects: Projects) -> None:
        super().__init__(database, clock)
        self._projects = projects

    def take(
        self, user: User, project_id: int, *, count: int = 10, by: Unit = "result"
    ) -> list[Task]:
        """Assigns up to `count` items to a judge: those already assigned, then new ones.

        New items come in the judge's own random order, fixed by the project's seed. Postponed items
        return when nothing else is left. Calling it again returns the same items with a fresh
        lease: after closing a tab or changing devices the judge continues at the same place.

        Args:
            user: The judge.
            project_id: The project.
            count: How many items the judge should have.
            by: Whether they are any `result`s, or those of one `query`: the next one's.

        Returns:
            Fewer than `count`, or none, if nothing is left for this judge at the moment.

        Raises:
            ParameterError: If the account is closed or `count` is not 1 to 1000.
            UnknownNameError: If the project does not exist.
        """
        _refuse_inactive(user)
        check_choice("by", by, get_args(Unit))
        if not 1 <= count <= 1000:
            raise ParameterError(message("judging.parameter-count-must-be-1", count=count))
        project = self._projects.get(project_id)
        refuse_closed(project)
        with self.database.write() as connection:
            take_turn(connection, project.id)
            return claim_tasks(connection, project, user, count, self.clock(), by=by)

    def record(self, user: User, action: Action) -> Receipt:
        """Stores one action of a judge.

        Args:
            user: The judge.
            action: The action.

        Raises:
            AnsweredError: If the judge has answered the item, and `again` is `refuse`.
            ParameterError: If the key was used for another action, or the account is closed.
            InputError: If the judge never had the item, the grade is not on the scale, or there is
                nothing to undo.
        """
        _refuse_inactive(user)
        try:
            with self.database.write() as connection:
                return self._record(connection, user, action, alone=action.kind in ("skip", "undo"))
        except (sa.exc.IntegrityError, _NotAloneError):
            # The same request arrived twice at once, and the other one was stored; or other judges'
            # places are affected.
            with self.database.write() as connection:
                return self._record(connection, user, action, alone=True)

    def _record(
        self, connection: sa.Connection, user: User, action: Action, *, alone: bool
    ) -> Receipt:
        if action.kind == "undo":
            return self._undo(connection, user, action)
        item_id = action.item_id or 0
        project = find_project(connection, item_id)
        if action.project_id not in (None, project.id):
            raise InputError(message("judging.this-item-does"))
        take_turn(connection, project.id, alone=alone)
        grade = see_preference(project, user, item_id, action.parse_grade(project.scale))
        before = _find_stored(connection, user, action)
        if before is not None:
            if (before.item_id, before.grade) != (item_id, grade):
                raise _other_action()
            return _repeat(connection, project, user, before)
        refuse_closed(project)
        held = held_place(connection, user, item_id)
        if held is None and not alone:
            raise _NotAloneError
        if held is None and not _had(connection, user, item_id):
            raise InputError(message("judging.was-not-given-this", user_name=user.name))
        deciding = action.kind in DECIDING
        if action.again == "refuse" and deciding and _answered(connection, user, item_id, held):
            raise AnsweredError(
                message("judging.has-already-answered-this", user_name=user.name),
                hint=message("judging.undo-that-answer-first"),
            )
        now = self.clock()
        values = {"project_id": project.id, "item_id": item_id, "grade": grade, "created_at": now}
        number = _store(connection, user, action, values)
        if action.kind != "note":
            settle(connection, project, user, item_id, Said(number, action.kind), now, held)
        counted = action.kind not in ("grade", "cannot") or _has(connection, user, item_id, held)
        shown = see_preference(project, user, item_id, grade)
        return Receipt(number, action.kind, item_id, shown, False, counted)

    def _undo(self, connection: sa.Connection, user: User, action: Action) -> Receipt:
        project = _find_project(connection, action.project_id)
        take_turn(connection, project.id)
        before = _find_stored(connection, user, action)
        if before is not None:
            return _repeat(connection, project, user, before)
        refuse_closed(project)
        reopened = _reopened(connection, project, user, action.undoes)
        if reopened is not None:
            return reopened
        target = _undoable(connection, project, user, action.undoes)
        item_id = int(target.item_id)
        now = self.clock()
        values = {"project_id": project.id, "item_id": item_id, "created_at": now}
        number = _store(connection, user, action, {**values, "undoes": target.id})
        if not is_gone(connection, project, user, target, now):
            last = last_said(connection, user, item_id)
            settle(connection, project, user, item_id, last, now, given=-number)
        return Receipt(number, "undo", item_id, None, False, True)


def _refuse_inactive(user: User) -> None:
    if not user.active:
        raise ParameterError(message("judging.account-is-closed", user_name=user.name))


def _store(
    connection: sa.Connection, user: User, action: Action, values: Mapping[str, object]
) -> int:
    """Inserts the row of an action and returns its id."""
    own = {"user_id": user.id, "kind": action.kind, "seconds": action.seconds}
    return new_id(connection.execute(STORE, {**own, **action.texts(), **values}))


def _find_stored(connection: sa.Connection, user: User, action: Action) -> TableRow | None:
    """Returns the row that was stored under the key of an action.

    Raises:
        ParameterError: If it is of another kind.
    """
    row = connection.execute(STORED, {"user": user.id, "key": action.key}).one_or_none()
    if row is not None and row.kind != action.kind:
        raise _other_action()
    return row


def _other_action() -> ParameterError:
    return ParameterError(
        message("judging.this-key-was-used-for-another"), hint=message("judging.use-new-key")
    )


def _find_project(connection: sa.Connection, project_id: int | None) -> Project:
    row = None
    if project_id is not None and is_id(project_id):
        row = connection.execute(
            sa.select(projects).where(projects.c.id == project_id)
        ).one_or_none()
    if row is None:
        raise InputError(message("judging.there-is-no-project", project_id=project_id))
    return read_project(row)


def _answered(connection: sa.Connection, user: User, item_id: int, held: TableRow | None) -> bool:
    """Returns whether the judge's last action on an item is an answer."""
    if held is not None and held.state in UNANSWERED:
        return False
    last = last_said(connection, user, item_id)
    return last is not None and last.kind in ANSWERS


def _has(connection: sa.Connection, user: User, item_id: int, held: TableRow | None) -> bool:
    """Returns whether the judge has a place of an item, after updating a lapsed one."""
    return held is not None or held_place(connection, user, item_id) is not None


def _had(connection: sa.Connection, user: User, item_id: int) -> bool:
    """Returns whether the judge ever had the item."""
    for table in (lapses, actions):
        mine = sa.select(table.c.item_id).where(
            table.c.item_id == item_id, table.c.user_id == user.id
        )
        if connection.execute(mine.limit(1)).all():
            return True
    return False


def _undoable(
    connection: sa.Connection, project: Project, user: User, undoes: str | None
) -> TableRow:
    query = sa.select(actions).where(
        actions.c.project_id == project.id,
        actions.c.user_id == user.id,
        actions.c.kind.in_(DECIDING),
        actions.c.id.not_in(undone(actions.c.user_id == user.id)),
        # A lead's re-opening for other judges, which skips in the judge's name.
        ~sa.and_(actions.c.kind == "skip", actions.c.id.in_(sa.select(overrides.c.action_id))),
    )
    if undoes is not None and not is_storable(undoes):
        raise InputError(message("judging.there-is-nothing"))
    if undoes is not None:
        query = query.where(actions.c.key == undoes)
    found = connection.execute(query.order_by(actions.c.id.desc()).limit(1)).one_or_none()
    if found is None:
        raise InputError(message("judging.there-is-nothing"))
    return found


def _reopened(
    connection: sa.Connection, project: Project, user: User, undoes: str | None
) -> Receipt | None:
    """Returns the receipt of an undo that came after a lead's re-opening had done the same."""
    if undoes is None or not is_storable(undoes):
        return None
    own, undo = actions.alias(), actions.alias()
    row = connection.execute(
        sa.select(undo.c.id, undo.c.item_id)
        .select_from(
            own.join(undo, undo.c.undoes == own.c.id).join(
                overrides, overrides.c.action_id == undo.c.id
            )
        )
        .where(own.c.user_id == user.id, own.c.key == undoes, own.c.project_id == project.id)
    ).one_or_none()
    return None if row is None else Receipt(row.id, "undo", row.item_id, None, True, True)


def _repeat(connection: sa.Connection, project: Project, user: User, before: TableRow) -> Receipt:
    """Returns the outcome of an action when it was first sent."""
    item_id = before.item_id
    counted = before.kind not in ("grade", "cannot") or _has(connection, user, item_id, None)
    grade = see_preference(project, user, item_id, before.grade)
    return Receipt(before.id, before.kind, item_id, grade, True, counted)
