"""The subject of an explanation: one query, one measure, and the query's judgments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.registry import suggestion
from relyon.core.texts import Language, message
from relyon.data.convention import Convention
from relyon.data.ranking import Ranking
from relyon.data.run import Run
from relyon.data.scale import Scale, load_scale
from relyon.io import read_judgments, read_run
from relyon.measures.definition import Measure
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    from relyon.data.judged_passages import JudgedPassages
    from relyon.data.traces import Traces

__all__ = ["Subject"]


@dataclass(frozen=True)
class Subject:
    """One query and one measure.

    Attributes:
        query: The query's id.
        asked: The measure as requested.
        grades: Grades of the query's judged documents.
        subtopics: The same by document and subtopic; empty if the judgments have no subtopics.
        judged: Whether the judgments (or the other run) contain the query.
        highest: The highest grade in all judgments.
        scale: The grade scale.
        reference: The run that replaces judgments, for overlap and the like.
        names_in: The language of grades written as names, `None` for numbers.
        passages: The judged passages of all queries, if documents are chunks.
    """

    query: str
    asked: Measure
    grades: Mapping[str, float]
    subtopics: Mapping[str, Mapping[str, float]]
    judged: bool
    highest: float
    scale: Scale | None
    reference: Run | None
    names_in: Language | None = None
    passages: JudgedPassages | None = None

    @classmethod
    def of(
        cls,
        judgments: object,
        runs: Sequence[Run | Traces],
        query: str,
        measure: str | Measure,
        scale: Scale | str | None,
    ) -> Subject:
        """Looks up a query.

        Raises:
            UnknownNameError: If neither the judgments nor a run, or traces, have the query.
        """
        query = str(query)
        chosen = load_scale(scale)
        asked = parse_measure(measure)
        grades: dict[str, float] = {}
        subtopics: dict[str, dict[str, float]] = {}
        highest = math.nan
        reference = None
        names_in: Language | None = None
        passages: JudgedPassages | None = None
        if asked.needs == "reference":
            reference = judgments if isinstance(judgments, Run) else read_run(judgments)
            held = query in reference.table
        else:
            table = read_judgments(judgments, scale=chosen)
            chosen = chosen or table.scale
            names_in = table.names_in
            passages = table.passages
            held = query in table.table
            grades = table.table.grades(query) if held else {}
            subtopics = table.table.subtopics(query) if held else {}
            highest = table.table.highest
        if not held and not any(query in run for run in runs):
            known = [*runs[0]]
            raise UnknownNameError(
                message("analysis.no-query", query=query),
                hint=(
                    suggestion(query, known)
                    if len(known) < 20
                    else message(
                        "analysis.run-has-known", known=[f"`{name}`" for name in known[:5]]
                    )
                ),
            )
        return cls(
            query,
            asked,
            grades,
            subtopics,
            held,
            highest,
            chosen,
            reference,
            names_in,
            passages if held else None,
        )

    def resolve(self, rules: Convention) -> Measure:
        """Returns the measure with all parameters filled in."""
        return self.asked.resolve(rules, self.scale, self.highest)

    def ranking(self, run: Run, rules: Convention) -> Ranking:
        """Returns the query's documents in one order.

        Raises:
            ParameterError: If ties are averaged over: no single order explains the value.
        """
        if rules.ties == "expected":
            rules = self._one_order(run, rules)
        reference: tuple[str, ...] = ()
        if self.reference is not None:
            other = self._order(self.reference, {}, rules)
            reference = tuple(entry.document for entry in other)
        return replace(self._order(run, self.grades, rules), reference=reference)

    def _one_order(self, run: Run, rules: Convention) -> Convention:
        """Returns rules with a single order, if no documents have equal scores.

        Raises:
            ParameterError: If some have.
        """
        down, up = (rules.replace(ties=ties) for ties in ("doc-desc", "doc-asc"))
        if tuple(self._order(run, {}, down)) != tuple(self._order(run, {}, up)):
            raise ParameterError(
                message("analysis.ties-expected-averages-over"),
                hint=message("analysis.choose-one-order"),
            )
        return down

    def _order(self, run: Run, grades: Mapping[str, float], rules: Convention) -> Ranking:
        documents, scores, ranks = (
            run.table.documents(self.query) if self.query in run.table else ([], [], None)
        )
        return Ranking.build(
            grades,
            documents,
            scores,
            rules,
            ranks=ranks,
            query=self.query,
            graded=self.subtopics if grades else None,
            passages=self.passages,
        )

    def grade(self, grade: float | None) -> str:
        """Returns a grade as text, with its name if the scale has one."""
        if grade is None:
            return "-"
        if self.scale is not None and self.scale.levels:
            return f"{self.scale.label(grade)} ({grade:g})"
        return f"{grade:g}"
