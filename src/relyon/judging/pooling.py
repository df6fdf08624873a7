"""What is to be judged of runs: the first documents of each query, and pairs of rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from relyon.data.convention import load_convention
from relyon.data.ranking import Ranking
from relyon.data.sheets import Item, Row, Sheet
from relyon.judging.records import Comparison

if TYPE_CHECKING:
    from relyon.data.run import Run

__all__ = ["DEPTH", "Top", "compare_tops", "pool_sheet", "top_documents"]

#: How many ranks are judged unless a project or a caller says otherwise.
DEPTH = 10
#: The first documents of each query, in order.
Top = Mapping[str, Sequence[str]]


def top_documents(run: Run, k: int) -> dict[str, list[str]]:
    """Returns the first documents of each query of a run, in the order that measures use.

    Args:
        run: The run.
        k: How many ranks.

    Examples:
        >>> from relyon.data.run import Run
        >>> top_documents(Run.from_dict({"tv": {"a": 0.5, "b": 2.0, "c": 1.0}}), 2)
        {'tv': ['b', 'c']}
    """
    rules = load_convention(None)
    found = {}
    for query in run.queries:
        documents, scores = zip(*run.documents(query), strict=True)
        ranking = Ranking.build({}, documents, scores, rules, query=query)
        found[query] = [entry.document for entry in ranking.top(k)]
    return found


def pool_sheet(top: Top) -> Sheet:
    """Returns the first documents of each query as items to judge, with their ranks."""
    return Sheet(
        tuple(
            Row(Item(query, document, rank=rank))
            for query, documents in top.items()
            for rank, document in enumerate(documents, 1)
        )
    )


def compare_tops(tops: Sequence[tuple[str, Top]], sheets: Sequence[Sheet] = ()) -> list[Comparison]:
    """Returns the pairs of rankings of queries that both systems of a pair have, and differ in.

    Args:
        tops: The systems by name, with their first documents.
        sheets: What is known of the documents and queries.

    Examples:
        >>> old, new = {"tv": ["a", "b"], "pen": ["c"]}, {"tv": ["b", "a"], "pen": ["c"]}
        >>> (pair,) = compare_tops([("old", old), ("new", new)])
        >>> pair.query, [one.document for one in pair.second_results]
        ('tv', ['b', 'a'])
    """
    known = {(row.item.query, row.item.document): row.item for one in sheets for row in one.rows}
    of_query = {row.item.query: row.item for one in sheets for row in one.rows}
    pairs = []
    for (first, ours), (second, theirs) in combinations(tops, 2):
        for query in [query for query in ours if query in theirs]:
            if list(ours[query]) == list(theirs[query]):
                continue
            told = of_query.get(query, Item(query, "-"))
            left, right = (
                tuple(known.get((query, one), Item(query, one)) for one in documents[query])
                for documents in (ours, theirs)
            )
            pairs.append(Comparison(query, first, second, left, right, told.query_text, told.tier))
    return pairs
