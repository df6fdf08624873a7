"""The result of `relyon.leaderboard`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.leaderboard.board import Board
from relyon.analysis.leaderboard.facts import LeaderboardFacts
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import note_dict
from relyon.core.errors import UnknownNameError
from relyon.core.registry import suggestion
from relyon.core.texts import Language, catalogue, message
from relyon.core.texts.numbers import DIGITS
from relyon.io.excel_export import ExcelExport
from relyon.measures.display_names import convention_line
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import polars

    from relyon.core.document.model import Document

__all__ = ["Leaderboard"]


@dataclass(frozen=True)
class Leaderboard(LeaderboardFacts, Exportable, ExcelExport):
    """Runs in the order of each measure, with intervals of their ranks.

    Attributes:
        boards: One per measure.
        confidence: The level of the intervals.
        tasks: The number of queries of each task, if there are several.
        sampled: Whether tasks are drawn at random, not queries within them.
        cluster: The column of clusters; empty without.
        resamples: Number of draws.
        seed: Their seed.
        convention: The rules of the evaluations; None if only values were given.
        inputs: The fingerprints of what each run was measured with, as far as they are known.
        notes: Notes about the data.

    Examples:
        >>> import relyon
        >>> judgments = {f"q{n}": {"good": 1, "bad": 0} for n in range(20)}
        >>> good = {query: {"good": 2.0, "bad": 1.0} for query in judgments}
        >>> bad = {query: {"good": 1.0, "bad": 2.0} for query in judgments}
        >>> runs, names = [bad, good, good], ["bad", "good", "copy"]
        >>> found = relyon.leaderboard(judgments, runs, "rr", names=names)
        >>> [(one.run, one.rank, one.ranks) for one in found["rr"].standings]
        [('copy', 1, (1, 2)), ('good', 1, (1, 2)), ('bad', 3, (3, 3))]
        >>> found.line("good")
        'good: ranks 1–2 of 3 on rr (95% confidence, 20 queries)'
    """

    def __getitem__(self, measure: str) -> Board:
        """Returns the leaderboard of a measure.

        Raises:
            UnknownNameError: If it was not ranked.
        """
        names = [one.measure for one in self.boards]
        try:
            key = str(parse_measure(measure))
        except (LookupError, ValueError):
            key = measure
        for one in self.boards:
            if one.measure in {measure, key}:
                return one
        raise UnknownNameError(
            message("analysis.were-not-compared", names=measure), hint=suggestion(measure, names)
        )

    def line(self, run: str, measure: str | None = None, *, language: Language = "en") -> str:
        """Returns a run's ranks in one line, such as for a README.

        Args:
            run: The run.
            measure: The measure; by default the first.
            language: `en` or `zh`.

        Raises:
            UnknownNameError: If the run or the measure is unknown.
        """
        from relyon.analysis.leaderboard.tables import rank_line

        board = self.boards[0] if measure is None else self[measure]
        return rank_line(self, board, board[run], catalogue("leaderboard", language))

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns a table per measure, and how to read it.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        from relyon.analysis.leaderboard.tables import leaderboard_document

        return leaderboard_document(self, digits=digits, language=language)

    def to_dict(self) -> dict[str, object]:
        """Returns the object that ``--format json`` prints."""
        return {
            "measures": [one.to_dict() for one in self.boards],
            "confidence": self.confidence,
            "tasks": dict(self.tasks) or None,
            "tasks_are": ("sampled" if self.sampled else "fixed") if self.tasks else None,
            "cluster": self.cluster or None,
            "resamples": self.resamples,
            "seed": self.seed,
            "convention": None if self.convention is None else self.convention.to_dict(),
            **({"inputs": dict(self.inputs)} if self.inputs else {}),
            "notes": [note_dict(note) for note in self.notes],
        }

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per measure and run."""
        import polars

        rows: list[dict[str, object]] = []
        for board in self.boards:
            for one in board.standings:
                row: dict[str, object] = {
                    "measure": board.measure,
                    "run": one.run,
                    "value": one.value,
                    "low": one.interval[0],
                    "high": one.interval[1],
                    "rank": one.rank,
                    "first_rank": one.ranks[0],
                    "last_rank": one.ranks[1],
                    "own_first_rank": one.own_ranks[0],
                    "own_last_rank": one.own_ranks[1],
                    "may_be_best": one.may_be_best,
                    "letters": one.letters or None,
                    "queries": board.queries,
                }
                row |= {f"task:{name}": value for name, value in one.tasks.items()}
                for name, cost in one.costs.items():
                    row |= {name: cost.value, f"{name}:verdict": cost.verdict}
                rows.append(row)
        columns = dict.fromkeys(key for row in rows for key in row)
        filled = [{key: row.get(key) for key in columns} for row in rows]
        return polars.DataFrame(filled, infer_schema_length=None).fill_nan(None)

    def excel_frames(self) -> Mapping[str, polars.DataFrame]:
        """Returns the table of `to_frame`."""
        return {"summary": self.to_frame()}

    def excel_notes(self, language: Language) -> Iterable[str]:
        """Returns the convention, how to read the ranks, and the notes."""
        from relyon.analysis.leaderboard.tables import reading

        words = catalogue("leaderboard", language)
        if self.convention is not None:
            names = [one.measure for one in self.boards]
            yield convention_line(self.convention, names, language=language)
        yield from reading(self, words)
        for note in self.notes:
            yield note.text(language)
