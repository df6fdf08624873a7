"""Measures of ranked lists of ids, which programs that answer questions keep without scores.

The rules that all of them share:

- The order of a list is its ranking; scores are not read.
- A document that a list repeats counts once, where it comes first. The repeat keeps its place, as
  it does in what a model reads, and counts as an unjudged document.
- An empty list was searched and found nothing: it counts 0, as in `relyon.evaluate`.
- A list without a single judged document has no value (NaN), for nothing is known about it.
- Reference documents without a grade have grade 1; all others are unjudged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import warn
from relyon.core.texts import message
from relyon.data.convention import Convention, load_convention
from relyon.data.judgments import Judgments
from relyon.data.scale import Scale, load_scale
from relyon.evaluation import Evaluator, Program, Results
from relyon.evaluation.assembly import number, refuse_undefined
from relyon.evaluation.notes import refuse_large_grades, threshold_notes
from relyon.evaluation.sources import evaluate_run
from relyon.measures.parser import measure as parse_measure

__all__ = ["ListMeasure", "evaluate_lists", "grades_of", "list_values", "text_id"]

Rules = Convention | str | Mapping[str, object] | None
#: The id of the query where there is one only.
ONE = "1"


def text_id(value: object) -> str:
    """Returns a document's id as text: 7 and "7" are one document.

    Raises:
        InputError: If it is neither text nor a whole number.

    Examples:
        >>> text_id(7), text_id("文档7")
        ('7', '文档7')
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(
            message("compat.bad-document-id", value=value, kind=type(value).__name__),
            hint=message("compat.give-document-ids"),
        )
    return str(value)


def grades_of(
    reference: Iterable[object],
    known: Mapping[str, Mapping[Any, float]] | None = None,
    query: str | None = None,
) -> dict[str, float]:
    """Returns the grades of reference documents: 1 each, or those that are known for the query.

    Args:
        reference: The ids of the documents that answer the query.
        known: Grades by the query's text and the document's id, or None.
        query: The query's text; needed if grades are known.

    Raises:
        InputError: If grades are known, but not those of the query or of a reference document: a
            mixture of real grades and ones would be a measure of nothing.

    Examples:
        >>> grades_of(["a", "b"])
        {'a': 1.0, 'b': 1.0}
        >>> grades_of(["a"], {"cheap flights": {"a": 3, "z": 0}}, "cheap flights")
        {'a': 3, 'z': 0}
    """
    ids = [text_id(one) for one in reference]
    if known is None:
        return dict.fromkeys(ids, 1.0)
    if query is None or query not in known:
        raise InputError(
            message("compat.query-without-grades", query=query),
            hint=message("compat.grade-every-query"),
        )
    found = {text_id(document): grade for document, grade in known[query].items()}
    for one in ids:
        if one not in found:
            raise InputError(
                message("compat.reference-without-grade", query=query, document=one),
                hint=message("compat.grade-every-reference"),
            )
    return found


def evaluate_lists(
    judged: Sequence[Mapping[str, float]],
    retrieved: Sequence[Sequence[str | None]],
    measure: str,
    *,
    convention: Rules = None,
    scale: Scale | str | None = None,
) -> Results:
    """Evaluates the lists of several queries, as `relyon.evaluate` does.

    Args:
        judged: The grades of each query, by document.
        retrieved: The ids that were retrieved for each query, best first; None for a document that
            cannot be in the judgments, which keeps its place.
        measure: One name such as `ndcg@10`.
        convention: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.

    Returns:
        The results. The queries are numbered from 1, and one without grades is not among them.

    Raises:
        InputError: If there are not as many lists as queries, or a grade cannot be used.
        UnknownNameError: If the measure, a preset or a scale has no such name.

    Examples:
        >>> found = evaluate_lists([{"a": 1.0}, {"b": 2.0}], [["x", "a"], []], "rr")
        >>> found["rr"], found.values_by_query("rr")
        (0.25, {'1': 0.5, '2': 0.0})
    """
    if len(judged) != len(retrieved):
        raise InputError(
            message("compat.lists-differ", judged=len(judged), retrieved=len(retrieved)),
            hint=message("compat.give-one-list-per-query"),
        )
    pairs = list(enumerate(zip(judged, retrieved, strict=True), 1))
    judgments = {str(place): grades for place, (grades, _) in pairs if grades}
    run = {str(place): _scores(grades, found) for place, (grades, found) in pairs if grades}
    evaluator = Evaluator(Judgments.from_dict(judgments), convention=convention, scale=scale)
    return evaluator.evaluate(run, [parse_measure(measure)], name="retrieved")


def list_values(results: Results, count: int) -> list[float]:
    """Returns the value of each of `count` lists; NaN if it is undefined or nothing was judged.

    Args:
        results: What `evaluate_lists` returned for them.
        count: The number of lists.
    """
    (name,) = results
    known = results.values_by_query(name)
    return [known.get(str(place), math.nan) for place in range(1, count + 1)]


class ListMeasure:
    """One measure of one list at a time, for programs that average the values themselves.

    Args:
        measure: A name such as `ndcg@10`.
        convention: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.

    Attributes:
        name: The measure's canonical name.
        definition: The measure with all its parameters.
        convention: The rules.

    Raises:
        ParameterError: If the measure depends on the highest grade of all judgments, as ERR does,
            and neither a scale nor its name says which that is: each list would get another; or if
            it needs subtopics.
        UnknownNameError: If the measure, a preset or a scale has no such name.

    Examples:
        >>> ndcg = ListMeasure("NDCG@10")
        >>> ndcg.name, round(ndcg({"a": 3, "b": 2}, ["b", "a"]), 10)
        ('ndcg@10', 0.9134015925)
        >>> ndcg({"a": 1}, ["a", "a"])
        1.0
    """

    def __init__(
        self, measure: str, *, convention: Rules = None, scale: Scale | str | None = None
    ) -> None:
        self._asked = parse_measure(measure)
        self.name = str(self._asked)
        self.convention = load_convention(convention)
        self._scale = load_scale(scale)
        low, high = (self._program(highest).resolved[0] for highest in (1.0, 2.0))
        if low != high:
            raise ParameterError(
                message("compat.needs-highest-grade", measure=self.name),
                hint=message("compat.give-scale-or-max", measure=str(high)),
            )
        if self._asked.needs_subtopics:
            raise ParameterError(
                message("compat.needs-subtopics-of-lists", measure=self.name),
                hint=message("compat.evaluate-files-instead"),
            )
        self._program(1.0).check_inputs(False)
        self.definition = str(low)

    def _program(self, highest: float) -> Program:
        return Program.compile([self._asked], self.convention, self._scale, None, highest)

    def __call__(self, judged: Mapping[str, float], retrieved: Sequence[str | None]) -> float:
        """Returns the value of one list; NaN if it is undefined or nothing is judged.

        Args:
            judged: The grades by document.
            retrieved: The ids, best first; None for a document that cannot be judged.

        Raises:
            InputError: If a grade cannot be used, or the rule is `undefined=error` and there is no
                value.
        """
        if not judged:
            return math.nan
        judgments = Judgments.from_dict({ONE: judged}, scale=self._scale)
        highest = judgments.table.highest
        program = self._program(highest)
        refuse_large_grades(program, highest)
        run = {ONE: _scores(judged, retrieved)}
        _, columns, _ = evaluate_run(judgments, program, run, 1)
        column = columns[self.name]
        refuse_undefined(program, columns, [ONE])
        warn(threshold_notes(program, highest, judgments.table.fractions), self.name)
        return number(program.resolved[0], program.forms[0], column.total, self.convention)


def _scores(judged: Mapping[str, float], retrieved: Sequence[str | None]) -> dict[str, float]:
    """Returns scores that rank a list as it is; what repeats gets an id that nothing else has."""
    taken = {*judged, *retrieved}
    others = (one for one in (f"repeat-{number}" for number in count(1)) if one not in taken)
    scores: dict[str, float] = {}
    for place, document in enumerate(retrieved):
        fresh = document is None or document in scores
        scores[next(others) if fresh else str(document)] = float(len(retrieved) - place)
    return scores
