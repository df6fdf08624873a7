"""Titles and texts for items without them: existing values are kept, empty ones filled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from relyon.judging.places import take_turn
from relyon.judging.records import Item, Trait, item_parts
from relyon.judging.schema import items, sa
from relyon.judging.table_rows import read_item, storable_fields

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = ["SOME", "TEXTS", "fill_items", "measure_bare", "read_some"]

#: Sample size for describing a project's items.
SOME = 1000

TEXTS = item_parts(Trait.TEXT | Trait.FILLED)
DESCRIPTIONS = item_parts(Trait.TEXT | Trait.FILLED | Trait.RESULT)


def fill_items(store: Store, project_id: int, known: Iterable[Item]) -> int:
    """Fills in the missing texts and fields of a project's items.

    Args:
        store: The database.
        project_id: The project.
        known: Known values of items; those not in the project are ignored.

    Returns:
        The number of changed items.

    Raises:
        UnknownNameError: If the project does not exist.
        InputError: If a text cannot be stored.
    """
    project = store.projects.get(project_id)
    given = {(one.query, one.document): (one, storable_fields(one)) for one in known}
    changes: list[dict[str, object]] = []
    with store.database.write() as connection:
        take_turn(connection, project.id)
        for row in connection.execute(sa.select(items).where(items.c.project_id == project.id)):
            found, more = given.get((row.query, row.document), (None, {}))
            if found is None:
                continue
            before = {name: getattr(row, name) for name in TEXTS}
            before["fields"] = row._mapping["fields"]
            after = {name: before[name] or getattr(found, name) for name in TEXTS}
            after["fields"] = {**more, **before["fields"]}
            if after != before:
                changes.append({"item": row.id, **after})
        if changes:
            update = sa.update(items).where(items.c.id == sa.bindparam("item"))
            connection.execute(update, changes)
    return len(changes)


def read_some(store: Store, project_id: int) -> list[Item]:
    """Returns a random sample of a project's items, enough to describe most of them."""
    query = sa.select(items).where(items.c.project_id == project_id).order_by(items.c.place)
    with store.database.read() as connection:
        return [read_item(row) for row in connection.execute(query.limit(SOME))]


def measure_bare(store: Store, project_id: int) -> float:
    """Returns the share of a project's items that judges see as a mere id, from a sample."""
    some = read_some(store, project_id)
    bare = sum(not any(getattr(one, name) for name in DESCRIPTIONS) for one in some)
    return bare / max(len(some), 1)
