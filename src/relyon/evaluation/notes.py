"""Notes that a careful reader of the numbers needs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import Text, message
from relyon.evaluation.assembly import span
from relyon.evaluation.providers import preset_notes

if TYPE_CHECKING:
    from relyon.data.labelled import LabelFacts
    from relyon.evaluation.facts import RunFacts
    from relyon.evaluation.measure_columns import Column
    from relyon.evaluation.program import Program

__all__ = [
    "all_relevant_notes",
    "data_notes",
    "label_notes",
    "measure_notes",
    "missing_note",
    "negative_notes",
    "notes_on",
    "refuse_large_grades",
]

#: Ties that matter in at most this share of the queries, or change a number by at most this share,
#: cause a note instead of a warning.
FEW_QUERIES = 0.05
SMALL_SPAN = 0.01
#: The number of measures named with their span.
MOST_SPANS = 6
#: Gains of higher grades are near the largest number that there is, or beyond it.
MOST_EXPONENT = 1000
#: Measures that compare relevant documents with others, and have no value without either.
CLASSES = ("auc", "gauc")
#: Measures whose gain is always exponential.
CASCADES = ("err", "err_ia", "nerr10", "nerr11", "nerr8", "nerr9", "nerr_ia")


def notes_on(notes: Sequence[Note], names: Sequence[str]) -> list[Note]:
    """Returns the notes on these measures; one that names measures then names only these.

    Args:
        notes: Notes of a pass over a run, which may have been for further measures.
        names: The measures, as notes name them.
    """
    found = []
    for note in notes:
        named = note.values.get("measures")
        if not isinstance(named, list):
            found.append(note)
            continue
        kept = [one for one in named if one in names]
        if kept:
            found.append(replace(note, values={**note.values, "measures": kept}))
    return found


def missing_note(count: int, examples: Sequence[str], where: Literal["judgments", "first"]) -> Note:
    """Notes the queries of the judgments, or of the first run, that the run lacks."""
    return Note(
        "missing-queries",
        count,
        "warning",
        tuple(examples[:3]),
        key=f"missing-queries.{where}",
    )


def _missing(facts: RunFacts) -> Note:
    """Notes the judged queries that the run lacks; if most, with the way to leave them out.

    A run that lacks most queries may be of some of them on purpose, such as of a part of a split.
    """
    note = missing_note(facts.missing, facts.missing_examples, "judgments")
    if 2 * facts.missing <= facts.queries:
        return note
    return replace(note, key="missing-queries.most", values={"queries": facts.queries})


def data_notes(program: Program, facts: RunFacts, columns: Mapping[str, Column]) -> list[Note]:
    """Returns the notes about the data behind the numbers."""
    notes = []
    if facts.missing:
        notes.append(_missing(facts))
    if facts.skipped:
        notes.append(Note("skipped-queries", facts.skipped, "warning", facts.skipped_examples[:3]))
    if facts.unjudged:
        notes.append(Note("unjudged-queries", facts.unjudged, "warning", facts.unjudged_examples))
    if not facts.matched and facts.queries > facts.missing:
        notes.append(Note("no-judged-document", level="warning"))
    notes += negative_notes(program, facts.negatives)
    notes += subtopic_notes(program, facts)
    notes += passage_notes(program, facts)
    if facts.evidence:
        notes.append(Note("evidence-unused", values={"columns": [*facts.evidence]}))
    if facts.regrouped:
        notes.append(Note("regrouped"))
    notes += preset_notes(program, facts.tied)
    refuse_large_grades(program, facts.highest)
    notes += threshold_notes(program, facts.highest, facts.fractions)
    whole = not facts.subtopics and not facts.passages
    if program.default_thresholds and facts.matched == facts.rows and whole:
        notes += all_relevant_notes(program, facts.lowest(), facts.highest)
    return notes + measure_notes(program, columns)


def label_notes(program: Program, facts: LabelFacts, columns: Mapping[str, Column]) -> list[Note]:
    """Returns the notes about the labels behind the numbers."""
    refuse_large_grades(program, facts.highest)
    notes = []
    if program.default_thresholds:
        notes += threshold_notes(program, facts.highest, facts.fractions)
        notes += all_relevant_notes(program, facts.lowest, facts.highest)
    return [*notes, *negative_notes(program, facts.negatives), *measure_notes(program, columns)]


def negative_notes(program: Program, count: int) -> list[Note]:
    """Notes how grades below 0 count, and in which measures."""
    if not count:
        return []
    ordinal = [str(measure) for measure in program.asked if measure.ordinal]
    others = [str(measure) for measure in program.asked if not measure.ordinal]
    if program.convention.negative == "unjudged":
        treated = "unjudged"
    elif not ordinal:
        treated = "judged"
    else:
        treated = "both" if others else "kept"
    values = {"ordinal": ordinal, "others": others}
    return [Note("negative-grades", count, values=values, key=f"negative-grades.{treated}")]


def threshold_notes(program: Program, highest: float, fractions: int) -> list[Note]:
    """Notes grades above 0 that are below the default threshold.

    Args:
        program: The measures.
        highest: The highest grade.
        fractions: How many grades lie between 0 and 1.
    """
    names = program.default_thresholds
    if not names or not highest > 0 or (highest >= 1 and not fractions):
        return []
    values = {"measures": list(names), "highest": highest}
    if highest < 1:
        return [Note("threshold", level="warning", values=values, key="threshold.none")]
    return [Note("threshold", fractions, "warning", values=values, key="threshold.between")]


def all_relevant_notes(program: Program, lowest: float, highest: float) -> list[Note]:
    """Notes grades of several levels that all reach the default threshold, such as 1 to 5 stars.

    Args:
        program: The measures.
        lowest: The lowest grade.
        highest: The highest grade.
    """
    names = program.default_thresholds
    if not names or not 1 <= lowest < highest:
        return []
    classes = [
        str(asked)
        for asked, one in zip(program.asked, program.resolved, strict=True)
        if one.name in CLASSES and str(asked) in names
    ]
    upper = math.ceil(lowest + 0.75 * (highest - lowest))  # 4 of 1 to 5
    values = {"measures": names, "lowest": lowest, "upper": upper, "classes": classes}
    key = "threshold.all-classes" if classes else "threshold.all"
    return [Note("threshold", level="warning", values=values, key=key)]


def refuse_large_grades(program: Program, highest: float) -> None:
    """Refuses grades whose gain 2^grade - 1 is too large to be added and divided.

    Left alone, such a query would have no value and silently drop out of the mean.

    Args:
        program: The measures.
        highest: The highest grade.

    Raises:
        InputError: If a measure has exponential gain and a grade is above 1000.
    """
    if not highest > MOST_EXPONENT:
        return
    names = [
        str(asked)
        for asked, one in zip(program.asked, program.resolved, strict=True)
        if getattr(one, "gain", None) == "exp" or one.name in CASCADES
    ]
    if names:
        raise InputError(
            message(
                "evaluation.cannot-use-grade",
                measures=names,
                grade=highest,
            ),
            hint=message("evaluation.write-grades-as-levels"),
        )


def subtopic_notes(program: Program, facts: RunFacts) -> list[Note]:
    """Notes missing subtopics for measures of diversity, and several subtopics for others."""
    diverse = [str(one) for one in program.asked if one.needs_subtopics]
    others = [str(one) for one in program.asked if not one.needs_subtopics]
    if diverse and not facts.subtopics:
        return [Note("no-subtopics", len(diverse), "warning", values={"measures": diverse})]
    if others and facts.overlapping and not facts.passages:
        return [Note("subtopics", facts.overlapping, values={"measures": others})]
    return []


def passage_notes(program: Program, facts: RunFacts) -> list[Note]:
    """Notes measures of passages if the judgments are of documents."""
    names = [str(one) for one in program.asked if one.needs_passages]
    if not names or facts.passages:
        return []
    return [Note("no-passages", len(names), "warning", values={"measures": names})]


def measure_notes(program: Program, columns: Mapping[str, Column]) -> list[Note]:
    return [
        *undefined_notes(program, columns),
        *tie_notes(program, columns),
        *one_label_notes(program, columns),
    ]


def undefined_notes(program: Program, columns: Mapping[str, Column]) -> list[Note]:
    """Notes how many queries have no value, and how they count in each measure."""
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
            # A query of weight 0 has no influence.
            weighty = columns[name].weighty()
            found.setdefault((count - weighty, "skip"), []).append(name)
            count = weighty
        treated: str = rule if rule in {"zero", "one"} else "skip"
        if name not in averaged:
            treated = "sums" if one.sums_undefined else "skip"
        found.setdefault((count, treated), []).append(name)
    return [
        Note(
            "undefined-queries",
            count,
            values={"measures": names},
            key=f"undefined-queries.{treated}",
        )
        for (count, treated), names in found.items()
        if count
    ]


def tie_notes(program: Program, columns: Mapping[str, Column]) -> list[Note]:
    """Notes how many queries depend on ties, and the range of each number."""
    spans: list[Text] = []
    worst: list[str] = []
    most, of, matters = 0, 0, False
    for one, resolved, form in zip(program.asked, program.resolved, program.forms, strict=True):
        total = columns[str(one)].total
        if not total.tie_decided:
            continue
        low, high = span(resolved, form, total, program.convention)
        key = "notes.span.next" if spans else "notes.span.first"
        spans.append(Text(key, {"measure": one.shown, "low": low, "high": high}))
        if str(one) in program.worst:
            worst.append(one.shown)
        if total.tie_decided > most:
            most, of = total.tie_decided, total.queries
        many = total.tie_decided > FEW_QUERIES * total.queries
        matters |= many and not high - low <= SMALL_SPAN * max(abs(low), abs(high))
    if not spans:
        return []
    left = len(spans) - MOST_SPANS
    level: Literal["info", "warning"] = "warning" if matters else "info"
    values = {
        "queries": of,
        "rule": program.convention.ties,
        "spans": spans[:MOST_SPANS],
        "more": Text("notes.span.more", {"count": left}) if left > 0 else "",
    }
    notes = [Note("tie-decided", most, level, values=values)]
    if worst:
        notes.append(Note("worst-order", len(worst), values={"measures": worst}))
    return notes


def one_label_notes(program: Program, columns: Mapping[str, Column]) -> list[Note]:
    """Notes measures whose pairs all have equal labels, so that the order does not matter."""
    names = []
    for one, resolved in zip(program.asked, program.resolved, strict=True):
        total = columns[str(one)].total
        details = resolved.details(total.numerator, total.denominator, total.equal_pairs)
        if "strict" in details and details["positive"] and math.isnan(details["strict"]):
            names.append(one.shown)
    if not names:
        return []
    return [Note("one-label", len(names), "warning", values={"measures": names})]
