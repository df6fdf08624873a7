"""A leaderboard as a page: ranks and values with intervals, groups, quality and cost."""

from __future__ import annotations

import math
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from relyon.analysis.leaderboard.tables import (
    board_label,
    board_table,
    cost_table,
    leaderboard_title,
    outcome,
    ranks_text,
    rules_of_reading,
    task_table,
)
from relyon.core.language import Language
from relyon.core.texts import PAGE, Catalogue as Words, catalogue as texts_of
from relyon.report.catalogue import catalogue
from relyon.report.document import Format, Report, TitleOptions
from relyon.report.page import Block, Chart, Key, Page, Prose, Section, Table
from relyon.report.provenance import note_section, rules_section

if TYPE_CHECKING:
    from relyon.analysis.leaderboard import Board, Leaderboard, Standing

__all__ = [
    "build_leaderboard_page",
    "render_leaderboard_report",
    "write_leaderboard_report",
]


def build_leaderboard_page(
    found: Leaderboard, *, language: Language = "en", title: str | None = None
) -> Page:
    """Returns the contents of a page on a leaderboard, before it becomes HTML or Markdown.

    Args:
        found: The result of `relyon.leaderboard`.
        language: `en` or `zh`.
        title: The title of the page.

    Raises:
        ParameterError: If the language is unknown.
    """
    texts = catalogue(language)
    words = texts_of("leaderboard", language, PAGE)
    said = [_sentence(text, words) for text in rules_of_reading(found, words)]
    first = found.boards[0]
    top = [_sentence(text, words) for text in outcome(first, words)]
    sections = []
    for place, board in enumerate(found.boards, 1):
        blocks: list[Block] = [_ranks(found, board, words), board_table(found, board, words)]
        if place > 1:
            blocks.insert(0, Prose(tuple(_sentence(one, words) for one in outcome(board, words))))
        if board.groups and len(board.standings) > 2:
            blocks += [Prose((_sentence(words["reading.groups"], words),)), _groups(board, words)]
        blocks.append(_values(found, board, words))
        if found.tasks:
            blocks.append(task_table(board, words))
        if found.has_costs:
            names = dict.fromkeys(name for one in board.standings for name in one.costs)
            blocks += [_costs(found, board, name, words) for name in names]
            blocks.append(cost_table(board, words))
        sections.append(Section(f"measure-{place}", board_label(board), tuple(blocks)))
    sections.append(Section("reading", words["report.reading"], (Prose(tuple(said)),)))
    measures = [one.measure for one in found.boards]
    sections.append(rules_section(found.convention, texts, measures))
    sections.append(note_section(found.notes, texts))
    return Page(
        language=language,
        title=title or words["report.title"],
        subtitle=leaderboard_title(found, words),
        lead=tuple(top),
        sections=tuple(sections),
    )


def render_leaderboard_report(
    found: Leaderboard, *, format: Format = "html", **options: Unpack[TitleOptions]
) -> str:
    """Returns a page on a leaderboard as text.

    Args:
        found: The result of `relyon.leaderboard`.
        format: `html` or `markdown`.
        **options: `language`: `en` or `zh`. `title`: the title of the page.

    Raises:
        ParameterError: If the format or the language is unknown.
        DependencyError: If a package of the extra `report` is not installed.
    """
    return Report(build_leaderboard_page).render(format, found, **options)


def write_leaderboard_report(
    found: Leaderboard, path: str | PathLike[str], **options: Unpack[TitleOptions]
) -> None:
    """Writes a page on a leaderboard, as HTML or Markdown by the file's ending.

    Args:
        found: The result of `relyon.leaderboard`.
        path: Where to.
        **options: `language`: `en` or `zh`. `title`: the title of the page.

    Raises:
        ParameterError: If the ending is neither `.html` nor `.md`, or the language is unknown.
        DependencyError: If a package of the extra `report` is not installed.
    """
    Report(build_leaderboard_page).write(path, found, **options)


def _sentence(text: str, words: Words) -> str:
    """Returns a sentence; the name of a measure that begins a Chinese one stays as it is."""
    first = text[:1].upper() if words.language == "en" else text[:1]
    return first + text[1:] + words["list.stop"]


def _ranks(found: Leaderboard, board: Board, words: Words) -> Chart:
    rows = tuple(
        {
            "name": one.run,
            "value": one.rank,
            "low": one.ranks[0],
            "high": one.ranks[1],
            "best": one.may_be_best,
            "text": words.say("report.rank_point", run=one.run, ranks=ranks_text(one.ranks, words)),
        }
        for one in board.standings
    )
    headings = (words["heading.run"], words["heading.rank"], words["heading.ranks"])
    cells = [(one.run, str(one.rank), ranks_text(one.ranks, words)) for one in board.standings]
    return Chart(
        drawing="standings",
        title=words.say("report.ranks_chart", measure=board_label(board)),
        caption=words.say("report.ranks_caption", level=words.percent(found.confidence)),
        rows=rows,
        table=Table(headings, cells),
        labels={"x": words["heading.rank"]},
        values={"zero": False},
    )


def _shown(one: Standing) -> tuple[float, float]:
    """Returns the interval of a value, or the value itself if it has none."""
    none = any(map(math.isnan, one.interval))
    return (one.value, one.value) if none else one.interval


def _values(found: Leaderboard, board: Board, words: Words) -> Chart:
    style, level = words.style, words.percent(found.confidence)
    rows = []
    for one in board.standings:
        low, high = _shown(one)
        text = words.say(
            "report.value_point",
            run=one.run,
            value=style.number(one.value),
            interval=style.interval((low, high)),
        )
        rows.append(
            {
                "name": one.run,
                "value": one.value,
                "low": low,
                "high": high,
                "best": one.may_be_best,
                "text": text,
            }
        )
    headings = (
        words["heading.run"],
        board_label(board),
        words.say("heading.interval", level=level),
    )
    cells = [
        (one.run, style.number(one.value), style.interval(_shown(one))) for one in board.standings
    ]
    return Chart(
        drawing="standings",
        title=words.say("report.values_chart", measure=board_label(board)),
        caption=words.say(
            "report.task_caption" if found.sampled else "report.values_caption", level=level
        ),
        rows=tuple(rows),
        table=Table(headings, cells),
        labels={"x": board_label(board)},
        values={"zero": True},
    )


def _groups(board: Board, words: Words) -> Table:
    from relyon.analysis.leaderboard.groups import letters

    count = len(board.groups)
    named = letters([(place,) for place in range(count)], count)
    rows = [
        (letter, words.join(list(group))) for letter, group in zip(named, board.groups, strict=True)
    ]
    headings = (words["report.group"], words["report.members"])
    return Table(headings, rows, left=2, long=[1])


def _costs(found: Leaderboard, board: Board, cost: str, words: Words) -> Chart:
    style = words.style
    drawn = [one for one in board.standings if cost in one.costs]
    numbers = [one.costs[cost].value for one in drawn]
    rows = []
    for one, number in zip(drawn, numbers, strict=True):
        low, high = _shown(one)
        dominated = one.costs[cost].verdict == "dominated"
        text = words.say(
            "report.point",
            run=one.run,
            measure=board_label(board),
            value=style.number(one.value),
            cost=cost,
            number=f"{number:,.6g}",
        )
        rows.append(
            {
                "name": one.run,
                "cost": number,
                "value": one.value,
                "low": low,
                "high": high,
                "dominated": dominated,
                "front": one.costs[cost].verdict == "front",
                "text": text,
            }
        )
    headings = (words["heading.run"], board_label(board), cost)
    cells = [
        (one.run, style.number(one.value), f"{number:,.6g}")
        for one, number in zip(drawn, numbers, strict=True)
    ]
    measure = board_label(board)
    return Chart(
        drawing="against_cost",
        title=words.say("report.cost_chart", measure=measure, cost=cost),
        caption=words.say("report.cost_caption", level=words.percent(found.confidence)),
        rows=tuple(rows),
        table=Table(headings, cells),
        labels={"x": cost, "y": measure},
        legend=(
            Key("solid", "blue", words["report.front"]),
            Key("open", "muted", words["report.dominated"]),
        ),
    )
