"""A leaderboard as tables and sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relyon.core.document.model import Block, Cell, Document, Lines, Table
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.core.texts.numbers import DIGITS
from relyon.measures.display_names import measure_label

if TYPE_CHECKING:
    from relyon.analysis.leaderboard.board import Board
    from relyon.analysis.leaderboard.facts import LeaderboardFacts
    from relyon.analysis.leaderboard.standing import Standing

__all__ = [
    "COST_MARKS",
    "board_label",
    "board_table",
    "cost_table",
    "leaderboard_document",
    "leaderboard_title",
    "outcome",
    "rank_line",
    "ranks_text",
    "reading",
    "rules_of_reading",
    "shows_letters",
    "task_table",
    "units_text",
]

#: The signs of verdicts on cost.
COST_MARKS = {"front": "●", "open": "○", "dominated": "▼"}
#: With more letters for a run than this, letters are left out of the table; JSON has the groups.
MOST_LETTERS = 8


def leaderboard_document(
    found: LeaderboardFacts, *, digits: int = DIGITS, language: Language = "en"
) -> Document:
    """Returns a table per measure, costs, tasks, and how to read them.

    Args:
        found: The result.
        digits: Decimals.
        language: `en` or `zh`.
    """
    words = catalogue("leaderboard", language)
    blocks: list[Block] = []
    for board in found.boards:
        blocks.append(board_table(found, board, words, digits))
        if found.tasks:
            blocks.append(task_table(board, words, digits))
        if found.has_costs:
            blocks.append(cost_table(board, words, digits))
    return Document([*blocks, Lines(reading(found, words))], leaderboard_title(found, words))


def leaderboard_title(found: LeaderboardFacts, words: Catalogue) -> str:
    """Returns what is ranked, in one line."""
    queries = max(one.queries for one in found.boards)
    key = "title_tasks" if found.tasks else "title"
    if found.sampled and queries == len(found.tasks):
        key = "title_values"  # a value per task, of unknown queries
    return words.say(
        key,
        runs=len(found.runs),
        tasks=len(found.tasks),
        queries=queries,
        measures=[board_label(one) for one in found.boards],
    )


def shows_letters(board: Board) -> bool:
    """Returns whether letters are short enough for a table."""
    return 0 < max(len(one.letters) for one in board.standings) <= MOST_LETTERS


def board_label(board: Board) -> str:
    """Returns the name of a measure."""
    return measure_label(board.measure, board.average, board.definition)


def ranks_text(ranks: tuple[int, int], words: Catalogue) -> str:
    """Returns an interval of ranks, such as 2–5."""
    key = "one_rank" if ranks[0] == ranks[1] else "ranks"
    return words.say(key, first=ranks[0], last=ranks[1])


def units_text(found: LeaderboardFacts, board: Board, words: Catalogue) -> str:
    """Returns how many units there are, with their noun."""
    return words.say(f"unit.{board.unit}", count=board.units)


def rank_line(found: LeaderboardFacts, board: Board, one: Standing, words: Catalogue) -> str:
    """Returns a run's ranks in one line."""
    first, last = one.ranks
    key = "line_rank" if first == last else "line_ranks"
    return words.say(
        "line",
        run=one.run,
        ranks=words.say(key, first=first, last=last),
        runs=len(board.standings),
        measure=board_label(board),
        level=words.percent(found.confidence),
        units=units_text(found, board, words),
    )


def board_table(
    found: LeaderboardFacts, board: Board, words: Catalogue, digits: int = DIGITS
) -> Table:
    """Returns the runs of one measure, the best first.

    Args:
        found: The result.
        board: The measure.
        words: The texts of the area `leaderboard`.
        digits: Decimals.
    """
    style = words.style
    lettered = shows_letters(board)
    headings = [
        words["heading.run"],
        words["heading.rank"],
        board_label(board),
        words.say("heading.interval", level=words.percent(found.confidence)),
        words["heading.ranks"],
        words["heading.own"],
        *([words["heading.groups"]] if lettered else []),
    ]
    rows: list[list[Cell | str]] = []
    for one in board.standings:
        missing = any(map(math.isnan, one.interval))
        rows.append(
            [
                Cell(one.run, strong=one.may_be_best),
                str(one.rank),
                style.number(one.value, digits),
                "-" if missing else style.interval(one.interval, digits),
                ranks_text(one.ranks, words),
                ranks_text(one.own_ranks, words),
                *([one.letters] if lettered else []),
            ]
        )
    return Table(headings, rows, long=[0])


def cost_table(board: Board, words: Catalogue, digits: int = DIGITS) -> Table:
    """Returns the measure and the costs of each run, with their verdicts."""
    names = list(dict.fromkeys(name for one in board.standings for name in one.costs))
    rows = []
    for one in board.standings:
        cells = [
            "-"
            if name not in one.costs
            else f"{COST_MARKS[one.costs[name].verdict]} {one.costs[name].value:,.6g}"
            for name in names
        ]
        rows.append([one.run, words.style.number(one.value, digits), *cells])
    headings = [words["heading.run"], board_label(board), *names]
    return Table(headings, rows, caption=words["costs"], long=[0])


def task_table(board: Board, words: Catalogue, digits: int = DIGITS) -> Table:
    """Returns the value of each run on each task."""
    names = list(board.standings[0].tasks)
    rows = [
        [one.run, *(words.style.number(one.tasks[name], digits) for name in names)]
        for one in board.standings
    ]
    caption = words.say("tasks", measure=board_label(board))
    return Table([words["heading.run"], *names], rows, caption=caption, long=[0])


def reading(found: LeaderboardFacts, words: Catalogue) -> list[str]:
    """Returns what the tables say and how to read them, one sentence each."""
    said = [text for board in found.boards for text in outcome(board, words)]
    return said + rules_of_reading(found, words)


def rules_of_reading(found: LeaderboardFacts, words: Catalogue) -> list[str]:
    """Returns how to read ranks, groups, intervals and costs, one sentence each."""
    level = words.percent(found.confidence)
    said = [words.say("reading.ranks", level=level)]
    alone = [one.standings[0] for one in found.boards if len(one.may_be_best) == 1]
    if any(one.ranks[1] > 1 for one in alone):
        said.append(words.say("reading.best", level=level))
    said.append(words.say("reading.test", units=units_text(found, found.boards[0], words)))
    if any(map(shows_letters, found.boards)):
        said.append(words["reading.groups"])
    said.append(words["reading.task_intervals" if found.sampled else "reading.intervals"])
    if found.tasks:
        said.append(words["reading.sampled" if found.sampled else "reading.fixed"])
    if found.has_costs:
        said.append(words["reading.costs"])
    if len(found.boards) > 1:
        said.append(words["reading.measures"])
    return said


def outcome(board: Board, words: Catalogue) -> Iterator[str]:
    """Yields what one measure shows: the best, the pairs, and the first two."""
    measure = board_label(board)
    best = board.may_be_best
    if len(best) == 1:
        yield words.say("reading.best_one", measure=measure, run=best[0])
    else:
        yield words.say("reading.best_some", measure=measure, count=len(best), runs=list(best))
    if len(board.standings) > 2:
        yield words.say(
            "reading.pairs",
            measure=measure,
            separated=board.separated,
            pairs=board.pairs,
            neighbours=board.neighbours,
            count=len(board.standings) - 1,
        )
    two = board.first_two
    first, second = board.runs[:2]
    if not two.difference:
        yield words.say("reading.first_equal", measure=measure, first=first, second=second)
        return
    key = "separated" if two.separated else "open" if two.needed else "unknown"
    values: dict[str, object] = {
        "measure": measure,
        "first": first,
        "second": second,
        "difference": two.difference,
        "p": two.p,
    }
    if key == "open":
        values["needed"] = words.say(f"unit.{board.unit}", count=two.needed)
    yield words.say(f"reading.first_{key}", **values)
