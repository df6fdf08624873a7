"""The measure of a ranker under one convention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

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
    """A measure and its rules.

    Attributes:
        measure: The measure.
        convention: The rules.
        threads: Threads to use; 0 uses all cores.
    """

    measure: Measure
    convention: Convention
    threads: int = 0

    @classmethod
    def of(
        cls,
        measure: str | Measure,
        convention: Convention | str | Mapping[str, object] | None = None,
        threads: int = 0,
    ) -> Goal:
        """Returns a measure with rules for labelled rows, which need not have document ids.

        Args:
            measure: The measure.
            convention: The rules. If they break ties by document id, the mean over the orders of
                tied rows is used instead.
            threads: Threads to use; 0 uses all cores.

        Raises:
            ParameterError: If the rules order documents by a column of ranks.
        """
        return cls(parse_measure(measure), array_rules(load_convention(convention)), threads)

    def values(self, rows: LabelledRows, scores: NDArray[np.float64]) -> list[float]:
        """Returns the measure of each query, NaN if undefined; weights of rows are ignored.

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

    def notes(self, rows: LabelledRows, scores: NDArray[np.float64]) -> tuple[Note, ...]:
        """Returns notes on the measure of scores, such as the effect of ties.

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

    def mean(self, rows: LabelledRows, scores: NDArray[np.float64]) -> float:
        """Returns the mean over queries that have a value; NaN if none has one.

        Args:
            rows: Labelled rows.
            scores: A ranker's scores of them.

        Raises:
            InputError: If a score is NaN or infinite.
        """
        import numpy as np

        values: NDArray[np.float64] = np.asarray(self.values(rows, scores), dtype=np.float64)
        return mean(values[~np.isnan(values)])
