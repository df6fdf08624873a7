"""Keyboard keys of grades: the grade itself if it is one digit, otherwise a letter.

In earlier projects keys meant the position of a grade on its scale. Judges who used those keys are
notified once per project that they have changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.judging.places import take_turn
from relyon.judging.records import Project, User
from relyon.judging.schema import actions, adjudications, items, key_notices, projects, sa

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = ["choose_keys", "confirm_keys", "count_confirmed", "is_notice_due"]

#: Letters that are unused on the grading pages.
LETTERS = "abdefhimopqrtvwxyz"


def choose_keys(project: Project) -> dict[float, str]:
    """Returns the key of each grade of a project; empty if grades are typed.

    If all grades are whole numbers from 0 to 9, a grade's key is the grade. Other grades get
    letters, in the order of the scale. The five preferences between two rankings get 1 to 5, from
    left to right.

    Args:
        project: The project, with its scale.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from relyon.judging import open_store
        >>> folder = TemporaryDirectory()
        >>> with open_store(f"{folder.name}/judging.db", create=True) as store:
        ...     choose_keys(store.projects.create("June", scale="search"))
        {3.0: '3', 2.0: '2', 1.0: '1', 0.0: '0'}
        >>> folder.cleanup()
    """
    grades = [level.grade for level in project.scale.levels]
    if project.kind == "side_by_side":
        return {grade: str(place) for place, grade in enumerate(sorted(grades), 1)}
    if all(grade in range(10) for grade in grades):
        return {grade: str(int(grade)) for grade in grades}
    if len(grades) > len(LETTERS):
        return {}
    return dict(zip(grades, LETTERS, strict=False))


def is_notice_due(store: Store, project: Project, user: User) -> bool:
    """Returns whether a user has yet to be notified that the keys of a project have changed.

    This applies to users who graded or decided while keys meant positions, in this project or
    another: once per project whose keys have changed, and once if they only continue in newer
    projects.
    """
    told = sa.select(key_notices.c.project_id).where(key_notices.c.user_id == user.id)
    changed = projects.c.keys_changed_at
    earlier = [
        sa.select(actions.c.id)
        .select_from(actions.join(projects))
        .where(
            actions.c.user_id == user.id,
            actions.c.created_at < changed,
            actions.c.key.not_like("import %"),
        ),
        sa.select(adjudications.c.id)
        .select_from(
            adjudications.join(items, adjudications.c.item_id == items.c.id).join(
                projects, items.c.project_id == projects.c.id
            )
        )
        .where(adjudications.c.user_id == user.id, adjudications.c.created_at < changed),
    ]
    if project.kind == "side_by_side" or not choose_keys(project):
        return False
    with store.database.read() as connection:
        known = set(connection.execute(told).scalars())
        if project.id in known or (known and project.keys_changed_at is None):
            return False
        return any(connection.execute(query.limit(1)).first() for query in earlier)


def confirm_keys(store: Store, project_id: int, user: User) -> None:
    """Records that a user has read which keys a project now has.

    Raises:
        UnknownNameError: If the project does not exist.
    """
    project = store.projects.get(project_id)
    mine = sa.and_(key_notices.c.project_id == project.id, key_notices.c.user_id == user.id)
    with store.database.write() as connection:
        take_turn(connection, project.id)
        if not connection.execute(sa.select(key_notices.c.user_id).where(mine)).all():
            connection.execute(
                sa.insert(key_notices).values(
                    project_id=project.id, user_id=user.id, created_at=store.clock()
                )
            )


def count_confirmed(store: Store, project_id: int) -> int:
    """Returns how many people have read which keys a project now has."""
    query = (
        sa.select(sa.func.count())
        .select_from(key_notices)
        .where(key_notices.c.project_id == project_id)
    )
    with store.database.read() as connection:
        return int(connection.execute(query).scalar_one())
