"""Titles and texts for items without them: existing values are kept, empty ones filled.

Items are filled a few at a time, so that judges do not wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from relyon.judging.bulk import find_items
from relyon.judging.places import COUNTS, take_turn
from relyon.judging.records import Item, Trait, item_parts
from relyon.judging.result_rows import redo_results
from relyon.judging.schema import items, sa, sides
from relyon.judging.table_rows import read_comparison, read_item, result_rows, storable_fields

if TYPE_CHECKING:
    from relyon.judging.schema import TableRow
    from relyon.judging.store import Store

__all__ = ["SOME", "TEXTS", "Describe", "count_filled", "fill_each", "fill_items", "measure_bare",
    "read_some"]  # fmt: skip

#: Sample size for describing a project's items.
SOME = 1000
#: Items of one transaction.
AT_ONCE = 1000

TEXTS = item_parts(Trait.TEXT | Trait.FILLED)
DESCRIPTIONS = item_parts(Trait.TEXT | Trait.FILLED | Trait.RESULT)
#: Returns what is known of an item, with its own values or without; None if nothing is.
Describe: TypeAlias = Callable[[Item], Item | None]


def fill_items(
    store: Store, project_id: int, known: Iterable[Item], *, dry_run: bool = False
) -> int:
    """Fills in the missing texts and fields of a project's items.

    Args:
        store: The database.
        project_id: The project.
        known: Known values of items; those not in the project are ignored. Of several values of an
            item the last is used.
        dry_run: Whether the changes are only counted.

    Returns:
        The number of changed items.

    Raises:
        UnknownNameError: If the project does not exist.
        InputError: If a text cannot be stored.
    """
    project = store.projects.get(project_id)
    changed = 0
    left = iter(known)
    while some := list(islice(left, AT_ONCE)):
        given = {(one.query, one.document): one for one in some}
        with store.database.read() as connection:
            there = find_items(connection, project.id, given)
        if there:
            ids = list(there.values())
            changed += _fill(store, project.id, ids, _by_pair(given), dry_run=dry_run)
    return changed


def fill_each(store: Store, project_id: int, describe: Describe, *, dry_run: bool = False) -> int:
    """Fills in the missing texts and fields of every item, and of the results of every pair.

    Args:
        store: The database.
        project_id: The project.
        describe: Returns what is known of an item.
        dry_run: Whether the changes are only counted.

    Returns:
        The number of changed items; in a side-by-side project, that of changed pairs.

    Raises:
        UnknownNameError: If the project does not exist.
        InputError: If a text cannot be stored.
    """
    project = store.projects.get(project_id)
    changed = last = 0
    while True:
        query = sa.select(items.c.id).where(items.c.project_id == project.id, items.c.id > last)
        with store.database.read() as connection:
            chosen = query.order_by(items.c.id).limit(AT_ONCE)
            ids = list(connection.execute(chosen).scalars())
        if not ids:
            return changed
        last = ids[-1]
        fill = _fill if project.kind == "grades" else _fill_sides
        changed += fill(store, project.id, ids, describe, dry_run=dry_run)


def count_filled(store: Store, project_id: int, describe: Describe) -> int:
    """Returns how many items `fill_each` would change."""
    return fill_each(store, project_id, describe, dry_run=True)


def _by_pair(given: Mapping[tuple[str, str], Item]) -> Describe:
    return lambda item: given.get((item.query, item.document))


def _fill(
    store: Store, project_id: int, ids: Sequence[int], describe: Describe, *, dry_run: bool
) -> int:
    """Fills some items in one transaction."""
    query = sa.select(items).where(items.c.id.in_(ids))
    with store.database.read() as connection:
        changes = list(_changes(connection.execute(query), describe))
    if changes and not dry_run:
        update = sa.update(items).where(items.c.id == sa.bindparam("item"))
        with store.database.write() as connection:
            take_turn(connection, project_id)
            connection.execute(update, changes)
            redo_results(connection, project_id, ids)
    return len(changes)


def _changes(rows: Iterable[TableRow], describe: Describe) -> Iterator[dict[str, object]]:
    for row in rows:
        before = read_item(row)
        after = _filled(before, describe(before))
        if after is not None:
            values = {name: getattr(after, name) for name in TEXTS}
            yield {"item": row.id, **values, "fields": storable_fields(after)}


def _fill_sides(
    store: Store, project_id: int, ids: Sequence[int], describe: Describe, *, dry_run: bool
) -> int:
    """Fills the queries of some pairs, and the results of their rankings."""
    joined = sa.select(items, sides).select_from(items.join(sides))
    with store.database.read() as connection:
        rows = connection.execute(joined.where(items.c.id.in_(ids))).all()
    changes: list[dict[str, object]] = []
    for row in rows:
        pair = read_comparison(row)
        told = _filled(Item(pair.query, "-", pair.query_text), describe(Item(pair.query, "-")))
        sides_after = [
            tuple(_filled(one, describe(one)) or one for one in found)
            for found in (pair.first_results, pair.second_results)
        ]
        if told is None and sides_after == [pair.first_results, pair.second_results]:
            continue
        first, second = map(result_rows, sides_after)
        text = pair.query_text if told is None else told.query_text
        changes.append({"pair": row.id, "left": first, "right": second, "text": text})
    if changes and not dry_run:
        key: sa.BindParameter[int] = sa.bindparam("pair")
        with store.database.write() as connection:
            take_turn(connection, project_id)
            connection.execute(
                sa.update(sides)
                .where(sides.c.item_id == key)
                .values(
                    first_results=sa.bindparam("left", type_=sa.JSON),
                    second_results=sa.bindparam("right", type_=sa.JSON),
                ),
                changes,
            )
            texts = sa.update(items).where(items.c.id == key)
            connection.execute(texts.values(query_text=sa.bindparam("text")), changes)
            redo_results(connection, project_id, ids)
    return len(changes)


def _filled(item: Item, known: Item | None) -> Item | None:
    """Returns an item with what is known of it; None if nothing is added."""
    if known is None:
        return None
    texts = {name: getattr(item, name) or getattr(known, name) for name in TEXTS}
    if texts["query_text"] == item.query:
        texts["query_text"] = item.query_text
    filled = replace(item, **texts, fields={**known.fields, **item.fields})
    same = all(getattr(filled, one.name) == getattr(item, one.name) for one in fields(Item))
    return None if same else filled


def read_some(store: Store, project_id: int) -> list[Item]:
    """Returns a random sample of a project's items, enough to describe most of them."""
    mine = sa.and_(items.c.project_id == project_id, COUNTS)
    query = sa.select(items).where(mine).order_by(items.c.place)
    with store.database.read() as connection:
        return [read_item(row) for row in connection.execute(query.limit(SOME))]


def measure_bare(store: Store, project_id: int) -> float:
    """Returns the share of a project's items that judges see as a mere id, from a sample."""
    some = read_some(store, project_id)
    bare = sum(not any(getattr(one, name) for name in DESCRIPTIONS) for one in some)
    return bare / max(len(some), 1)
