"""The measures of groups of queries, next to those of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from relyon.analysis.comparison.query_groups import QueryGroup, group_queries
from relyon.data.judgments import Judgments
from relyon.data.run import Run
from relyon.evaluation import Evaluator

if TYPE_CHECKING:
    from relyon.measures.definition import Measure

__all__ = ["Groups"]


class Groups:
    """Judgments by group: each group is evaluated as if there were no other query.

    Args:
        groups: The group of each query; more than 50, or one per query, are refused.
        evaluator: All judgments, with their rules.
    """

    def __init__(self, groups: Mapping[Any, Any], evaluator: Evaluator) -> None:
        self._evaluators: dict[str, Evaluator] = {}
        if not groups:
            return
        values = {str(query): str(value) for query, value in groups.items()}
        judged = evaluator.judgments
        for one in group_queries("groups", values, judged.queries):
            grades = {query: judged.subtopics(query) or judged[query] for query in one.queries}
            part = Judgments.from_dict(grades, scale=judged.scale)
            self._evaluators[label(one)] = Evaluator(
                part, convention=evaluator.convention, scale=evaluator.scale
            )

    def values(
        self, run: Mapping[str, Mapping[str, float]], measures: Sequence[Measure]
    ) -> dict[str, float]:
        """Returns `{MEASURE[GROUP]: value}`."""
        found: dict[str, float] = {}
        for name, evaluator in self._evaluators.items():
            part = {query: run[query] for query in evaluator.judgments.queries if query in run}
            results = evaluator.evaluate(Run.from_dict(part), measures)
            found |= {f"{key}[{name}]": value for key, value in results.items()}
        return found


def label(group: QueryGroup) -> str:
    """Returns the name of a group: its value, or `(others)` and `(none)`.

    Examples:
        >>> label(QueryGroup("value", "zh", ("q1",))), label(QueryGroup("none", "", ("q2",)))
        ('zh', '(none)')
    """
    return group.value if group.kind == "value" else f"({group.kind})"
