"""What a ranker is measured by: one measure under one convention, query by query."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from relyon.analysis.statistics import mean
from relyon.core.notes import Note
from relyon.data.arrays import scored_rows
from relyon.data.convention import Convention, load_convention
from relyon.evaluation import evaluate_scores
from relyon.evaluation.labelled_batches import Settings, evaluate_rows
from relyon.evaluation.scores import array_rules
from relyon.measures.definition import Measure
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.labelled import LabelledRows

__all__ = ["Goal"]


@dataclass(frozen=True)
class Goal:
    """A measure, and the rules under which it is counted.

    Attributes:
        measure: The measure.
        convention: The rules.
        threads: Threads to use; 0 uses all cores.
    """

    measure: Measure
    convention: Convention
    threads: int = 0

    @classmethod
    def of(cls, measure: str | Measure, convention: Any = None, threads: int = 0) -> Goal:
        """Returns a measure under rules for labelled rows, whose ties no document id can break.

        Args:
            measure: The measure.
            convention: The rules. Where equal scores count by the document's id, the mean over
                their orders counts: rows need not have ids.
            threads: Threads to use; 0 uses all cores.

        Raises:
            ParameterError: If the rules order documents by a column of ranks.
        """
        return cls(parse_measure(measure), array_rules(load_convention(convention)), threads)

    def values(self, rows: LabelledRows, scores: NDArray[Any]) -> list[float]:
        """Returns the measure of each query, NaN where it has none; rows weigh 1 each.

        Args:
            rows: Labelled rows.
            scores: A ranker's scores of them.

        Raises:
            InputError: If a score is NaN or infinite.
        """
        scored = replace(scored_rows(rows, scores), weights=None)
        found = evaluate_rows(
            scored, [self.measure], Settings(self.convention, threads=self.threads)
        )
        (column,) = found.columns.values()
        return [float(value) for value in column.values()]

    def notes(self, rows: LabelledRows, scores: NDArray[Any]) -> tuple[Note, ...]:
        """Returns what is worth knowing of the measure of scores, such as ties that decide.

        Args:
            rows: Labelled rows.
            scores: A ranker's scores of them.

        Raises:
            InputError: If a score is NaN or infinite.
        """
        found = evaluate_scores(
            replace(rows, scores=None, weights=None),
            scores,
            measures=[self.measure],
            convention=self.convention,
            threads=self.threads,
        )
        return found.notes

    def mean(self, rows: LabelledRows, scores: NDArray[Any]) -> float:
        """Returns the mean over queries that have a value; NaN where none has one.

        Args:
            rows: Labelled rows.
            scores: A ranker's scores of them.

        Raises:
            InputError: If a score is NaN or infinite.
        """
        import numpy as np

        values: NDArray[np.float64] = np.asarray(self.values(rows, scores), dtype=np.float64)
        return mean(values[~np.isnan(values)])
