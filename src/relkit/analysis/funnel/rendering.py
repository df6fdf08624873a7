"""A funnel as text: tables for the terminal, Markdown, CSV and HTML."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from relkit.core.cells import Cell, csv_text
from relkit.core.rendering.text import align, markdown_lines, shorten, width, wrap
from relkit.core.texts.numbers import TERMINAL
from relkit.measures.labels import convention_line

if TYPE_CHECKING:
    from relkit.analysis.funnel import Funnel

__all__ = ["csv", "html", "markdown", "text"]

BAR = 12

number, percent = TERMINAL.number, TERMINAL.percent


def text(found: Funnel) -> str:
    """Returns tables of 80 columns, the verdict and the rules."""
    rows = shorten(_headings(found), _rows(found), 80)
    queries = "query" if found.queries == 1 else "queries"
    lines = [f"{found.measure} over {found.queries:,} {queries}", ""]
    table = align(_headings(found)[:-1], [row[:-1] for row in rows])
    # Bars start at the left of their column, where numbers would not.
    wide = max(map(width, table))
    for place, row in enumerate(rows, 2):
        if row[-1]:
            table[place] += " " * (wide - width(table[place]) + 2) + row[-1]
    lines += table
    if found.reached_cutoffs:
        headings, recalls = _recall_rows(found)
        lines += ["", *align(headings, shorten(headings, recalls, 80))]
    lines += ["", *wrap(found.sentence(), 80)]
    lines += ["", *wrap(convention_line(found.convention, [found.label.lower()]), 80, "  ")]
    return "\n".join(lines)


def markdown(found: Funnel, language: Literal["en", "zh"] = "en") -> str:
    """Returns the stages as a Markdown table, with the verdict below."""
    headings = ("stage", *_headings(found)[1:])
    lines = markdown_lines(headings[:-1], [row[:-1] for row in _rows(found)])
    if found.reached_cutoffs:
        lines += ["", *markdown_lines(*_recall_rows(found))]
    return "\n".join([*lines, "", found.sentence(language)])


def csv(found: Funnel) -> str:
    """Returns one line a stage, and one for the ranking; numbers in full."""
    cutoffs = found.reached_cutoffs
    names = list(found.stages[0].numbers)
    rows: list[list[Cell]] = [["stage", *names, *(f"recall@{k}" for k in cutoffs)]]
    for stage in found.stages:
        values = [*stage.numbers.values(), *(stage.recall_at.get(k, math.nan) for k in cutoffs)]
        rows.append([stage.name, *(None if math.isnan(value) else value for value in values)])
    last = {"ideal": found.actual, "loss": found.ranking_loss, "share": found.ranking_share}
    values = [last.get(name, math.nan) for name in names]
    rows.append(["ranking", *(None if math.isnan(one) else one for one in values)])
    rows[-1] += [None] * len(cutoffs)
    return csv_text(rows).rstrip("\n")


def html(found: Funnel) -> str:
    """Returns the stages as an HTML table, with the verdict below."""
    from html import escape

    headings = ("stage", *_headings(found)[1:-1])
    head = "".join(f"<th>{escape(name)}</th>" for name in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row[:-1]) + "</tr>"
        for row in _rows(found)
    )
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"<p>{escape(found.sentence())}</p>"
    )


def _rows(found: Funnel) -> list[tuple[str, ...]]:
    """Returns the stages, between what is judged and what the user sees."""
    rows: list[tuple[str, ...]] = [("all judged", "", "", "", "", number(found.ideal), "", "", "")]
    for stage in found.stages:
        rows.append(
            (
                stage.name,
                number(stage.candidates, 1),
                number(stage.recall),
                percent(stage.retention),
                percent(stage.judged),
                number(stage.ideal),
                number(stage.loss),
                percent(stage.share),
                _bar(stage.share),
            )
        )
    share = found.ranking_share
    loss = number(found.ranking_loss)
    rows.append(
        ("ranking", "", "", "", "", number(found.actual), loss, percent(share), _bar(share))
    )
    return rows


def _headings(found: Funnel) -> tuple[str, ...]:
    return ("", "docs", "recall", "kept", "judged", found.label, "lost", "share", "")


def _recall_rows(found: Funnel) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    headings = ("recall at", *(str(k) for k in found.reached_cutoffs))
    return headings, [
        (
            stage.name,
            *(
                number(stage.recall_at[k]) if k in stage.recall_at else ""
                for k in found.reached_cutoffs
            ),
        )
        for stage in found.stages
    ]


def _bar(share: float) -> str:
    if math.isnan(share) or share <= 0:
        return ""
    return "█" * max(1, round(BAR * min(share, 1.0)))
