"""The ranks of three or more runs in a report, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.analysis.comparison.legend import (
    pooled_measures,
    quotient_measures,
    ratio_measures,
)
from relyon.analysis.comparison.pairing import Sample
from relyon.analysis.leaderboard.ranking import Design, rank_measure
from relyon.analysis.leaderboard.tables import ranks_text
from relyon.analysis.statistics import Resampling
from relyon.core.errors import InputError
from relyon.core.texts import PAGE, catalogue as texts_of
from relyon.report.catalogue import Catalogue
from relyon.report.number_formats import label
from relyon.report.page import Table

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.analysis.leaderboard import Board

__all__ = ["run_rank_table"]

DRAWS = 1000


def run_rank_table(comparison: Comparison, texts: Catalogue) -> Table | None:
    """Returns the interval of each run's rank on each measure; None for fewer than three runs.

    They are those of `relyon.leaderboard`. Measures that are not means over queries are left out.

    Args:
        comparison: The comparison.
        texts: The texts of reports.
    """
    if len(comparison.runs) < 3:
        return None
    boards = [board for name in _means(comparison) if (board := _board(comparison, name))]
    if not boards:
        return None
    words = texts_of("leaderboard", texts.language, PAGE)
    rows = [
        [run, *(ranks_text(board[run].ranks, words) for board in boards)] for run in comparison.runs
    ]
    headings = [words["heading.run"], *(label(board.measure) for board in boards)]
    caption = words.say("report.run_ranks", level=words.percent(comparison.confidence))
    return Table(headings, rows, caption)


def _means(comparison: Comparison) -> list[str]:
    """Returns the tested measures that are means over queries."""
    others = {
        *pooled_measures(comparison),
        *ratio_measures(comparison),
        *quotient_measures(comparison),
    }
    averages = {one.measure: one.average for one in comparison.contrasts}
    return [
        name
        for name in comparison.tested
        if averages[name] == "macro" and name not in others and label(name) not in others
    ]


def _board(comparison: Comparison, measure: str) -> Board | None:
    baseline: dict[str, float] = {}
    samples = []
    for candidate in comparison.candidates:
        values = comparison.own_values(candidate, measure)
        baseline |= {query: first for query, (first, _) in values.items()}
        samples.append(Sample({query: second for query, (_, second) in values.items()}))
    settings = comparison.settings
    design = Design(
        comparison.runs,
        comparison.confidence,
        Resampling(DRAWS, settings.seed),
        comparison.facts,
        several=False,
        sampled=False,
        costs={},
    )
    definition = next(one.definition for one in comparison.contrasts if one.measure == measure)
    try:
        board, _, _ = rank_measure(
            measure, definition, "macro", {"": [Sample(baseline), *samples]}, design
        )
    except InputError:  # the runs have no query in common
        return None
    return board
