"""Two snapshots of a project against each other, by the grades that the project has now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.comparison.contrast import Contrast
from relyon.judging.snapshots.kept import Snapshot, Stored, read_answers, run_of
from relyon.judging.snapshots.quality import cutoff, grades_of, limited
from relyon.judging.snapshots.unjudged import UnjudgedTop, count_unjudged

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.analysis.diagnosis import Finding
    from relyon.judging.records import Project
    from relyon.judging.store import Store

__all__ = ["QueryChange", "Versus", "compare_snapshots"]

#: Queries that are listed on each side: those that lost most, those that gained most.
SHOWN = 20


@dataclass(frozen=True)
class QueryChange:
    """One query in two snapshots.

    Attributes:
        query: Its id.
        text: Its text.
        before: NDCG@k of the first snapshot; None without grades.
        after: That of the second.
        new: Documents in the top k of the second only.
        gone: Documents in the top k of the first only.
    """

    query: str
    text: str
    before: float | None
    after: float | None
    new: int
    gone: int

    @property
    def difference(self) -> float:
        """The second minus the first; 0 without grades."""
        return 0.0 if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True)
class Versus:
    """Two snapshots against each other.

    Attributes:
        first: The baseline.
        second: The candidate.
        k: How many ranks count.
        shared: The number of queries that both asked.
        moved: Of these, the number with another top k: other documents, or another order.
        contrast: The difference of NDCG@k; None if no shared query has grades.
        comparison: What it comes from.
        finding: What the unjudged documents could change; None if there are none, or no grades.
        unjudged: The results of both top k that have no grade.
        lost: Queries on which the second is worse, the worst first.
        gained: Queries on which it is better, the best first.
        other: Queries whose top k changed without a change of the number that is known.
    """

    first: Snapshot
    second: Snapshot
    k: int
    shared: int
    moved: int
    contrast: Contrast | None
    comparison: Comparison | None
    finding: Finding | None
    unjudged: UnjudgedTop
    lost: tuple[QueryChange, ...]
    gained: tuple[QueryChange, ...]
    other: tuple[QueryChange, ...]

    @property
    def judged(self) -> tuple[float, float] | None:
        """The shares of both top k that are graded, over the queries with grades."""
        if self.comparison is None:
            return None
        found = self.comparison.contrast(self.second.name, f"judged@{self.k}")
        return found.baseline_mean, found.candidate_mean

    @property
    def same_setting(self) -> bool:
        """Whether both asked the same engine for the same."""
        one, two = self.first, self.second
        return (one.engine, one.recipe, one.parameters) == (two.engine, two.recipe, two.parameters)


def compare_snapshots(store: Store, project: Project, first: Snapshot, second: Snapshot) -> Versus:
    """Compares two whole snapshots on the queries that both asked.

    Args:
        store: The database.
        project: The project.
        first: The baseline.
        second: The candidate.
    """
    k = cutoff(project, first, second)
    sides = [{one.query.id: one for one in read_answers(store, side)} for side in (first, second)]
    shared = [query for query in sides[0] if query in sides[1]]
    answers = [[side[query] for query in shared] for side in sides]
    tops = [{one.query.id: one.entry.ids[:k] for one in side} for side in answers]
    moved = [query for query in shared if tops[0][query] != tops[1][query]]
    comparison = _compare(store, project, (first, second), answers, k)
    values: Mapping[str, tuple[float, float]] = {}
    if comparison is not None:
        values = comparison.own_values(second.name, f"ndcg@{k}")
    changes = []
    for query in shared:
        before, after = values.get(query, (None, None))
        one, two = ({*top[query]} for top in tops)
        text = sides[1][query].query.text
        changes.append(QueryChange(query, text, before, after, len(two - one), len(one - two)))
    order = sorted(changes, key=lambda change: change.difference)
    changed = {change.query for change in changes if change.difference}
    others = [one for one in changes if one.query in set(moved) - changed]
    others.sort(key=lambda change: -change.new)
    return Versus(
        first,
        second,
        k,
        len(shared),
        len(moved),
        None if comparison is None else comparison.contrast(second.name, f"ndcg@{k}"),
        comparison,
        None if comparison is None else _open(comparison, k),
        count_unjudged(store, project, answers, k),
        tuple(one for one in order if one.difference < 0)[:SHOWN],
        tuple(one for one in reversed(order) if one.difference > 0)[:SHOWN],
        tuple(others[:SHOWN]),
    )


def _compare(
    store: Store,
    project: Project,
    sides: tuple[Snapshot, Snapshot],
    answers: Sequence[Sequence[Stored]],
    k: int,
) -> Comparison | None:
    """Returns the comparison of the runs; None if no query that both asked has grades."""
    from relyon.analysis.comparison.inputs import compare

    grades = limited(grades_of(store, project), {one.query.id for one in answers[0]})
    if grades is None:
        return None
    runs = [run_of(side, found)[0] for side, found in zip(sides, answers, strict=True)]
    names = [one.name for one in sides]
    return compare(grades, runs[0], runs[1], [f"ndcg@{k}", f"judged@{k}"], names=names)


def _open(comparison: Comparison, k: int) -> Finding | None:
    """Returns what the unjudged documents could change, however few they are."""
    from relyon.analysis.diagnosis import diagnose
    from relyon.analysis.diagnosis.unjudged import Unjudged

    shares = comparison.contrast(comparison.candidates[0], f"judged@{k}")
    if shares.baseline_mean == shares.candidate_mean == 1.0:
        return None
    found = diagnose(comparison, rules=[Unjudged(k=k, most=0.0, gap=0.0)])
    return found[0] if found else None
