"""Who grades what on plain grading sheets: each item goes to as many people as it lacks grades."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.sheets import Row
from relyon.judging.exchange import refuse_preferences

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = ["divide_items"]


def divide_items(store: Store, project_id: int, judges: Sequence[str]) -> dict[str, list[Row]]:
    """Returns the items that each judge is to grade, in a random order within a query.

    An item goes to as many judges as it lacks grades, never to one who graded it. Where judges are
    interchangeable, one gets whole queries. Gold items are left out: a sheet would tell them apart.

    Args:
        store: The database.
        project_id: The project.
        judges: The judges' names.

    Raises:
        InputError: If the project compares rankings side by side.
        ParameterError: If a name is empty or given twice.
        UnknownNameError: If the project does not exist.
    """
    names = [name.strip() for name in judges]
    if not all(names) or len({*names}) < len(names):
        raise ParameterError(message("judging.judges-must-differ"))
    project = store.projects.get(project_id)
    refuse_preferences(project)
    ratings = store.grades.ratings(project.id)
    gold = store.gold.all(project.id)
    items = [(number, one) for number, one in store.items.by_id(project.id) if number not in gold]
    queries = {query: at for at, query in enumerate(dict.fromkeys(one.query for _, one in items))}
    items.sort(key=lambda one: (queries[one[1].query], _order(project.draw_key, one[0])))
    found: dict[str, list[Row]] = {name: [] for name in names}
    for number, item in items:
        graded = {one.judge for one in ratings.get(number, ())}
        lacking = project.overlap - len(graded)
        start = queries[item.query]
        for at in range(len(names)):
            name = names[(start + at) % len(names)]
            if lacking > 0 and name not in graded:
                found[name].append(Row(item))
                lacking -= 1
    return found


def _order(key: str, item: int) -> bytes:
    """Returns the key of a random order that does not tell the rank."""
    return hashlib.sha256(f"{key} {item}".encode()).digest()
