"""From judgments, runs and what is known of queries to the answers of each system."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.analysis.abstention.answers import Answers
from relyon.core.errors import InputError
from relyon.core.notes import Note, RelyonWarning
from relyon.core.texts import message
from relyon.measures.parser import measure

if TYPE_CHECKING:
    from relyon.data.run import Run
    from relyon.evaluation import Evaluator

__all__ = ["Known", "known_queries", "system_answers"]

#: Ids that a note or an error names.
NAMED = 3


@dataclass(frozen=True)
class Known:
    """What is known of the queries.

    Attributes:
        answerable: Whether each query has an answer, by id in order.
        relevant: The queries with a relevant document.
        notes: What was noticed.
    """

    answerable: Mapping[str, bool]
    relevant: frozenset[str]
    notes: tuple[Note, ...] = field(default=())


def known_queries(
    evaluator: Evaluator, runs: Sequence[Run], given: Mapping[str, bool], k: int
) -> Known:
    """Returns which queries have an answer: by their own value, or by a relevant document.

    A query without both is unknown and left out; missing judgments show nothing.

    Args:
        evaluator: The judgments and rules.
        runs: The runs, whose queries may be unknown.
        given: The values.
        k: The cutoff of right answers.

    Raises:
        InputError: If a query without an answer has a relevant document, or there is none without
            an answer, or none with one.
    """
    table = evaluator.judgments.table
    rule = measure(f"success@{k}").resolve(evaluator.convention, evaluator.scale, table.highest)
    least = getattr(rule, "rel", 1.0)
    relevant = frozenset(
        query
        for query in evaluator.judgments.queries
        if any(grade >= least for grade in table.grades(query).values())
    )
    both = sorted(query for query in relevant if given.get(query) is False)
    if both:
        raise InputError(
            message("analysis.unanswerable-has-relevant", count=len(both), names=both[:NAMED]),
            path=evaluator.judgments.path,
            hint=message("analysis.mend-answerable"),
        )
    judged = relevant - given.keys()
    answerable = {query: given.get(query, True) for query in sorted(relevant | given.keys())}
    asked = {query for run in runs for query in run.queries} | {*evaluator.judgments.queries}
    unknown = sorted(asked - answerable.keys())
    without = sorted(query for query, yes in answerable.items() if yes and query not in relevant)
    notes = []
    for kind, names in (
        ("answerable-unknown", unknown),
        ("answerable-by-judgments", sorted(judged)),
        ("answerable-without-relevant", without),
    ):
        if names:
            notes.append(Note(kind, len(names), examples=tuple(names[:NAMED])))
    return Known(answerable, relevant, tuple(notes))


def system_answers(
    evaluator: Evaluator,
    run: Run,
    system: str,
    known: Known,
    k: int,
    stated: Mapping[str, float] | None,
) -> Answers:
    """Returns the answers of one system.

    Args:
        evaluator: The judgments and rules.
        run: Its run.
        system: Its name.
        known: What is known of the queries.
        k: A right answer has a relevant document among the first k.
        stated: The confidence of each answer, in place of the top score; a query without one is
            not answered.

    Raises:
        InputError: If the run has no scores and no confidence is stated.
    """
    import numpy as np

    if stated is None and any(note.kind == "scores-from-ranks" for note in run.notes):
        raise InputError(
            message("analysis.ranks-are-no-confidence", system=system),
            path=run.path,
            hint=message("analysis.state-answer-score"),
        )
    if stated is None:
        tops = run.to_frame().group_by("query").max()
        scores = dict(zip(tops["query"].to_list(), tops["score"].to_list(), strict=True))
    else:
        scores = dict(stated)
    queries = tuple(known.answerable)
    returned = set(run.queries)
    right = _right(evaluator, run, k)
    none = -math.inf
    return Answers(
        system,
        queries,
        np.array([known.answerable[query] for query in queries], dtype=bool),
        # Without a result there is nothing to show, however confident a system says to be.
        np.array([scores.get(query, none) if query in returned else none for query in queries]),
        np.array(
            [
                0.0
                if not known.answerable[query]
                else right.get(query, 0.0)
                if query in known.relevant
                else math.nan
                for query in queries
            ]
        ),
    )


def _right(evaluator: Evaluator, run: Run, k: int) -> dict[str, float]:
    """Returns whether each judged query has a relevant document among the first k."""
    if not any(query in run for query in evaluator.judgments.queries):
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelyonWarning)  # the evaluation itself issues them
        found = evaluator.evaluate(run, [f"success@{k}"])
    values = found.values_by_query(f"success@{k}")
    return {query: 0.0 if math.isnan(value) else value for query, value in values.items()}
