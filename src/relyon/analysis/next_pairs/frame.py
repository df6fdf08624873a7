"""The pairs of query and document of which one run or a difference of two runs is a sum."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from relyon import _native
from relyon.analysis.next_pairs.linear import Linear, linear
from relyon.core.errors import InputError
from relyon.core.texts import message

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.convention import Convention
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.measures.definition import Measure

__all__ = ["Frame", "build_frame"]

#: A weight up to this share of the largest one is a rounding error.
ROUNDING = 1e-12
#: The largest gain: its square can be summed.
LARGEST = 1e100


@dataclass(frozen=True)
class Frame:
    """The documents of both runs' top k, and the weight of each.

    The value of a query is the sum of weight times gain over its pairs; the number is the mean over
    the queries.

    Attributes:
        linear: The measure.
        queries: The queries: all that a run answers, then those only judged, which count 0.
        query: The index of each pair's query.
        documents: The id of each pair's document. Pairs are sorted by query, then by id.
        ranks: The rank of each pair in the baseline and in the candidate, 0 outside their top k;
            shape (pairs, 2).
        weight: What one unit of gain of each pair adds to its query's value.
        grades: The grade of each pair, NaN if it is unjudged.
    """

    linear: Linear
    queries: tuple[str, ...]
    query: NDArray[np.int64]
    documents: tuple[str, ...]
    ranks: NDArray[np.int64]
    weight: NDArray[np.float64]
    grades: NDArray[np.float64]

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """The gain of each pair, NaN if it is unjudged."""
        return self.gains_of(self.grades)

    def gains_of(self, grades: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the gains of grades, NaN for NaN.

        Raises:
            InputError: If one is too large to be squared and summed.
        """
        import numpy as np

        found = np.full(len(grades), np.nan)
        known = ~np.isnan(grades)
        values, place = np.unique(grades[known], return_inverse=True)
        gains = np.array([self.linear.gain(float(grade)) for grade in values])
        large = np.flatnonzero(~(np.abs(gains) <= LARGEST))
        if len(large):
            raise InputError(
                message("analysis.gain-is-too-large", grade=float(values[large[0]])),
                hint=message("analysis.check-grades"),
            )
        found[known] = gains[place] if len(values) else 0.0
        return found

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {query: number for number, query in enumerate(self.queries)}

    def find(self, query: str, document: str) -> int | None:
        """Returns the index of a pair; None if it is in the top k of neither run."""
        import numpy as np

        number = self._numbers.get(query)
        if number is None:
            return None
        start, end = np.searchsorted(self.query, [number, number + 1]).tolist()
        inside = self.documents[start:end]
        return start + inside.index(document) if document in inside else None

    @cached_property
    def counts(self) -> NDArray[np.bool_]:
        """Whether each pair has a weight: a document at the same rank in both runs has none."""
        import numpy as np

        most = float(np.max(np.abs(self.weight), initial=0.0))
        counts: NDArray[np.bool_] = np.abs(self.weight) > ROUNDING * most
        return counts

    @property
    def open(self) -> NDArray[np.bool_]:
        """Whether each pair is unjudged and counts."""
        import numpy as np

        found: NDArray[np.bool_] = np.isnan(self.grades) & self.counts
        return found


def build_frame(
    judgments: Judgments,
    baseline: Run,
    candidate: Run | None,
    measure: Measure,
    convention: Convention,
    scale: Scale | None,
    threads: int = 0,
    *,
    drawn: Collection[tuple[str, str]] = (),
) -> Frame:
    """Returns the pairs of one run, or of a difference of two.

    Args:
        judgments: The grades that are known; without any, all pairs are unjudged.
        baseline: The run whose mean is estimated, or the baseline of the difference.
        candidate: The run minus the baseline; None for the mean of one run.
        measure: A measure that is a sum (`linear`).
        convention: Its rules. A query that a run lacks counts as an empty list, or is left out
            under ``missing="skip"``.
        scale: The grade scale, if there is one.
        threads: Threads; 0 uses all cores.
        drawn: Pairs that were drawn: their grades do not say which grades are possible, since what
            is expected of a pair must not depend on a grade that follows.

    Raises:
        InputError: If no query is left, or the rules refuse a query or a grade.
        ParameterError: If the measure is not a sum, or the rules leave no fixed ranks.
    """
    import numpy as np

    from relyon.evaluation.data_errors import negative_grade
    from relyon.evaluation.program import Program

    if convention.negative == "error" and judgments.table.negatives:
        raise negative_grade(judgments)
    known = judgments.to_dict()
    seen = {
        grade
        for query, grades in known.items()
        for document, grade in grades.items()
        if (query, document) not in drawn
    }
    found = linear(measure, convention, scale, sorted(seen))
    runs = [baseline, *([] if candidate is None else [candidate])]
    queries = list(dict.fromkeys(query for run in runs for query in run.queries))
    if convention.missing == "skip":
        queries = [query for query in queries if all(query in run for run in runs)]
    elif convention.missing == "error":
        lacking = [query for query in queries if not all(query in run for run in runs)]
        if lacking:
            raise InputError(
                message("analysis.runs-lack-queries", count=len(lacking), names=lacking[:3]),
                hint=message("analysis.run-queries-or-skip"),
            )
    else:
        there = set(queries)
        queries += [query for query in known if query not in there]
    if not queries:
        raise InputError(message("analysis.runs-share-no-query"))
    k = found.k or max(len(run.documents(query)) for run in runs for query in run.queries)
    tops = _native.UnjudgedTops(
        _native.JudgmentTable.from_dict({}),
        baseline.table,
        runs[-1].table,
        Program.compile(found.measure, convention, scale, None).plan,
        k,
        queries,
        threads,
    )
    query = np.asarray(tops.query, dtype=np.int64)
    ranks = np.stack([np.asarray(tops.before), np.asarray(tops.after)], axis=1).astype(np.int64)
    shares = found.shares(k)
    weight = shares[ranks[:, 0]]
    if candidate is not None:
        weight = shares[ranks[:, 1]] - weight
    documents = tuple(tops.document(place) for place in range(len(tops)))
    grades = np.full(len(documents), np.nan)
    own = [known.get(name) for name in queries]
    judged = np.array([bool(one) for one in own])
    for place in np.flatnonzero(judged[query]).tolist():
        grade = (own[query[place]] or {}).get(documents[place])
        # Under this rule a negative grade says that the document was not judged.
        if grade is not None and not (grade < 0 and convention.negative == "unjudged"):
            grades[place] = grade
    return Frame(found, tuple(queries), query, documents, ranks, weight, grades)
