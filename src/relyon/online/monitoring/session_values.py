"""DCG and NDCG of every sampled session of a round."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from relyon.data.convention import Convention
from relyon.data.judgments import Judgments
from relyon.evaluation import Evaluator
from relyon.measures import Measure, measure
from relyon.online.sampling import Sample

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DCG", "JUDGED", "NDCG", "dcg_of", "ndcg_of", "session_values"]

DCG, NDCG, JUDGED = "dcg", "ndcg", "judged"


def dcg_of(k: int) -> Measure:
    """Returns DCG@k."""
    return measure(f"dcg@{k}")


def ndcg_of(k: int) -> Measure:
    """Returns NDCG@k over the retrieved: what it is where only what was shown is judged."""
    return measure(f"ndcg(ideal=retrieved)@{k}")


def session_values(
    sample: Sample,
    judgments: Judgments,
    convention: Convention,
    depths: Mapping[str, int],
) -> pl.DataFrame:
    """Evaluates the results of every sampled session under the grades of its query.

    A session that was shown nothing is worth 0: that is what its user got. One that was shown
    results of which none is judged has no value.

    Args:
        sample: The sessions and what they were shown.
        judgments: The grades, by query.
        convention: The rules. A session without results is not missing, it is empty.
        depths: Ranks that count, by tier.

    Returns:
        One row per session, by its id: `session`, `query`, `tier`, `k`, `shown` (down to k),
        `judged` (how many of them are), `dcg` and `ndcg`; null where they have no value.
    """
    import polars as pl

    # Positions are the order: a rank column would say the same once more.
    ties = "doc-desc" if convention.ties == "rank" else convention.ties
    rules = convention.replace(missing="zero", ties=ties, name=convention.name)
    grades, run = sample.to_judgments(judgments), sample.to_run()
    known = set(grades.queries)
    used = sorted(set(depths.values()))
    values: dict[int, tuple[dict[str, float], dict[str, float]]] = {k: ({}, {}) for k in used}
    if known:
        evaluator = Evaluator(grades, convention=rules)
        wanted = [one for k in used for one in (dcg_of(k), ndcg_of(k))]
        results = evaluator.evaluate(run, wanted)
        values = {
            k: (results.values_by_query(dcg_of(k)), results.values_by_query(ndcg_of(k)))
            for k in used
        }
    graded = judgments.to_dict()
    rows: list[dict[str, object]] = []
    columns = ("session", "query", "tier")
    for session, query, tier in (
        sample.sessions.select(columns).unique().sort("session").iter_rows()
    ):
        k = depths[tier]
        shown = run.documents(session) if session in run else []
        top = [document for document, _ in sorted(shown, key=_falling)[:k]]
        of_query = graded.get(query, {})
        judged = sum(document in of_query for document in top)
        counted = bool(judged) or not top
        dcg, ndcg = values[k]
        rows.append(
            {
                "session": session,
                "query": query,
                "tier": tier,
                "k": k,
                "shown": len(top),
                JUDGED: judged,
                DCG: dcg.get(session, 0.0) if counted else None,
                NDCG: _defined(ndcg.get(session, math.nan)) if counted else None,
            }
        )
    return pl.DataFrame(rows, schema=SCHEMA)


def _falling(pair: tuple[str, float]) -> float:
    return -pair[1]


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value


SCHEMA: Mapping[str, type[str] | type[int] | type[float]] = {
    "session": str,
    "query": str,
    "tier": str,
    "k": int,
    "shown": int,
    JUDGED: int,
    DCG: float,
    NDCG: float,
}
