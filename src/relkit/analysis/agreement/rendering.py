"""How systems and measures agree, as text: tables for the terminal, Markdown, CSV."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relkit.core.cells import Cell, csv_text
from relkit.core.rendering.text import align, markdown_lines, wrap
from relkit.core.texts.numbers import DIGITS, TERMINAL

if TYPE_CHECKING:
    from relkit.analysis.agreement import Correlations, Discrimination

__all__ = [
    "correlations_csv",
    "correlations_markdown",
    "correlations_table",
    "discrimination_csv",
    "discrimination_markdown",
    "discrimination_table",
]

number = TERMINAL.number

#: With more measures than this a table of all pairs becomes a matrix.
MOST_LISTED = 6


def correlations_table(found: Correlations, digits: int = DIGITS, columns: int = 80) -> str:
    """Returns one line a pair, or a matrix where there are many measures."""
    runs, queries = len(found.runs), found.queries
    lines = [
        f"{found.title} between {found.between}: {runs} runs,"
        f" {queries:,} {'query' if queries == 1 else 'queries'}",
        "",
    ]
    if found.between == "measures" and len(found.measures) > MOST_LISTED:
        lines += _matrix(found, columns)
    else:
        lines += align(*_pairs(found, digits), left=_left(found))
    if any(not math.isnan(one.interval[0]) for one in found.pairs):
        lines += ["", *wrap(_about(found), columns)]
    return "\n".join(lines)


def _about(found: Correlations) -> str:
    return (
        f"{TERMINAL.percent(found.confidence)} intervals: other queries, as many as these; the"
        f" same runs ({found.resamples:,} bootstrap samples, seed {found.seed})"
    )


def _left(found: Correlations) -> int:
    return 2 if found.between == "measures" else 1


def _pairs(found: Correlations, digits: int) -> tuple[list[str], list[list[str]]]:
    names = ["measure", "with"][: _left(found)]
    rows = [
        [
            *(one.first, one.second)[: len(names)],
            number(one.value, digits),
            TERMINAL.interval(one.interval, digits),
        ]
        for one in found.pairs
    ]
    return [*names, found.coefficient, "interval"], rows


def _matrix(found: Correlations, columns: int) -> list[str]:
    """Returns the coefficients as a matrix, in blocks of columns that a terminal holds."""
    values = {(one.first, one.second): one.value for one in found.pairs}
    places = {name: str(place) for place, name in enumerate(found.measures, 1)}
    wide = max(map(len, found.measures)) + len(str(len(places))) + 2
    room = max((columns - wide) // 7, 1)
    lines: list[str] = []
    for start in range(0, len(found.measures), room):
        block = found.measures[start : start + room]
        rows = [
            [
                f"{places[row]:>2} {row}",
                *(
                    "1"
                    if row == column
                    else number(values.get((row, column), values.get((column, row), 1.0)), 3)
                    for column in block
                ),
            ]
            for row in found.measures
        ]
        if lines:
            lines.append("")
        lines += align(["measure", *(places[name] for name in block)], rows)
    lines += ["", "Intervals: --format csv, json or markdown."]
    return lines


def correlations_markdown(found: Correlations, digits: int = DIGITS) -> str:
    """Returns a Markdown table, one row a pair, with what the intervals are below."""
    headings, rows = _pairs(found, digits)
    headings[-2] = found.title
    lines = markdown_lines(headings, rows, left=_left(found))
    if any(not math.isnan(one.interval[0]) for one in found.pairs):
        lines += ["", f"{len(found.runs)} runs, {found.queries:,} queries. {_about(found)}."]
    return "\n".join(lines)


def correlations_csv(found: Correlations) -> str:
    """Returns one line a pair, values in full."""
    return _csv(
        ["coefficient", "first", "second", "value", "interval_low", "interval_high"],
        [
            [found.coefficient, one.first, one.second, one.value, *one.interval]
            for one in found.pairs
        ],
    )


def _csv(headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    cells = [
        [None if isinstance(cell, float) and math.isnan(cell) else cell for cell in row]
        for row in rows
    ]
    return csv_text([headings, *cells]).rstrip("\n")


def _power_rows(found: Discrimination, digits: int) -> tuple[list[str], list[list[str]]]:
    rows = [
        [
            one.measure,
            f"{one.separated:,} of {one.pairs:,}",
            "-" if math.isnan(one.share) else TERMINAL.percent(one.share, 1),
            number(one.needed, digits),
            f"{one.queries:,}",
        ]
        for one in found.measures
    ]
    return ["measure", "pairs separated", "share", "difference needed", "queries"], rows


def _rules(found: Discrimination) -> str:
    test = "randomised Tukey HSD" if found.test == "tukey" else f"test {found.test}"
    correction = "" if found.test == "tukey" else f", correction {found.correction}"
    return f"{test}{correction}, significance level {found.alpha:g}"


def discrimination_table(found: Discrimination, digits: int = DIGITS, columns: int = 80) -> str:
    """Returns one line a measure, the most discriminative first."""
    lines = [f"Discriminative power: {len(found.runs)} runs, {_rules(found)}", ""]
    lines += align(*_power_rows(found, digits))
    lines += [
        "",
        *wrap(
            "Difference needed: every pair of runs that differs by as much or more is separated;"
            " inf where even the largest difference is not.",
            columns,
        ),
    ]
    return "\n".join(lines)


def discrimination_markdown(found: Discrimination, digits: int = DIGITS) -> str:
    """Returns a Markdown table, one row a measure."""
    lines = markdown_lines(*_power_rows(found, digits))
    return "\n".join([*lines, "", f"{len(found.runs)} runs, {_rules(found)}."])


def discrimination_csv(found: Discrimination) -> str:
    """Returns one line a measure, values in full."""
    return _csv(
        ["measure", "pairs", "separated", "share", "needed", "queries"],
        [
            [one.measure, one.pairs, one.separated, one.share, one.needed, one.queries]
            for one in found.measures
        ],
    )
