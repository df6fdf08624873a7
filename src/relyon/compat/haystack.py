"""Haystack: a component that evaluates retrieved documents with relyon's measures.

It takes the place of Haystack's `DocumentNDCGEvaluator` and the like: the same inputs and outputs,
any measure by its name, graded documents, and relyon's rules (`relyon.compat.ranked_lists`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from relyon.compat.ranked_lists import evaluate_lists, list_values
from relyon.core.errors import InputError, ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.data.convention import load_convention
from relyon.data.scale import load_scale
from relyon.measures.parser import measure as parse_measure

haystack = optional_package("haystack", purpose="relyon.compat.haystack", package="haystack-ai")
if TYPE_CHECKING:
    from haystack import Document, component, default_to_dict
else:
    component, default_to_dict = haystack.component, haystack.default_to_dict
    Document = haystack.Document

__all__ = ["RelevanceEvaluator"]


@component
class RelevanceEvaluator:
    """Evaluates the documents that were retrieved for each query, with one measure of relyon.

    The grade of a ground-truth document is its `score`; without scores, every one has grade 1. The
    order of the retrieved documents is their ranking; their scores are not read.

    Args:
        measure: A name such as `ndcg@10`.
        document_comparison_field: What identifies a document, as in Haystack's own evaluators:
            `content`, `id`, or `meta.KEY`, also nested, such as `meta.source.url`. Values are
            compared as text. A retrieved document without one keeps its place, unjudged.
        convention: A preset's name, a file, or a mapping of rules; see `relyon.evaluate`.
        scale: A scale's name or file; see `relyon.evaluate`.

    Raises:
        ParameterError: If the field or a rule is not one of those.
        UnknownNameError: If the measure, a preset or a scale has no such name.

    Examples:
        >>> from haystack import Document
        >>> judged = [[Document(content="Paris", score=2), Document(content="France", score=1)]]
        >>> found = [[Document(content="France"), Document(content="Paris")]]
        >>> RelevanceEvaluator("ndcg@10").run(judged, found)["individual_scores"]
        [0.8597186998521972]
    """

    def __init__(
        self,
        measure: str = "ndcg@10",
        *,
        document_comparison_field: str = "content",
        convention: str | Mapping[str, object] | None = None,
        scale: str | None = None,
    ) -> None:
        field = document_comparison_field
        if field not in {"content", "id"} and not (field.startswith("meta.") and field[5:]):
            raise ParameterError(
                message("compat.unknown-comparison-field", field=field),
                hint=message("compat.known-comparison-fields"),
            )
        self.measure = str(parse_measure(measure))
        self.document_comparison_field = field
        self.convention = dict(convention) if isinstance(convention, Mapping) else convention
        self.scale = scale
        load_convention(convention)  # an error now, not when the pipeline runs
        load_scale(scale)

    def to_dict(self) -> dict[str, Any]:
        """Returns what a pipeline stores of it."""
        stored: dict[str, Any] = default_to_dict(
            self,
            measure=self.measure,
            document_comparison_field=self.document_comparison_field,
            convention=self.convention,
            scale=self.scale,
        )
        return stored

    @component.output_types(  # type: ignore[untyped-decorator]
        score=float, individual_scores=list[float]
    )
    def run(
        self,
        ground_truth_documents: list[list[Document]],
        retrieved_documents: list[list[Document]],
    ) -> dict[str, Any]:
        """Evaluates the lists of all queries.

        Args:
            ground_truth_documents: The judged documents of each query.
            retrieved_documents: What was retrieved for each, best first; a list may be empty.

        Returns:
            `score`: the number of `relyon.evaluate`, over the queries that have a value;
            `individual_scores`: the value of each query, NaN if it is undefined or nothing is
            judged.

        Raises:
            InputError: If there are not as many lists of both, only some judged documents of a
                query have a score, or nothing is judged.
        """
        judged = [self._grades(found, place) for place, found in enumerate(ground_truth_documents)]
        retrieved = [[self._key(one) for one in found] for found in retrieved_documents]
        results = evaluate_lists(
            judged, retrieved, self.measure, convention=self.convention, scale=self.scale
        )
        return {
            "score": results[self.measure],
            "individual_scores": list_values(results, len(judged)),
        }

    def _grades(self, documents: Sequence[Document], place: int) -> dict[str, float]:
        """Returns grades by document; of copies, the highest."""
        scored = [one.score is not None for one in documents]
        if any(scored) and not all(scored):
            raise InputError(
                message("compat.some-scores", place=place + 1),
                hint=message("compat.score-all-or-none"),
            )
        grades: dict[str, float] = {}
        for one in documents:
            key, grade = self._key(one), 1.0 if one.score is None else float(one.score)
            if key is not None:
                grades[key] = max(grade, grades.get(key, grade))
        return grades

    def _key(self, document: Document) -> str | None:
        """Returns what identifies a document, or None if it lacks the field."""
        value: Any
        if self.document_comparison_field in {"content", "id"}:
            value = getattr(document, self.document_comparison_field)
        else:
            value = document.meta
            for part in self.document_comparison_field[5:].split("."):
                value = value.get(part) if isinstance(value, Mapping) else None
        return None if value is None else str(value)
