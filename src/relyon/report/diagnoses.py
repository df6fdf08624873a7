"""The findings of the rules, with numbers and next steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from relyon.core.lessons import lesson_brief, lesson_line
from relyon.report.catalogue import Catalogue
from relyon.report.number_formats import number
from relyon.report.page import Block, Cell, Finding, Prose, Section, Table

if TYPE_CHECKING:
    from relyon.analysis.diagnosis import Finding as Diagnosis

__all__ = ["diagnosis_section"]

MOST_ROWS = 20


def diagnosis_section(findings: Sequence[Diagnosis], texts: Catalogue) -> Section:
    """Returns findings in the given order, the most severe first."""
    blocks: list[Block] = [
        Finding(
            title=one.title(texts.language),
            severity=one.severity,
            label=texts.say(f"diagnoses.{one.severity}"),
            text=one.text(texts.language),
            step=one.next_step(texts.language),
            step_label=texts.say("diagnoses.next") + texts.say("list.colon"),
            examples=one.shown_examples(),
            listed=one.described,
            examples_label=texts.say("diagnoses.examples") + texts.say("list.colon"),
            table=_table(one, texts),
            about=one.candidate,
            lesson=lesson_line(one.lesson, texts.language),
            reading=lesson_brief(one.lesson, texts.language),
        )
        for one in findings
    ]
    if not blocks:
        blocks.append(Prose((texts.say("diagnoses.none"),)))
    return Section("diagnoses", texts.say("section.diagnoses"), tuple(blocks))


def _table(finding: Diagnosis, texts: Catalogue) -> Table | None:
    rows = finding.chart_data
    if not rows:
        return None
    names = list(dict.fromkeys(name for row in rows for name in row))
    headings = tuple(_heading(name, texts) for name in names)
    known = {"query": finding.query_texts or {}, "document": finding.document_titles or {}}
    cells = tuple(
        tuple(_cell(row.get(name), known.get(name, {})) for name in names)
        for row in rows[:MOST_ROWS]
    )
    texts_first = takewhile(lambda name: isinstance(rows[0].get(name), str), names)
    return Table(headings, cells, left=max(1, len(list(texts_first))))


def _heading(name: str, texts: Catalogue) -> str:
    key = f"column.{name}"
    return texts.say(key) if key in texts else name.replace("_", " ")


def _cell(value: object, titles: Mapping[str, str]) -> Cell | str:
    if isinstance(value, str) and titles.get(value, value) != value:
        return Cell(value, title=titles[value])
    if isinstance(value, float) and not value.is_integer():
        return number(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "–" if value is None else str(value)
    return f"{value:,.0f}"
