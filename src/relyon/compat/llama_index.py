"""LlamaIndex: retrieval metrics with graded labels and relyon's measures.

`RetrieverEvaluator(metrics=[RelevanceMetric(measure="ndcg@10")], …)` takes them as they are;
`register("ndcg@10")` makes their names known to `RetrieverEvaluator.from_metric_names`. The rules
of lists are those of `relyon.compat.ranked_lists`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relyon.compat.ranked_lists import ListMeasure, grades_of, text_id
from relyon.core.errors import ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import message

if TYPE_CHECKING:
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.evaluation.retrieval.metrics import METRIC_REGISTRY
    from llama_index.core.evaluation.retrieval.metrics_base import (
        BaseRetrievalMetric,
        RetrievalMetricResult,
    )
else:
    HERE, PIP = "relyon.compat.llama_index", "llama-index-core"
    _metrics = optional_package(
        "llama_index.core.evaluation.retrieval.metrics", purpose=HERE, package=PIP
    )
    _pydantic = optional_package("llama_index.core.bridge.pydantic", purpose=HERE, package=PIP)
    Field, PrivateAttr = _pydantic.Field, _pydantic.PrivateAttr
    METRIC_REGISTRY = _metrics.METRIC_REGISTRY
    BaseRetrievalMetric = _metrics.BaseRetrievalMetric
    RetrievalMetricResult = _metrics.RetrievalMetricResult

__all__ = ["RelevanceMetric", "register"]


class RelevanceMetric(BaseRetrievalMetric):  # type: ignore[misc]
    """A retrieval metric: any measure of relyon.

    The order of the retrieved ids is their ranking. LlamaIndex averages the values of its queries
    itself.

    Attributes:
        measure: A name such as `ndcg@10`. It is the metric's name.
        grades: Grades by the query's text and the id of a node; without it, every expected id has
            grade 1. With it, every query and every expected id needs a grade, and the others that
            are graded count, too.
        convention: A preset's name, a file, or a mapping of rules; see `relyon.evaluate`.
        scale: A scale's name or file; see `relyon.evaluate`.

    Raises:
        ParameterError: If a rule is invalid, or the measure needs a scale, as ERR does.
        UnknownNameError: If the measure, a preset or a scale has no such name.

    Examples:
        >>> metric = RelevanceMetric(measure="ndcg@10")
        >>> metric.compute(expected_ids=["a"], retrieved_ids=["a", "a"]).score
        1.0
    """

    measure: str = Field(default="ndcg@10", description="A measure of relyon")
    grades: dict[str, dict[str, float]] | None = Field(default=None, description="Grades")
    convention: str | dict[str, Any] | None = Field(default=None, description="Rules of relyon")
    scale: str | None = Field(default=None, description="A scale of grades of relyon")
    _measure: ListMeasure = PrivateAttr()

    def __init__(self, **fields: Any) -> None:
        super().__init__(**fields)
        self._measure = ListMeasure(self.measure, convention=self.convention, scale=self.scale)

    @property
    def metric_name(self) -> str:
        """The measure's canonical name."""
        return self._measure.name

    def compute(
        self,
        query: str | None = None,
        expected_ids: list[str] | None = None,
        retrieved_ids: list[str] | None = None,
        expected_texts: list[str] | None = None,
        retrieved_texts: list[str] | None = None,
        **kwargs: Any,
    ) -> RetrievalMetricResult:
        """Returns the value of one query; LlamaIndex calls it.

        Args:
            query: The query's text; needed with `grades`.
            expected_ids: The ids of the nodes that answer it. Without any the value is NaN.
            retrieved_ids: What was retrieved, best first. Nothing counts 0, where LlamaIndex's own
                metrics raise an error and end the evaluation.
            expected_texts: Not read.
            retrieved_texts: Not read.
            **kwargs: Not read.

        Raises:
            InputError: If a grade is missing or cannot be used.
        """
        judged = grades_of(expected_ids or (), self.grades, query)
        found = [text_id(one) for one in retrieved_ids or ()]
        return RetrievalMetricResult(
            score=self._measure(judged, found), metadata={"measure": self._measure.definition}
        )


def register(
    *measures: str, convention: str | dict[str, Any] | None = None, scale: str | None = None
) -> list[str]:
    """Makes measures known to `RetrieverEvaluator.from_metric_names` under their canonical names.

    Args:
        *measures: Names such as `ndcg@10`. LlamaIndex's own names (`mrr`, `ndcg`, `precision` …)
            stay its own: give a cutoff, or another name of the measure.
        convention: See `RelevanceMetric`.
        scale: See `RelevanceMetric`.

    Returns:
        The names.

    Raises:
        ParameterError: If LlamaIndex has a metric of its own by that name.

    Examples:
        >>> register("NDCG@10", "recall@5")
        ['ndcg@10', 'recall@5']
    """
    found = []
    for measure in measures:
        name = RelevanceMetric(measure=measure, convention=convention, scale=scale).metric_name
        own = METRIC_REGISTRY.get(name)
        if own is not None and not issubclass(own, RelevanceMetric):
            raise ParameterError(
                message("compat.metric-name-is-theirs", name=name),
                hint=message("compat.give-the-metric-itself", name=name),
            )
        METRIC_REGISTRY[name] = _with(measure=name, convention=convention, scale=scale)
        found.append(name)
    return found


def _with(**fields: Any) -> type[RelevanceMetric]:
    """Returns the metric as a class that needs no arguments, as LlamaIndex's registry has them."""

    class Registered(RelevanceMetric):
        def __init__(self, **given: Any) -> None:
            super().__init__(**(fields | given))

    return Registered
