"""What a careful reader of the numbers would want to know."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from relkit.core.notes import Note
from relkit.core.texts.numbers import TERMINAL
from relkit.evaluation.assembly import span

if TYPE_CHECKING:
    from relkit import _native
    from relkit.data.judgments import Judgments
    from relkit.evaluation.columns import Column
    from relkit.evaluation.program import Program

__all__ = ["data_notes", "measure_notes", "missing_note", "negative_notes"]

#: Ties that decide in no more than this share of the queries, or that leave a number open by no
#: more than this share of it, are worth a note and no warning.
FEW_QUERIES = 0.05
SMALL_SPAN = 0.01
#: So many measures are named with their span.
MOST_SPANS = 6


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
    notes += negative_notes(program, judgments.table.negatives)
    notes += subtopic_notes(program, judgments.table)
    if batch.regrouped:
        notes.append(
            Note("regrouped", "the run's lines are not grouped by query: it was read whole")
        )
    if program.convention.name == "ranx" and batch.tied:
        queries = "query has" if batch.tied == 1 else "queries have"
        notes.append(
            Note(
                "unstable-ties",
                f"{batch.tied:,} {queries} judged documents with equal scores, which ranx orders by"
                " an unstable sort in lists of more than 15 documents: its numbers can differ",
                batch.tied,
                "warning",
            )
        )
    notes += threshold_notes(program, judgments.table.highest, judgments.table.fractions)
    return notes + measure_notes(program, columns)


def negative_notes(program: Program, count: int) -> list[Note]:
    """Says what becomes of grades below 0, and in which measures."""
    if not count:
        return []
    one = count == 1
    grades, verb = ("grade", "counts") if one else ("grades", "count")
    treated = f"{verb} as unjudged"
    if program.convention.negative != "unjudged":
        ordinal = [str(measure) for measure in program.asked if measure.ordinal]
        others = [str(measure) for measure in program.asked if not measure.ordinal]
        parts = []
        if others:
            names = f" in {', '.join(others)}" if ordinal else ""
            parts.append(f"{verb} as judged and not relevant{names}")
        if ordinal:
            used = "is used as it is" if one else "are used as they are"
            parts.append(f"{used} in {', '.join(ordinal)}")
        treated = ", and ".join(parts)
    return [Note("negative-grades", f"{count:,} {grades} below 0 {treated}", count)]


def threshold_notes(program: Program, highest: float, fractions: int) -> list[Note]:
    """Says where grades above 0 do not reach the threshold that nobody has chosen.

    Args:
        program: The measures.
        highest: The highest grade.
        fractions: How many grades lie between 0 and 1.
    """
    names = program.default_thresholds
    if not names or not highest > 0 or (highest >= 1 and not fractions):
        return []
    what = ", ".join(names)
    advice = "such as --set rel=positive, which takes every grade above 0"
    if highest < 1:
        message = f"no grade reaches rel=1 (the highest is {highest:g}): nothing is relevant"
        return [Note("threshold", f"{message} for {what}; set rel, {advice}", 1, "warning")]
    lie = "grade lies" if fractions == 1 else "grades lie"
    count = "counts" if fractions == 1 else "count"
    message = f"{fractions:,} {lie} between 0 and rel=1 and {count} as not relevant"
    return [Note("threshold", f"{message} for {what}; set rel, {advice}", fractions, "warning")]


def subtopic_notes(program: Program, table: _native.JudgmentTable) -> list[Note]:
    """Says where measures of diversity have no subtopics, or other measures have several."""
    diverse = [str(one) for one in program.asked if one.needs_subtopics]
    others = [str(one) for one in program.asked if not one.needs_subtopics]
    if diverse and not table.has_subtopics:
        text = "no query has more than one subtopic: every query counts as being about one"
        return [Note("no-subtopics", f"{text} ({', '.join(diverse)})", len(diverse), "warning")]
    if others and table.overlapping:
        count = table.overlapping
        documents = "document is" if count == 1 else "documents are"
        text = f"{count:,} {documents} judged on several subtopics: the highest grade counts"
        return [Note("subtopics", f"{text} ({', '.join(others)})", count)]
    return []


def measure_notes(program: Program, columns: Mapping[str, Column]) -> list[Note]:
    return [
        *undefined_notes(program, columns),
        *tie_notes(program, columns),
        *one_label_notes(program, columns),
    ]


def undefined_notes(program: Program, columns: Mapping[str, Column]) -> list[Note]:
    """Says how many queries have no value, and what they count for each measure."""
    averaged = {name for name, _, _ in program.averaged}
    found: dict[tuple[int, str], list[str]] = {}
    for asked, one, form in zip(program.asked, program.resolved, program.forms, strict=True):
        name = str(asked)
        count = columns[name].total.undefined
        if not count or (one.combine == "pooled" and form == "micro"):
            continue
        rule = one.undefined_rule(program.convention)
        weighted = one.combine == "ratio" and getattr(one, "weight", "") != "uniform"
        if name in averaged and weighted and rule != "skip":
            # A query that weighs nothing has no influence, whatever it counts.
            weighty = _weighty(columns[name])
            found.setdefault((count - weighty, "left out"), []).append(name)
            count = weighty
        treated = {"zero": "counted as 0", "one": "counted as 1"}.get(rule, "left out")
        if name not in averaged:
            treated = "counted in the sums alone" if one.sums_undefined else "left out"
        found.setdefault((count, treated), []).append(name)
    return [
        Note(
            "undefined-queries",
            f"{count:,} {'query' if count == 1 else 'queries'} without a value"
            f" {treated}: {', '.join(names)}",
            count,
        )
        for (count, treated), names in found.items()
        if count
    ]


def _weighty(column: Column) -> int:
    """Returns how many queries without a value have a share in a ratio of sums."""
    denominators = column.parts()[1]
    return sum(
        math.isnan(value) and weight != 0
        for value, weight in zip(column.values(), denominators, strict=True)  # type: ignore[arg-type]
    )


def tie_notes(program: Program, columns: Mapping[str, Column]) -> list[Note]:
    """Says how many queries ties decide, and between which values each number could lie."""
    spans: dict[str, str] = {}
    worst: list[str] = []
    most, of, matters = 0, 0, False
    for one, resolved, form in zip(program.asked, program.resolved, program.forms, strict=True):
        total = columns[str(one)].total
        if not total.tie_decided:
            continue
        low, high = span(resolved, form, total, program.convention)
        could = "" if spans else "could be "
        spans[one.shown] = f"{could}{TERMINAL.number(low)} to {TERMINAL.number(high)}"
        if str(one) in program.worst:
            worst.append(one.shown)
        if total.tie_decided > most:
            most, of = total.tie_decided, total.queries
        many = total.tie_decided > FEW_QUERIES * total.queries
        matters |= many and not high - low <= SMALL_SPAN * max(abs(low), abs(high))
    if not spans:
        return []
    rule = program.convention.ties
    names = list(spans)
    listed = ", ".join(f"{name} {spans[name]}" for name in names[:MOST_SPANS])
    if len(names) > MOST_SPANS:
        listed += f", and {len(names) - MOST_SPANS} more"
    queries = "query" if of == 1 else "queries"
    message = f"equal scores decide in {most:,} of {of:,} {queries} (ties={rule}): {listed}"
    level: Literal["info", "warning"] = "warning" if matters else "info"
    values = {
        "queries": f"{of:,}",
        "rule": rule,
        "spans": listed.replace("could be ", "").replace(" to ", "–"),
    }
    notes = [Note("tie-decided", message, most, level, values=values)]
    if worst:
        message = f"no mean over the orders of equal scores, so the worst order: {', '.join(worst)}"
        notes.append(Note("worst-order", message, len(worst)))
    return notes


def one_label_notes(program: Program, columns: Mapping[str, Column]) -> list[Note]:
    """Says where every pair has equal labels, so that their count says nothing of the order."""
    names = []
    for one, resolved in zip(program.asked, program.resolved, strict=True):
        total = columns[str(one)].total
        details = resolved.details(total.numerator, total.denominator, total.equal_pairs)
        if "strict" in details and details["positive"] and math.isnan(details["strict"]):
            names.append(one.shown)
    if not names:
        return []
    message = (
        "no query has documents of different labels: every pair has equal labels and counts as"
        f" positive, whatever the order: {', '.join(names)}"
    )
    return [Note("one-label", message, len(names), "warning")]
