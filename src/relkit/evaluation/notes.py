"""What a careful reader of the numbers would want to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from relkit.notes import Note

if TYPE_CHECKING:
    from relkit import _native
    from relkit.evaluation.columns import Column
    from relkit.evaluation.program import Program
    from relkit.judgments import Judgments

__all__ = ["data_notes", "measure_notes", "missing_note"]


def missing_note(count: int, examples: Sequence[str], where: str) -> Note:
    queries = "query is" if count == 1 else "queries are"
    return Note(
        "missing-queries",
        f"{count:,} {queries} in {where} and not in the run",
        count,
        "warning",
        tuple(examples[:3]),
    )


def data_notes(
    program: Program,
    batch: _native.Batch,
    columns: Mapping[str, Column],
    judgments: Judgments,
) -> list[Note]:
    """Says what a careful reader of the numbers would want to know."""
    notes = []
    if batch.missing:
        missing = batch.queries[-batch.missing :]
        notes.append(missing_note(batch.missing, missing, "the judgments"))
    if batch.unjudged_queries:
        queries = "query" if batch.unjudged_queries == 1 else "queries"
        notes.append(
            Note(
                "unjudged-queries",
                f"{batch.unjudged_queries:,} {queries} of the run without judgments left out",
                batch.unjudged_queries,
                "warning",
                tuple(batch.unjudged_examples[:3]),
            )
        )
    if not batch.matched and len(batch.queries) > batch.missing:
        notes.append(
            Note(
                "no-judged-document",
                "no retrieved document is judged: do both sides use the same document ids?",
                1,
                "warning",
            )
        )
    table = judgments.table
    if table.negatives:
        treated = {
            "nonrelevant": "count as judged and not relevant",
            "unjudged": "count as unjudged",
        }.get(program.convention.negative, "")
        notes.append(
            Note(
                "negative-grades", f"{table.negatives:,} grades below 0 {treated}", table.negatives
            )
        )
    if batch.regrouped:
        notes.append(
            Note("regrouped", "the run's lines are not grouped by query: it was read whole")
        )
    return notes + measure_notes(program, columns)


def measure_notes(program: Program, columns: Mapping[str, Column]) -> list[Note]:
    notes = []
    undefined: dict[int, list[str]] = {}
    tied: list[tuple[int, str]] = []
    for one, form in zip(program.asked, program.forms, strict=True):
        total = columns[str(one)].total
        if total.undefined and not (one.combine == "pooled" and form == "micro"):
            undefined.setdefault(total.undefined, []).append(str(one))
        if total.tie_sensitive and program.convention.ties != "expected":
            tied.append((total.tie_sensitive, str(one)))
    treated = {"skip": "left out", "zero": "counted as 0", "one": "counted as 1"}
    for count, names in undefined.items():
        notes.append(
            Note(
                "undefined-queries",
                f"{count:,} {'query' if count == 1 else 'queries'} without a value"
                f" {treated[program.convention.undefined]}: {', '.join(names)}",
                count,
            )
        )
    if tied:
        count, name = max(tied)
        notes.append(
            Note(
                "tie-sensitive",
                f"{count:,} {'query has' if count == 1 else 'queries have'} equal scores across"
                f" the cutoff of {name}: ties={program.convention.ties} decides",
                count,
            )
        )
    return notes
