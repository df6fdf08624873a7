"""Facts about evaluated data, the input of notes; facts of parts can be added up."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relyon import _native
    from relyon.data.judgments import Judgments
    from relyon.data.labelled import LabelFacts

__all__ = ["NAMED", "RunFacts", "known", "merged", "merged_labels", "without_judgments"]

#: The number of queries that a note names.
NAMED = 3


@dataclass(frozen=True)
class RunFacts:
    """Facts about a run and its judgments.

    Attributes:
        queries: Evaluated queries.
        missing: Of those, judged queries that the run lacks.
        missing_examples: Some of them.
        unjudged: Queries of the run without judgments.
        unjudged_examples: Some of them.
        rows: Retrieved documents of judged queries.
        matched: Of those, judged documents.
        tied: Queries in which a judged document shares its score with another one.
        regrouped: Whether a query's rows were not together.
        negatives: Judgments with a grade below 0.
        highest: The highest grade; NaN without judgments.
        fractions: Grades between 0 and 1.
        lowest: Returns the lowest grade, or one below 1.
        subtopics: Whether a query is judged on more than one subtopic.
        overlapping: Documents that are judged on more than one subtopic of a query.
        evidence: The columns of evidence that the judgments have.
        skipped: Judged queries that the run lacks and the convention leaves out.
        skipped_examples: Some of them.
        passages: Whether the judgments are of passages.
    """

    queries: int
    missing: int
    missing_examples: tuple[str, ...]
    unjudged: int
    unjudged_examples: tuple[str, ...]
    rows: int
    matched: int
    tied: int
    regrouped: bool
    negatives: int
    highest: float
    fractions: int
    lowest: Callable[[], float]
    subtopics: bool
    overlapping: int
    evidence: tuple[str, ...] = ()
    skipped: int = 0
    skipped_examples: tuple[str, ...] = ()
    passages: bool = False

    @classmethod
    def of(cls, batch: _native.Batch, judgments: Judgments) -> RunFacts:
        """Returns the facts about an evaluated run."""
        table = judgments.table
        queries = batch.queries
        skipped = _skipped(judgments, queries)
        return cls(
            queries=len(queries),
            missing=batch.missing,
            missing_examples=tuple(queries[-batch.missing :][:NAMED] if batch.missing else ()),
            unjudged=batch.unjudged_queries,
            unjudged_examples=tuple(batch.unjudged_examples[:NAMED]),
            rows=batch.rows,
            matched=batch.matched,
            tied=batch.tied,
            regrouped=batch.regrouped,
            negatives=table.negatives,
            highest=table.highest,
            fractions=table.fractions,
            lowest=lambda: _lowest(table),
            subtopics=table.has_subtopics,
            overlapping=table.overlapping,
            evidence=() if judgments.evidence is None else tuple(judgments.evidence.columns),
            skipped=len(skipped),
            skipped_examples=tuple(skipped[:NAMED]),
            passages=judgments.passages is not None,
        )


def _skipped(judgments: Judgments, evaluated: Sequence[str]) -> list[str]:
    """Returns the judged queries that were not evaluated."""
    judged = judgments.queries
    if len(judged) == len(evaluated):
        return []
    known = set(evaluated)
    return [query for query in judged if query not in known]


def _lowest(table: _native.JudgmentTable) -> float:
    """Returns the lowest grade, or the first that is found below the default threshold."""
    lowest = math.inf
    for query in table.queries():
        lowest = min(lowest, *table.grades(query).values())
        if lowest < 1:
            break
    return lowest


def known(value: float) -> Callable[[], float]:
    """Returns a function that returns a number, and can be pickled."""
    return partial(float, value)


def merged(parts: Sequence[RunFacts]) -> RunFacts:
    """Returns the facts of a whole from those of parts that share no query."""

    def total(name: str) -> int:
        return sum(getattr(part, name) for part in parts)

    def examples(name: str) -> tuple[str, ...]:
        return tuple(sorted({one for part in parts for one in getattr(part, name)})[:NAMED])

    return RunFacts(
        queries=total("queries"),
        missing=total("missing"),
        missing_examples=examples("missing_examples"),
        unjudged=total("unjudged"),
        unjudged_examples=examples("unjudged_examples"),
        rows=total("rows"),
        matched=total("matched"),
        tied=total("tied"),
        regrouped=any(part.regrouped for part in parts),
        negatives=total("negatives"),
        highest=max(
            (part.highest for part in parts if not math.isnan(part.highest)), default=math.nan
        ),
        fractions=total("fractions"),
        lowest=known(min((part.lowest() for part in parts), default=math.inf)),
        subtopics=any(part.subtopics for part in parts),
        overlapping=total("overlapping"),
        evidence=tuple(dict.fromkeys(one for part in parts for one in part.evidence)),
        skipped=total("skipped"),
        skipped_examples=examples("skipped_examples"),
        passages=any(part.passages for part in parts),
    )


def without_judgments(facts: RunFacts) -> RunFacts:
    """Returns the facts about a run alone, if its judgments are counted elsewhere."""
    return replace(
        facts,
        negatives=0,
        highest=math.nan,
        fractions=0,
        lowest=known(math.inf),
        subtopics=False,
        overlapping=0,
        evidence=(),
        skipped=0,
        skipped_examples=(),
    )


def merged_labels(parts: Sequence[LabelFacts]) -> LabelFacts:
    """Returns the facts about the labels of a whole from those of its parts."""
    from relyon.data.labelled import LabelFacts

    filled = [part for part in parts if not math.isnan(part.highest)]
    return LabelFacts(
        max((part.highest for part in filled), default=math.nan),
        sum(part.fractions for part in parts),
        sum(part.negatives for part in parts),
        min((part.lowest for part in filled), default=math.nan),
    )
