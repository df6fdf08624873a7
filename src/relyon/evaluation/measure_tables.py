"""The measures of one or several runs as tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from relyon.core.document.model import Block, Document, Lines, Table
from relyon.core.document.terminal import COLUMNS, table_width
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.core.texts.numbers import DIGITS, TERMINAL
from relyon.data.convention import Convention
from relyon.evaluation.entry import Entry
from relyon.measures.display_names import (
    convention_line,
    count,
    detail,
    detail_names,
    measure_label,
    prose_label,
)

if TYPE_CHECKING:
    from relyon.core.cells import Cell

T = TypeVar("T")

__all__ = [
    "Measured",
    "csv_rows",
    "results_document",
    "results_latex",
    "rules_line",
    "summary_columns",
]

HEADINGS = ("measure", "value", "queries", "undefined", "missing")


class Measured(Protocol):
    """The part of a run's results that a table needs."""

    run: str
    convention: Convention

    @property
    def entries(self) -> Mapping[str, Entry]:
        """All facts about each measure."""

    def rows(self) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yields each query with its values."""


def results_document(
    runs: Sequence[Measured],
    *,
    per_query: bool = False,
    digits: int = DIGITS,
    rules: bool = False,
    language: Language = "en",
    columns: int = COLUMNS,
) -> Document:
    """Returns the measures of runs as tables.

    Args:
        runs: One run, shown with its counts, or several, in columns.
        per_query: Adds a table of queries before it.
        digits: Decimals.
        rules: Adds the convention below it.
        language: `en` or `zh`.
        columns: Line width; if several runs do not fit in columns, they become rows.
    """
    words = catalogue("tables", language)
    blocks: list[Block] = [_queries(runs, digits, words)] if per_query else []
    table = _measures(runs, digits, words)
    blocks.append(
        _turned(table, words) if len(runs) > 1 and table_width(table) > columns else table
    )
    if rules:
        blocks.append(Lines([rules_line(runs[0], language)]))
    return Document(blocks)


def results_latex(runs: Sequence[Measured], *, digits: int, language: Language) -> str:
    """Returns runs by measures as a LaTeX table; the convention is in its caption.

    Args:
        runs: The runs.
        digits: Decimals.
        language: `en` or `zh`.
    """
    from relyon.core.document.latex import render_latex

    words = catalogue("tables", language)
    table = _turned(_columns(runs, digits, words, prose_label), words)
    headings = [str(table.headings[0]).capitalize(), *table.headings[1:]]
    counts = {entry.queries for run in runs for entry in run.entries.values()}
    first = counted_caption(counts, words)
    rules = rules_line(runs[0], language)
    stop = catalogue("common", language)["list.stop"]
    caption = f"{first}{rules[:1].upper()}{rules[1:]}{stop}"
    return render_latex(replace(table, headings=headings), caption=caption, label="tab:results")


def counted_caption(counts: Collection[int], words: Catalogue) -> str:
    """Returns the sentence of a caption about the number of queries, or their least and most."""
    if not counts:
        return ""
    if len(counts) == 1:
        return words.say("comparison.caption", count=max(counts))
    return words.say("comparison.caption_between", least=min(counts), most=max(counts))


def rules_line(run: Measured, language: Language = "en") -> str:
    """Returns the convention in one line, with the tie rules of single measures."""
    ties = {name: entry.ties for name, entry in run.entries.items() if entry.ties}
    definitions = [entry.definition for entry in run.entries.values()]
    return convention_line(
        run.convention, list(run.entries), ties, definitions=definitions, language=language
    )


def _measures(runs: Sequence[Measured], digits: int, words: Catalogue) -> Table:
    """Returns one run with its counts, or several in columns."""
    table = _columns(runs, digits, words, measure_label)
    if len(runs) > 1:
        return table
    entries = iter(runs[0].entries.values())
    rows = []
    for row in table.rows:
        counts = [""] * 3
        if not str(row[0]).startswith(" "):
            entry = next(entries)
            counts = [str(entry.queries), str(entry.undefined), str(entry.missing)]
        rows.append([*row, *counts])
    return Table(words.names("column", HEADINGS), rows)


def _columns(
    runs: Sequence[Measured], digits: int, words: Catalogue, label: Callable[[str, str, str], str]
) -> Table:
    """Returns runs in columns and measures in rows, with details and unequal counts below."""
    rows = []
    for name, entry in runs[0].entries.items():
        values = [_value(run.entries[name], digits) for run in runs]
        rows.append([label(name, entry.average, entry.definition), *values])
        for key in detail_names(name, entry.details, entry.definition):
            values = [_detail(run.entries[name], key, digits) for run in runs]
            rows.append([f"  {words.name('detail', key)}", *values])
        counts = [str(run.entries[name].queries) for run in runs]
        if len(set(counts)) > 1:  # other queries, so no comparison
            rows.append([f"  {words.name('column', 'queries')}", *counts])
    return Table([words.name("column", "measure"), *(run.run for run in runs)], rows)


def _turned(table: Table, words: Catalogue) -> Table:
    """Returns one row per run and one column per measure; details name their measure."""
    headings, measure = [words.name("column", "run")], ""
    for name in (str(row[0]) for row in table.rows):
        if name.startswith(" "):
            headings.append(f"{measure}: {name.strip()}")
        else:
            headings.append(measure := name)
    values = zip(*([str(cell) for cell in row[1:]] for row in table.rows), strict=True)
    rows = [[run, *cells] for run, cells in zip(table.headings[1:], values, strict=True)]
    return Table(headings, rows)


def _value(entry: Entry, digits: int) -> str:
    return count(entry.value) if entry.average == "sum" else TERMINAL.number(entry.value, digits)


def _detail(entry: Entry, key: str, digits: int) -> str:
    value = entry.details.get(key, math.nan)
    return "-" if math.isnan(value) else detail(key, value, TERMINAL, digits)


def _queries(runs: Sequence[Measured], digits: int, words: Catalogue) -> Table:
    first = words.names("column", ["run", "query"] if len(runs) > 1 else ["query"])
    headings = [*first, *map(measure_label, runs[0].entries)]
    whole = [entry.average == "sum" for entry in runs[0].entries.values()]
    rows = []
    for run in runs:
        label = [run.run] if len(runs) > 1 else []
        for query, values in run.rows():
            cells = (
                count(value) if counted and math.isfinite(value) else TERMINAL.number(value, digits)
                for value, counted in zip(values, whole, strict=True)
            )
            rows.append([*label, query, *cells])
    return Table(headings, rows, left=2 if len(runs) > 1 else 1)


def summary_columns(runs: Sequence[Measured]) -> dict[str, list[object]]:
    """Returns one row per run and measure, with null for missing numbers."""
    details = dict.fromkeys(
        key for run in runs for entry in run.entries.values() for key in entry.details
    )
    names = [*HEADINGS, "average", "tie_sensitive", *details]
    columns: dict[str, list[object]] = {name: [] for name in ("run", *names)}
    for run in runs:
        for name, entry in run.entries.items():
            found = {**entry.details, **vars(entry), "run": run.run, "measure": name}
            for column, values in columns.items():
                values.append(_full(found.get(column)))
    return columns


def csv_rows(runs: Sequence[Measured], per_query: bool) -> Iterator[Sequence[Cell]]:
    """Yields headings, then one row per run and measure, or per run, query and measure."""
    if not per_query:
        columns = summary_columns(runs)
        yield list(columns)
        yield from zip(*columns.values(), strict=True)
        return
    yield ["run", "query", "measure", "value"]
    for run in runs:
        for query, values in run.rows():
            for name, value in zip(run.entries, values, strict=True):
                yield [run.run, query, name, _full(value)]


def _full(value: T) -> T | None:
    return None if isinstance(value, float) and math.isnan(value) else value
