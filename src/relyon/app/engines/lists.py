"""The lists of a try as a page shows them: results, what moved, their grades, and the running NDCG.

The values are those that relyon computes for a run with this query only, by the project's scale and
its final grades; results without a grade count as the convention says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.app.engines.kept import Try
from relyon.app.engines.trying import Side
from relyon.data.judgments import Judgments
from relyon.data.run import Run
from relyon.data.sheets import described
from relyon.evaluation import evaluate
from relyon.judging.query_results import QueryResult, read_query
from relyon.judging.records import Item
from relyon.judging.snapshots.unjudged import PARTS

if TYPE_CHECKING:
    from relyon.judging.records import Project, User
    from relyon.judging.store import Store

__all__ = ["Listed", "Shown", "new_items", "read_lists"]


@dataclass(frozen=True)
class Shown:
    """A result of a list.

    Attributes:
        rank: Its rank.
        item: Title, text and addresses: the project's, or else the engine's.
        score: The engine's score.
        moved: By how many ranks it is higher than in the first list; None if it is not there, or
            there is no other list.
        new: Whether the first list lacks it.
        gone: Whether the second list lacks it.
        known: What the project knows of it; None if it is not in the project.
        ndcg: The NDCG of the list up to here; None if the query has no grades.
        why: The engine's explanation of the score.
    """

    rank: int
    item: Item
    score: float | None
    moved: int | None
    new: bool
    gone: bool
    known: QueryResult | None
    ndcg: float | None
    why: str


@dataclass(frozen=True)
class Listed:
    """A list.

    Attributes:
        side: What was asked.
        name: The variant, as the page calls it.
        rows: The results.
        ndcg: The NDCG at the number of results asked for; None if the query has no grades.
        judged: How many have a grade.
        changed: Whether the variant's parameters or body were changed.
    """

    side: Side
    name: str
    rows: tuple[Shown, ...] = ()
    ndcg: float | None = None
    judged: int = 0
    changed: bool = False


def read_lists(store: Store, project: Project, user: User, one: Try) -> tuple[Listed, ...]:
    """Returns the lists of a try, with the grades as they are now."""
    known = read_query(store, project, one.query, user)
    grades = {id: found.grade for id, found in known.items() if found.grade is not None}
    lists = [side.entry.ids if side.entry else None for side in one.sides]
    found = []
    for place, side in enumerate(one.sides):
        first, second = lists[0], lists[1] if len(lists) > 1 else None
        ids = side.entry.ids if side.entry else []
        values, total = _running(project, grades, ids, one.k)
        rows = _rows(one, side, known, values, first if place else None, None if place else second)
        found.append(
            Listed(
                side,
                side.variant.name,
                rows,
                total if side.entry else None,
                sum(row.known is not None and row.known.grade is not None for row in rows),
                side.variant.name in one.chosen,
            )
        )
    return tuple(found)


def _rows(
    one: Try,
    side: Side,
    known: Mapping[str, QueryResult],
    values: Sequence[float | None],
    before: Sequence[str] | None,
    after: Sequence[str] | None,
) -> tuple[Shown, ...]:
    """Returns the results of a list.

    Args:
        one: The try.
        side: The list's side.
        known: The project's results of the query.
        values: The running NDCG.
        before: The documents of the first list, if this is the second.
        after: The documents of the second list, if this is the first.
    """
    entry = side.entry
    if entry is None:
        return ()
    earlier = {} if before is None else {id: rank for rank, id in enumerate(before, 1)}
    later = None if after is None else set(after)
    return tuple(
        Shown(
            rank,
            _item(one, id, side.documents.get(id, {}), known.get(id)),
            entry.scores[rank - 1],
            earlier[id] - rank if id in earlier else None,
            before is not None and id not in earlier,
            later is not None and id not in later,
            known.get(id),
            values[rank - 1],
            entry.why[rank - 1] if entry.why else "",
        )
        for rank, id in enumerate(entry.ids, 1)
    )


def _item(
    one: Try, id: str, fields: Mapping[str, str], known: QueryResult | None = None, tier: str = ""
) -> Item:
    """Returns a result with the texts of the engine, or else those of the project."""
    parts = dict(fields)
    if known is not None:
        parts = {name: parts.get(name) or getattr(known.item, name) for name in PARTS}
    parts |= {"query_text": "" if one.text == one.query else one.text, "tier": tier}
    return described(one.query, id, parts, fields={})


def _running(
    project: Project, grades: Mapping[str, float], ids: Sequence[str], k: int
) -> tuple[list[float | None], float | None]:
    """Returns the NDCG of a list at each of its ranks and at k; None if the query has no grades."""
    if not grades:
        return [None] * len(ids), None
    if not ids:  # a query that a run lacks counts as 0
        return [], 0.0
    judgments = Judgments.from_dict({"q": dict(grades)}, scale=project.scale)
    ranks = {id: float(len(ids) - place) for place, id in enumerate(ids)}
    measures = [f"NDCG@{rank}" for rank in range(1, max(len(ids), k) + 1)]
    results = evaluate(judgments, Run.from_dict({"q": ranks}), measures=measures)
    found = [None if math.isnan(one) else float(one) for one in results.values()]
    return found[: len(ids)], found[k - 1]


def new_items(one: Try, lists: Sequence[Listed]) -> list[Item]:
    """Returns the results of a try that are not in its project, each once."""
    tiers = (row.known.item.tier for each in lists for row in each.rows if row.known is not None)
    tier = next(filter(None, tiers), "")
    found: dict[str, Item] = {}
    for each in lists:
        for row in each.rows:
            if row.known is None:
                id = row.item.document
                fields = each.side.documents.get(id, {})
                found.setdefault(id, _item(one, id, fields, tier=tier))
    return list(found.values())
