"""What the list of a project's results can be filtered by: its judges and its tiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.judging.database_part import Base
from relyon.judging.figures import is_large
from relyon.judging.schema import assignments, items, sa, users
from relyon.online.sampling.tiers import order_tiers

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = ["list_graders", "list_tiers"]


def list_graders(store: Base, project_id: int) -> dict[int, str]:
    """Returns the names of those who have or had a place in a project, by id."""
    place = sa.select(assignments.c.id).where(
        assignments.c.project_id == project_id, assignments.c.user_id == users.c.id
    )
    query = sa.select(users.c.id, users.c.name).where(place.exists()).order_by(users.c.name)
    with store.database.read() as connection:
        return {row.id: row.name for row in connection.execute(query)}


def list_tiers(store: Store, project_id: int) -> list[str]:
    """Returns the tiers of a project, from a sample of its results, as of a moment ago."""
    if not is_large(store, project_id):
        return _sample_tiers(store, project_id)
    key = ("tiers", project_id)
    return store.figures.get(key, lambda: _sample_tiers(store, project_id), least=60)


def _sample_tiers(store: Base, project_id: int) -> list[str]:
    some = sa.select(items.c.tier).where(items.c.project_id == project_id)
    some = some.order_by(items.c.place).limit(1000)
    query = sa.select(some.subquery().c.tier).distinct()
    with store.database.read() as connection:
        found = {tier for tier in connection.execute(query).scalars() if tier}
    return order_tiers(found)
