"""Notes about systems, their scores and their thresholds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.core.notes import Note, shared_notes

if TYPE_CHECKING:
    from relyon.analysis.abstention.answers import Answers
    from relyon.analysis.abstention.facts import AbstentionFacts
    from relyon.analysis.abstention.system import SystemAbstention

__all__ = ["abstention_notes", "ranking_notes"]

#: From this share of equal scores on, a threshold separates few answers.
MOSTLY_EQUAL = 0.5


def abstention_notes(found: AbstentionFacts, tuned: Sequence[Answers | None]) -> list[Note]:
    """Returns the notes about the numbers.

    Args:
        found: The result.
        tuned: Of each system, the answers on which its threshold was chosen; None for parts.
    """
    notes: list[Note] = []
    if found.rules.base_rate is None:
        notes.append(Note("base-rate-of-test-set", values={"share": found.choice.base_rate}))
    chosen = found.unanswerable
    if tuned[0] is not None:
        chosen = int((~tuned[0].answerable).sum())
    elif found.crossed:
        chosen = round(found.unanswerable * (1 - 1 / found.rules.folds))
    if found.choice.rule == "target" and (chosen + 1) * found.choice.value < 1:
        values = {"target": found.choice.value, "rate": 1 / (chosen + 1)}
        notes.append(Note("few-unanswerable", found.unanswerable, "warning", values=values))
    own = (
        (one.system, [*_of_system(one, answers)])
        for one, answers in zip(found.systems, tuned, strict=True)
    )
    if len(found.systems) == 1:
        return [*notes, *(note for _, ours in own for note in ours)]
    return [*notes, *shared_notes(own)]


def _of_system(one: SystemAbstention, tuned: Answers | None) -> Iterator[Note]:
    import numpy as np

    answers = one.outcomes.answers
    count = len(answers.queries)
    if one.unanswered:
        level = "warning" if 2 * one.unanswered > count else "info"
        examples = [
            query
            for query, score in zip(answers.queries, answers.scores, strict=True)
            if math.isinf(score)
        ]
        yield Note(
            "unanswered-queries",
            one.unanswered,
            level,  # type: ignore[arg-type]
            tuple(examples[:3]),
        )
    unanswerable = answers.scores[~answers.answerable]
    if np.isneginf(unanswerable).all() and one.unanswered < count:
        yield Note("no-unanswerable-asked", len(unanswerable), "warning")
    given = count - one.unanswered
    if given > 1 and answers.most_equal > MOSTLY_EQUAL * given:
        yield Note("top-scores-equal", answers.most_equal, "warning", values={"total": given})
    if math.isnan(one.threshold):
        yield Note("no-threshold", level="warning")
    elif math.isinf(one.threshold):
        yield Note("answers-nothing", level="warning")
    elif tuned is not None or len(set(one.thresholds)) == 1:
        finite = answers.scores[np.isfinite(answers.scores)]
        if len(finite) and not finite.min() <= one.threshold <= finite.max():
            values = {"threshold": one.threshold, "low": finite.min(), "high": finite.max()}
            yield Note("threshold-outside-scores", level="warning", values=values)


def ranking_notes(
    notes: Sequence[Note], judged: Sequence[str], unjudged: Mapping[str, Sequence[str]]
) -> tuple[Note, ...]:
    """Returns the notes of an evaluation, with queries without an answer named once.

    They have no relevant document, so that ranking measures have no value for them. The notes about
    queries without judgments and without a value no longer count them.

    Args:
        notes: The notes.
        judged: Those of the queries without an answer that are judged.
        unjudged: By run, those that it has and that are not judged; a note about no run in
            particular is about the first.
    """
    kept: list[Note] = []
    counted = False
    for note in notes:
        alone = unjudged.get(note.run) or next(iter(unjudged.values()), ())
        if note.kind == "unjudged-queries":
            examples = tuple(one for one in note.examples if one not in alone)
            if note.count > len(alone):
                kept.append(replace(note, count=note.count - len(alone), examples=examples))
        elif note.key == "undefined-queries.skip":
            if note.count > len(judged):
                kept.append(replace(note, count=note.count - len(judged)))
        else:
            counted |= note.key in ("undefined-queries.zero", "undefined-queries.one")
            kept.append(note)
    # What the convention counts, its own note says.
    left = {query for queries in unjudged.values() for query in queries}
    left |= set() if counted else set(judged)
    if left:
        examples = tuple(sorted(left)[:3])
        kept.append(Note("unanswerable-left-out", len(left), examples=examples))
    return tuple(kept)
