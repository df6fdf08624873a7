"""A comparison as tables: contrasts, pairs of runs, queries."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.analysis.comparison.breakdowns.tables import (
    breakdown_blocks,
    breakdown_legend,
    first_lines,
)
from relyon.analysis.comparison.clusters.texts import cluster_table
from relyon.analysis.comparison.contrast import Contrast, gain_sign
from relyon.analysis.comparison.contrast_parts import (
    beside,
    contrast_label,
    decimals,
    is_ratio,
)
from relyon.analysis.comparison.decision import decision_lines
from relyon.analysis.comparison.legend import legend
from relyon.analysis.comparison.margins.texts import MARGIN_SIGNS, margin_lines
from relyon.analysis.comparison.matrix import evidence_texts, matrix
from relyon.analysis.comparison.repeats.texts import repeat_tables
from relyon.core.cells import Cell
from relyon.core.document.model import Block, Cell as Shown, Document, Lines, Table
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.core.texts.numbers import DIGITS, TERMINAL
from relyon.measures.display_names import convention_line, measure_label

if TYPE_CHECKING:
    from relyon.analysis.comparison.paired_runs import PairedRuns

__all__ = ["comparison_document", "contrast_table", "extremes", "query_rows"]

DETAILS = ("measure", "queries", "wins", "ties", "losses", "d_z", "detectable", "needed")
#: With more candidates than this, each measure has one table for all of them.
FEW = 3
MARKS = {"better": "▲", "worse": "▼", **MARGIN_SIGNS}
SIGNS = {**MARKS, "undecided": "·", "described": ""}
number, signed, p_value = TERMINAL.number, TERMINAL.signed, TERMINAL.p_value


def comparison_document(
    comparison: PairedRuns,
    *,
    digits: int = DIGITS,
    per_query: bool = False,
    overview: bool = False,
    language: Language = "en",
) -> Document:
    """Returns every candidate's contrasts, all pairs of runs, and the legend.

    Args:
        comparison: The comparison.
        digits: Decimals.
        per_query: Adds a table of per-query differences before the others; without it, the queries
            that gained and lost most on the first measure are named.
        overview: Starts with a table of runs by measures.
        language: `en` or `zh`.
    """
    words = catalogue("tables", language)
    blocks: list[Block] = [Lines(decision_lines(comparison, language, digits=digits))]
    blocks += first_lines(comparison, digits, language)
    if overview:
        blocks.append(matrix(comparison, digits=digits, language=language))
    many = len(comparison.candidates) > FEW and not per_query
    if many:
        blocks += _many(comparison, digits, overview, language)
        for name in comparison.candidates:
            blocks += repeat_tables(comparison, name, language, digits=digits)
            blocks += breakdown_blocks(
                comparison, name, SIGNS, digits=digits, tables=False, language=language
            )
    for candidate in () if many else comparison.candidates:
        sides = {"baseline": comparison.baseline, "candidate": candidate}
        blocks.append(Lines([words.say("comparison.sides", **sides)]))
        if per_query:
            blocks.append(_queries(comparison, candidate, digits, words))
        contrasts = _contrasts_of(comparison, candidate)
        blocks.append(contrast_table(contrasts, comparison, digits, language))
        blocks += _margins(contrasts, words, comparison.settings.alpha)
        blocks += _details(contrasts, digits, words)
        found = cluster_table(contrasts, language)
        blocks += [] if found is None else [found]
        blocks += repeat_tables(comparison, candidate, language, digits=digits)
        blocks += [] if per_query else _largest(comparison, candidate, digits, words)
        blocks += breakdown_blocks(comparison, candidate, SIGNS, digits=digits, language=language)
    if comparison.pairs:
        blocks += [Lines([words["comparison.pairs"]]), _pairs(comparison, digits, words)]
    closing = [legend(comparison, language)]
    closing += filter(None, [breakdown_legend(comparison, language)])
    if comparison.convention is not None:
        closing.append(
            convention_line(
                comparison.convention,
                comparison.measures,
                definitions=comparison.definitions,
                language=language,
            )
        )
    if overview:
        closing += evidence_texts(comparison, language)
    return Document([*blocks, Lines(closing)])


def _many(
    comparison: PairedRuns, digits: int, overview: bool, language: Language
) -> Iterator[Block]:
    """Yields runs by measures with their signs, then every measure's candidates."""
    words = catalogue("tables", language)
    contrasts = {(one.candidate, one.measure): one for one in comparison.contrasts}
    if not overview:
        rows = [[comparison.baseline], *([run] for run in comparison.candidates)]
        for measure in comparison.measures:
            column = [contrasts[run, measure] for run in comparison.candidates]
            first = column[0]
            rows[0].append(number(first.baseline_mean, decimals(first, digits)) + "  ")
            for row, one in zip(rows[1:], column, strict=True):
                value = number(one.candidate_mean, decimals(one, digits))
                row.append(f"{value} {MARKS.get(one.verdict, ' ')}")
        shown = _contrasts_of(comparison, comparison.candidates[0])
        labels = [f"{contrast_label(one)}  " for one in shown]
        yield Table([words.name("column", "run"), *labels], rows)
    for measure in comparison.measures:
        found = [contrasts[run, measure] for run in comparison.candidates]
        sides = {"measure": contrast_label(found[0]), "baseline": comparison.baseline}
        yield Lines([words.say("comparison.against", **sides)])
        yield contrast_table(found, comparison, digits, language, by_run=True)
        yield from _margins(found, words, comparison.settings.alpha, by_run=True)
    yield Lines([words["comparison.elsewhere"]])


def contrast_table(
    contrasts: Sequence[Contrast],
    comparison: PairedRuns,
    digits: int = DIGITS,
    language: Language = "en",
    by_run: bool = False,
) -> Table:
    """Returns contrasts with their intervals and p-values, named by the measure or the run."""
    words = catalogue("tables", language)
    level = f"{100 * comparison.settings.confidence:g}%"
    interval = words.say("comparison.interval", level=level)
    name, p, corrected = words.names("column", ("run" if by_run else "measure", "p", "corrected"))
    headings = [name, "A", "B", "B - A", interval, p]
    if comparison.corrected:
        headings.append(corrected)
    rows = []
    for one in contrasts:
        places = decimals(one, digits)
        row = [
            one.candidate if by_run else contrast_label(one),
            number(one.baseline_mean, places),
            number(one.candidate_mean, places),
            signed(one.difference, places),
            TERMINAL.signed_interval(one.interval, digits) if one.tested else "",
            p_value(one.p, digits) if one.tested else "",
        ]
        if comparison.corrected:
            row.append(p_value(one.p_adjusted, digits) if one.tested else "")
        rows.append([*row, SIGNS[one.verdict]])
        for name, first, second in beside(one):
            numbers = number(first, digits), number(second, digits)
            row = [
                f"  {words.name('detail', name)}",
                *numbers,
                signed(_difference(first, second), digits),
            ]
            if name == "share" and one.share is not None:
                row += [
                    TERMINAL.signed_interval(one.share.interval, digits),
                    p_value(one.share.p, digits),
                ]
            rows.append([*row, *[""] * (len(headings) + 1 - len(row))])
    return Table([*headings, ""], rows, long=[0] if by_run else [])


def _margins(
    contrasts: Sequence[Contrast], words: Catalogue, alpha: float, by_run: bool = False
) -> list[Lines]:
    lines = margin_lines(contrasts, words, alpha, by_run=by_run)
    return [Lines(lines)] if lines else []


def _difference(first: float, second: float) -> float:
    return 0.0 if first == second else second - first


def _details(contrasts: Sequence[Contrast], digits: int, words: Catalogue) -> list[Table]:
    headings = words.names("column", DETAILS)
    rows = [
        [
            contrast_label(one),
            f"{one.queries:,}",
            f"{one.wins:,}",
            f"{one.ties:,}",
            f"{one.losses:,}",
            signed(one.effect_size, 2),
            number(one.detectable, digits),
            f"{one.queries_needed:,}" if one.queries_needed else "-",
        ]
        for one in contrasts
        if one.tested
    ]
    return [Table(headings, rows)] if rows else []


def _pairs(comparison: PairedRuns, digits: int, words: Catalogue) -> Table:
    rows = [
        [
            measure_label(one.measure),
            f"{one.second} - {one.first}",
            signed(one.difference, digits),
            p_value(one.p, digits),
            signed(one.effect_size, 2),
        ]
        for one in comparison.pairs
    ]
    headings = words.names("column", ("measure", "runs", "difference", "tukey", "effect"))
    return Table(headings, rows, left=2)


def _queries(comparison: PairedRuns, candidate: str, digits: int, words: Catalogue) -> Table:
    columns = [comparison.deltas(candidate, measure) for measure in comparison.measures]
    places = [decimals(one, digits) for one in _contrasts_of(comparison, candidate)]
    texts = comparison.query_texts or {}
    rows = [
        [
            _query(query, texts),
            *(
                signed(column.get(query, math.nan), place)
                for column, place in zip(columns, places, strict=True)
            ),
        ]
        for query in sorted(set().union(*columns))
    ]
    return Table([words.name("column", "query"), *map(measure_label, comparison.measures)], rows)


def _query(query: str, texts: Mapping[str, str]) -> Shown | str:
    text = texts.get(query, query)
    return query if text == query else Shown(query, title=text)


def _largest(
    comparison: PairedRuns, candidate: str, digits: int, words: Catalogue, shown: int = 3
) -> list[Block]:
    """Names the queries that gained and lost most on the first measure that is tested.

    They are sentences, or tables if query texts are known.
    """
    measure, texts = comparison.focus, comparison.query_texts
    contrasts = _contrasts_of(comparison, candidate)
    contrast = next(one for one in contrasts if one.measure == measure)
    places, pooled = decimals(contrast, digits), is_ratio(contrast)
    lower = "_lower" if gain_sign(measure) < 0 else ""
    sides = {
        word: found
        for word, found in zip(
            ("gained", "lost"), extremes(comparison, candidate, measure, shown), strict=True
        )
        if found
    }
    both = comparison.own_values(candidate, measure)

    def change(query: str, value: float) -> str:
        """Returns a query's change; of a pooled number its own values, which are no part of it."""
        if not pooled:
            return signed(value, places)
        before, after = both[query]
        return f"{number(before, places)} → {number(after, places)}"

    if texts:
        return [
            Table(
                (words.name("column", "query"), "A → B" if pooled else "B - A"),
                [[_query(query, texts), change(query, value)] for query, value in found],
                words.say(f"comparison.{word}_most{lower}", measure=measure),
            )
            for word, found in sides.items()
        ]
    lines = [
        words.say(
            f"comparison.{word}{lower}",
            measure=measure,
            queries=[f"{query} {change(query, value)}" for query, value in found],
        )
        for word, found in sides.items()
    ]
    return [Lines(lines)] if lines else []


def extremes(
    comparison: PairedRuns, candidate: str, measure: str, shown: int
) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """Returns the queries that gained and lost most, with their own changes, the most first.

    Of a pooled number they are ordered by how much they move it: a small query's own ratio can
    change much and mean little.
    """
    sign = gain_sign(measure)
    deltas = comparison.deltas(candidate, measure)
    order = comparison.influences(candidate, measure)
    ranked = sorted(deltas.items(), key=lambda one: -sign * order[one[0]])
    gained = [item for item in ranked if sign * item[1] > 0]
    lost = [item for item in reversed(ranked) if sign * item[1] < 0]
    return gained[:shown], lost[:shown]


def _contrasts_of(comparison: PairedRuns, candidate: str) -> list[Contrast]:
    return [one for one in comparison.contrasts if one.candidate == candidate]


def query_rows(comparison: PairedRuns) -> Iterator[Sequence[Cell]]:
    """Yields headings, then one row per candidate, query and measure, in full precision.

    With texts of queries there is a column of them, too.
    """
    texts = comparison.query_texts
    beside = [] if texts is None else ["query_text"]
    yield ["candidate", "query", *beside, "measure", "difference"]
    for candidate in comparison.candidates:
        for measure in comparison.measures:
            for query, value in comparison.deltas(candidate, measure).items():
                text = [] if texts is None else [texts.get(query)]
                yield [candidate, query, *text, measure, value]
