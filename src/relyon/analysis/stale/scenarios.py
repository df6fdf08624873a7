"""Values of a measure per query under other grades of some documents, many at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING

from relyon.data.judgments import Judgments
from relyon.data.run import Run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.convention import Convention
    from relyon.data.scale import Scale
    from relyon.evaluation import Evaluator
    from relyon.measures import Measure

__all__ = ["Asked", "Grades", "Scenarios", "quiet_values"]

#: Grades by document; None is a document without a grade.
Grades = Mapping[str, float | None]
#: A query and the grades that differ from its own.
Asked = tuple[str, Grades]
#: The documents of a query with their scores and, if there are any, ranks.
_List = tuple[list[str], list[float], list[int]]
#: Measures to which documents of grade 0 do not matter unless they are retrieved.
LIGHT = frozenset({"cg", "dcg", "ndcg", "p", "recall", "rbp", "ap", "rr"})
#: Rows of judgments and results that are evaluated together.
AT_ONCE = 2_000_000
#: A query of its own that keeps the highest grade, on which some measures depend.
ANCHOR = "\0anchor"


class Scenarios:
    """Judgments and runs whose queries are evaluated under other grades.

    Every question becomes a query of its own for the evaluator, so that the numbers are those of
    `relyon.evaluate`.

    Args:
        judgments: Grades by query and document.
        runs: The runs.
        measure: The measure.
        convention: The rules.
        scale: The grade scale.
        threads: As for `relyon.evaluate`.
    """

    def __init__(
        self,
        judgments: Mapping[str, Mapping[str, float]],
        runs: Sequence[Run],
        measure: Measure,
        convention: Convention,
        scale: Scale | None,
        threads: int = 0,
    ) -> None:
        self.judgments = judgments
        self.measure = measure
        self.convention = convention
        self._scale = scale
        self._threads = threads
        # Under other rules what is retrieved below the cutoff, or how many are, matters as well.
        cut = getattr(measure, "k", None) if self.usual else None
        self._lists = [_lists(run, judgments, cut) for run in runs]
        self._light, self._dropped = self._split()
        self._highest = max(
            (grade for grades in judgments.values() for grade in grades.values()), default=1.0
        )

    @property
    def usual(self) -> bool:
        """Whether the value depends on the list and on how many documents have each grade alone.

        Not so if the ideal list or a denominator counts retrieved documents only, or if unjudged
        documents leave the list, so that others move up.
        """
        rules, one = self.convention, self.measure
        fields = {"ideal": "judged", "ap_denominator": "relevant", "p_denominator": "k"}
        held = {name: getattr(one, name, None) or getattr(rules, name) for name in fields}
        denominator = getattr(one, "denominator", None)
        unjudged = getattr(one, "unjudged", None)
        unjudged = rules.unjudged if unjudged is None else unjudged
        return (
            held == fields
            and rules.unretrieved == "counted"
            and (unjudged == "nonrelevant" or isinstance(unjudged, float))
            and not rules.measures
            and denominator in (None, "relevant", "k")
        )

    def with_measure(self, measure: Measure) -> Scenarios:
        """Returns the same with another measure of the same cutoff."""
        found = copy(self)
        found.measure = measure
        found._light, found._dropped = found._split()
        return found

    def _split(self) -> tuple[Mapping[str, Mapping[str, float]], Mapping[str, list[str]]]:
        """Returns the judgments without those that cannot matter, and these by query.

        A document of grade 0 that no run has matters to none of `LIGHT`, except that its query is
        judged.
        """
        rel = getattr(self.measure, "rel", None)
        scale = self._scale
        rel = self.convention.rel if rel is None else rel
        zero = (
            self.usual
            and (rel is None or rel > 0)
            and (scale is None or (scale.relevant_from > 0 and not scale.gains.get(0.0, 0.0)))
        )
        if not zero or self.measure.name not in LIGHT:
            return self.judgments, {}
        light: dict[str, dict[str, float]] = {}
        dropped: dict[str, list[str]] = {}
        for query, grades in self.judgments.items():
            shown = {one for lists in self._lists for one in lists.get(query, ((),))[0]}
            light[query] = {one: grade for one, grade in grades.items() if grade or one in shown}
            dropped[query] = [one for one in grades if one not in light[query]]
        return light, dropped

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(self._lists)

    def values(self, asked: Iterable[Asked]) -> NDArray[np.float64]:
        """Returns the value of every run for each question; NaN where there is none."""
        import numpy as np

        rows: list[NDArray[np.float64]] = []
        batch: list[Asked] = []
        size = 0
        for one in asked:
            batch.append(one)
            size += len(self._light[one[0]]) + len(one[1])
            size += max(len(lists.get(one[0], ((),))[0]) for lists in self._lists)
            if size >= AT_ONCE:
                rows.append(self._values(batch))
                batch, size = [], 0
        if batch:
            rows.append(self._values(batch))
        return np.concatenate(rows) if rows else np.empty((0, self.runs))

    def _values(self, batch: Sequence[Asked]) -> NDArray[np.float64]:
        import numpy as np

        from relyon.evaluation import Evaluator

        names = [str(place) for place in range(len(batch))]
        queries, documents, grades = [ANCHOR], ["a"], [self._highest]
        for name, (query, changed) in zip(names, batch, strict=True):
            own = {**self._light[query], **changed}
            if any(one not in changed for one in self._dropped.get(query, ())):
                own[ANCHOR] = 0.0
            held = [(document, grade) for document, grade in own.items() if grade is not None]
            queries += [name] * len(held)
            documents += [document for document, _ in held]
            grades += [grade for _, grade in held]
        judgments = Judgments.from_arrays(queries, documents, grades, scale=self._scale)
        evaluator = Evaluator(
            judgments, convention=self.convention, scale=self._scale, threads=self._threads
        )
        found = np.full((len(batch), self.runs), math.nan)
        for column, lists in enumerate(self._lists):
            ids, results, scores, ranks = [ANCHOR], ["a"], [1.0], [1]
            for name, (query, _) in zip(names, batch, strict=True):
                if query in lists:
                    ordered, weights, places = lists[query]
                    ids += [name] * len(ordered)
                    results += ordered
                    scores += weights
                    ranks += places
            ranked = any(one[2] for one in lists.values())
            run = Run.from_arrays(ids, results, scores, ranks if ranked else None)
            values = quiet_values(evaluator, run, self.measure)
            found[:, column] = [values.get(name, math.nan) for name in names]
        return found


def quiet_values(evaluator: Evaluator, run: Run, measure: Measure) -> dict[str, float]:
    """Returns the values of queries, without notes on them.

    A query without a value has the one that counts in the mean: NaN only if it is left out.
    """
    import warnings

    from relyon.core.notes import RelyonWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelyonWarning)
        values = evaluator.evaluate(run, [measure]).values_by_query(measure)
    instead = measure.counted(evaluator.convention)
    return {query: instead if math.isnan(one) else one for query, one in values.items()}


def _lists(run: Run, queries: Iterable[str], cut: object) -> dict[str, _List]:
    """Returns the documents, scores and ranks of each query as far down as they can count."""
    found: dict[str, _List] = {}
    for query in queries:
        if query not in run:
            continue
        documents, scores, ranks = run.table.documents(query)
        ordered, weights, places = list(documents), list(scores), list(ranks or ())
        if isinstance(cut, int) and len(ordered) > cut and not places:
            # Equal scores at the cutoff all stay: the tie rule decides among them.
            least = sorted(weights, reverse=True)[cut - 1]
            kept = [place for place, score in enumerate(weights) if score >= least]
            ordered = [ordered[place] for place in kept]
            weights = [weights[place] for place in kept]
        found[query] = (ordered, weights, places)
    return found
