"""The quality of a snapshot by the grades that its project has now."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.data.judgments import Judgments
from relyon.judging.exchange import final_judgments
from relyon.judging.pooling import DEPTH
from relyon.judging.snapshots.kept import Snapshot, Stored, read_answers, run_of

if TYPE_CHECKING:
    from relyon.judging.records import Project
    from relyon.judging.store import Store

__all__ = ["Quality", "cutoff", "grades_of", "judge_snapshot", "judge_snapshots", "limited"]


@dataclass(frozen=True)
class Quality:
    """The quality of a snapshot.

    Attributes:
        k: How many ranks count.
        queries: The number of queries with grades, over which the mean is taken.
        ndcg: NDCG@k; None if no query has grades.
        interval: Its 95% interval over queries; None if there is none, as for one query.
        judged: The share of the top k that is graded, over the queries with grades.
        convention: The rules, in one line.
    """

    k: int
    queries: int
    ndcg: float | None
    interval: tuple[float, float] | None
    judged: float | None


def cutoff(project: Project, *sides: Snapshot) -> int:
    """Returns how many ranks count: as many as the project judges, if all snapshots have them."""
    return min(project.k or DEPTH, *(one.k for one in sides), DEPTH if project.k is None else 1000)


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


def judge_snapshots(
    store: Store, project: Project, chosen: Sequence[Snapshot]
) -> dict[int, Quality]:
    """Returns the quality of whole snapshots by their ids."""
    grades = grades_of(store, project)
    return {
        one.id: judge_snapshot(project, one, read_answers(store, one), grades)
        for one in chosen
        if one.whole
    }


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
    low, high = found[ndcg].queries
    return Quality(
        k,
        len(asked.queries),
        found[ndcg].value,
        None if low != low else (low, high),
        found[judged].value,
    )
