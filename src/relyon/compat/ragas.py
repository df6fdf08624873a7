"""ragas: a metric on the ids of retrieved contexts, with graded labels and relyon's measures.

It needs no language model: it compares `retrieved_context_ids` with `reference_context_ids`, whose
order it reads, unlike ragas's own metrics of ids. The rules of lists are those of
`relyon.compat.ranked_lists`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from relyon.compat.ranked_lists import ListMeasure, grades_of, text_id
from relyon.core.errors import InputError
from relyon.core.packages import optional_package
from relyon.core.texts import message

if TYPE_CHECKING:
    from ragas import SingleTurnSample
    from ragas.metrics.base import MetricType, SingleTurnMetric
    from ragas.metrics.collections.base import BaseMetric
    from ragas.metrics.result import MetricResult
else:
    # ragas 0.4.3 imports what newer versions of langchain-community do not have.
    MISSING = "langchain-community<0.4.2" if find_spec("ragas") else "ragas"
    _base = optional_package("ragas.metrics.base", purpose="relyon.compat.ragas", install=MISSING)
    SingleTurnMetric, MetricType = _base.SingleTurnMetric, _base.MetricType
    BaseMetric = import_module("ragas.metrics.collections.base").BaseMetric
    MetricResult = import_module("ragas.metrics.result").MetricResult

__all__ = ["RelevanceMetric", "RelevanceScore"]

FIELDS = ("retrieved_context_ids", "reference_context_ids")


class RelevanceMetric(SingleTurnMetric):  # type: ignore[misc]
    """A metric for `ragas.evaluate`: any measure of relyon.

    The order of the retrieved ids is their ranking. ragas averages the values of its samples itself
    and leaves out those that are NaN.

    Args:
        measure: A name such as `ndcg@10`.
        grades: Grades by `user_input` and id; without it, every reference id has grade 1. With it,
            every sample and every reference id needs a grade, and the others that are graded count,
            too.
        convention: A preset's name, a file, or a mapping of rules; see `relyon.evaluate`.
        scale: A scale's name or file; see `relyon.evaluate`.
        name: The metric's name in ragas; by default the measure's canonical name.

    Raises:
        ParameterError: If a rule is invalid, or the measure needs a scale, as ERR does.
        UnknownNameError: If the measure, a preset or a scale has no such name.

    Examples:
        >>> from ragas import SingleTurnSample
        >>> sample = SingleTurnSample(
        ...     retrieved_context_ids=["x", "a"], reference_context_ids=["a"]
        ... )
        >>> RelevanceMetric("rr").single_turn_score(sample)
        0.5
    """

    def __init__(
        self,
        measure: str = "ndcg@10",
        *,
        grades: Mapping[str, Mapping[str | int, float]] | None = None,
        convention: str | Mapping[str, object] | None = None,
        scale: str | None = None,
        name: str = "",
    ) -> None:
        self._measure = ListMeasure(measure, convention=convention, scale=scale)
        self._grades = grades
        asked = {*FIELDS} | ({"user_input"} if grades is not None else set())
        super().__init__(
            name=name or self._measure.name, _required_columns={MetricType.SINGLE_TURN: asked}
        )

    def init(self, run_config: Any) -> None:
        """Needs nothing; ragas calls it."""

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any) -> float:
        """Returns the value of one sample; NaN if it is undefined or has no reference.

        Raises:
            InputError: If the sample lacks ids, or a grade is missing or cannot be used.
        """
        for name in FIELDS:
            if getattr(sample, name) is None:
                raise InputError(
                    message("compat.sample-without-ids", field=name),
                    hint=message("compat.give-both-ids"),
                )
        judged = grades_of(sample.reference_context_ids, self._grades, sample.user_input)
        return self._measure(judged, [text_id(one) for one in sample.retrieved_context_ids])


class RelevanceScore(BaseMetric):  # type: ignore[misc]
    """A metric for ragas's `@experiment`: any measure of relyon.

    Arguments and errors are those of `RelevanceMetric`.

    Examples:
        >>> score = RelevanceScore("rr")
        >>> score.score(retrieved_context_ids=["x", "a"], reference_context_ids=["a"]).value
        0.5
    """

    def __init__(
        self,
        measure: str = "ndcg@10",
        *,
        grades: Mapping[str, Mapping[str | int, float]] | None = None,
        convention: str | Mapping[str, object] | None = None,
        scale: str | None = None,
        name: str = "",
    ) -> None:
        self._measure = ListMeasure(measure, convention=convention, scale=scale)
        self._grades = grades
        super().__init__(name=name or self._measure.name, allowed_values=(-math.inf, math.inf))

    async def ascore(
        self,
        retrieved_context_ids: Sequence[str | int],
        reference_context_ids: Sequence[str | int],
        user_input: str | None = None,
    ) -> MetricResult:
        """Returns the value of one query; NaN if it is undefined or has no reference.

        Args:
            retrieved_context_ids: What was retrieved, best first.
            reference_context_ids: What answers the query.
            user_input: The query's text; needed with `grades`.

        Raises:
            InputError: If an id or a grade cannot be used, or a grade is missing.
        """
        judged = grades_of(reference_context_ids, self._grades, user_input)
        value = self._measure(judged, [text_id(one) for one in retrieved_context_ids])
        return MetricResult(value=value, reason=self._measure.definition)
