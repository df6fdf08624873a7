"""Notes about the stages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.core.notes import Note
from relyon.measures.parser import measure

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.data.run import Run
    from relyon.evaluation.results import Results

__all__ = ["no_relevant_notes", "stage_notes", "stranger_notes"]


def stage_notes(results: Sequence[Results], rules: Convention, actual: str) -> list[Note]:
    """Returns the notes, with the stage's name unless all stages share a note."""
    notes: list[Note] = []
    for one in results:
        for note in one.notes:
            if note.kind in {"tie-decided", "worst-order"}:
                continue  # only the order of the last stage matters, and only up to k
            if note.kind == "missing-queries" and rules.missing == "skip":
                continue
            if note.kind == "undefined-queries":
                continue  # DCG has a value for every query; Recall is noted once, below
            shared = all(note in other.notes for other in results)
            named = note if shared else note.about(one.run)
            if named not in notes:
                notes.append(named)
    entry = results[-1].entries[actual]
    if entry.tie_sensitive and rules.ties != "expected":
        values = {"measure": actual, "rule": rules.ties}
        notes.append(Note("tie-sensitive", entry.tie_sensitive, values=values))
    return notes


def no_relevant_notes(count: int, rules: Convention) -> list[Note]:
    if not count:
        return []
    rule = measure("recall@all").undefined_rule(rules)
    treated = rule if rule in {"zero", "one"} else "skip"
    return [Note("undefined-queries", count, key=f"no-recall.{treated}")]


def stranger_notes(names: Sequence[str], runs: Sequence[Run], queries: Sequence[str]) -> list[Note]:
    """Notes stages that return documents that the stage before did not."""
    notes = []
    for place in range(1, len(runs)):
        before, now = runs[place - 1].table, runs[place].table
        count = 0
        examples: list[str] = []
        for query in queries:
            if query not in now:
                continue
            known = set(before.documents(query)[0]) if query in before else set()
            new = [document for document in now.documents(query)[0] if document not in known]
            count += len(new)
            examples += [f"{query}: {document}" for document in new[: 3 - len(examples)]]
        if count:
            notes.append(
                Note(
                    "stages-do-not-nest",
                    count,
                    "warning",
                    tuple(examples),
                    {"stage": names[place], "before": names[place - 1]},
                )
            )
    return notes
