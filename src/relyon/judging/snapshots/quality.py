"""The quality of a snapshot by the grades that its project has now."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.data.judgments import Judgments
from relyon.judging.exchange import final_judgments
from relyon.judging.figures import is_large
from relyon.judging.pooling import DEPTH
from relyon.judging.snapshots.kept import Snapshot, Stored, read_answers, run_of

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.judging.records import Project
    from relyon.judging.store import Store

__all__ = ["Quality", "cutoff", "grades_of", "judge_snapshot", "limited", "recent_quality"]

#: Results of all snapshots up to which their quality is computed for every reader.
LIGHT = 20_000


@dataclass(frozen=True)
class Quality:
    """The quality of a snapshot.

    Attributes:
        k: How many ranks count.
        queries: The number of queries with grades, over which the mean is taken.
        ndcg: NDCG@k; None if no query has grades.
        interval: Its 95% interval over queries; None if there is none, as for one query.
        judged: The share of the top k that is graded, over the queries with grades.
        values: NDCG@k of each query for which it is defined.
        convention: The rules of all snapshots; None without grades.
    """

    k: int
    queries: int
    ndcg: float | None
    interval: tuple[float, float] | None
    judged: float | None
    values: Mapping[str, float] = field(default_factory=dict, repr=False)
    convention: Convention | None = None

    @property
    def measure(self) -> str:
        """The measure's name."""
        return f"ndcg@{self.k}"


def cutoff(project: Project, *sides: Snapshot) -> int:
    """Returns how many ranks count: as many as the project judges, if all snapshots have them."""
    return min([project.k or DEPTH, *(one.k for one in sides)])


def grades_of(store: Store, project: Project) -> Judgments | None:
    """Returns the final grades of a project; None if nothing is graded."""
    try:
        return final_judgments(store, project.id)[0]
    except InputError:
        return None


def limited(judgments: Judgments | None, queries: Collection[str]) -> Judgments | None:
    """Returns the judgments of some queries; None if there are none."""
    if judgments is None:
        return None
    known: Mapping[str, Mapping[str, float]] = judgments.to_dict()
    kept = {query: grades for query, grades in known.items() if query in queries}
    if not kept:
        return None
    return Judgments.from_dict(kept, scale=judgments.scale, source=judgments.source)


def recent_quality(
    store: Store,
    project: Project,
    chosen: Sequence[Snapshot],
    *,
    patience: float | None = None,
) -> dict[int, Quality]:
    """Returns the quality of whole snapshots by their ids, that of many results a little old.

    Args:
        store: The database.
        project: The project.
        chosen: The snapshots; open ones are left out.
        patience: Seconds to wait for figures of many results.

    Raises:
        NotReadyError: If these are counted for the first time, and took longer.
    """
    whole = [one for one in chosen if one.whole]

    def count() -> dict[int, Quality]:
        grades = grades_of(store, project)
        return {
            one.id: judge_snapshot(project, one, read_answers(store, one), grades) for one in whole
        }

    if sum(one.queries * one.k for one in whole) <= LIGHT and not is_large(store, project.id):
        return count()
    key = ("snapshots", project.id, tuple(one.id for one in whole))
    return store.figures.get(key, count, patience=patience)


def judge_snapshot(
    project: Project, snapshot: Snapshot, answers: Sequence[Stored], grades: Judgments | None
) -> Quality:
    """Returns the quality of a snapshot: queries that it did not ask do not count.

    A query without results counts as 0.

    Args:
        project: The project.
        snapshot: The snapshot.
        answers: Its answers.
        grades: The final grades of the project; None without any.
    """
    from relyon.analysis.uncertainty import measure_intervals

    k = cutoff(project, snapshot)
    asked = limited(grades, {one.query.id for one in answers})
    if asked is None:
        return Quality(k, 0, None, None, None)
    run, _ = run_of(snapshot, answers)
    ndcg, judged = f"ndcg@{k}", f"judged@{k}"
    found = measure_intervals(asked, run, [ndcg, judged])
    value, (low, high) = found[ndcg].value, found[ndcg].queries
    return Quality(
        k,
        found[ndcg].counted,
        None if math.isnan(value) else value,
        None if math.isnan(low) else (low, high),
        found[judged].value,
        found.results.values_by_query(ndcg),
        found.results.convention,
    )
