"""Fields that could reveal gold items, for the lead who created them."""

from __future__ import annotations

from collections import Counter

from relyon.judging.item_texts import SOME, TEXTS, read_some
from relyon.judging.shown import choose_fields
from relyon.judging.store import Store

__all__ = ["find_marks"]

#: Shares of items from which having a field, or lacking it, is revealing.
RARELY, MOSTLY = 0.1, 0.5


def find_marks(store: Store, project_id: int) -> list[str]:
    """Returns the fields that only gold items show, or only the others, and so reveal them.

    Args:
        store: The database.
        project_id: The project.

    Returns:
        Parts of an item, such as `title`, and names of fields, which begin with `fields.`.
    """
    known = store.gold.all(project_id)
    if not known:
        return []
    shown = read_some(store, project_id)
    shown += store.items.all(project_id, ids=list(known)[:SOME])
    seen: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    every: Counter[bool] = Counter()
    for item in {one.id: one for one in shown}.values():
        golden = item.id in known
        every[golden] += 1
        seen[golden].update(part for part in TEXTS if getattr(item, part))
        seen[golden].update(f"fields.{name}" for name in choose_fields(item))
    if len(every) < 2:
        return []
    shares = {
        part: {golden: seen[golden][part] / every[golden] for golden in (True, False)}
        for part in {*seen[True], *seen[False]}
    }
    return sorted(
        part
        for part, share in shares.items()
        if min(share.values()) <= RARELY and max(share.values()) >= MOSTLY
    )
