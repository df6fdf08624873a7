"""Values of several runs by several measures, and the same on resampled queries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.comparison.pairing import Sample

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.evaluation.results import Results

__all__ = ["View"]


@dataclass(frozen=True)
class View:
    """One measure on one set of judgments: a number for every run.

    Attributes:
        label: Its name.
        values: The number of each run, as evaluated.
        numerators: Shape (runs, queries): a query's numerator; 0 if it has no value.
        denominators: Shape (runs, queries): its denominator.
        form: How sums become numbers: `ratio` of both, or the `sum` of the numerators.
    """

    label: str
    values: NDArray[np.float64]
    numerators: NDArray[np.float64]
    denominators: NDArray[np.float64]
    form: str

    @classmethod
    def of(cls, label: str, results: Sequence[Results], name: str, queries: Sequence[str]) -> View:
        """Extracts one measure from the evaluations of all runs.

        Args:
            label: Its name.
            results: One per run.
            name: The measure.
            queries: All queries that count, in one order for all runs and measures.
        """
        import numpy as np

        places = {query: place for place, query in enumerate(queries)}
        shape = (len(results), len(queries))
        numerators, denominators = np.zeros(shape), np.zeros(shape)
        form = "ratio"
        for row, one in enumerate(results):
            sample = Sample.of(one, name)
            pool = sample.pooled(queries)
            if pool is not None:
                # The mean of its jackknife pseudo-values is the pooled AUC.
                numerators[row] = pool.pseudo_values
                denominators[row] = 1.0
                continue
            if sample.numerators is not None and sample.denominators is not None:
                for query, part in sample.numerators.items():
                    numerators[row, places[query]] = part
                for query, part in sample.denominators.items():
                    denominators[row, places[query]] = part
                continue
            form = "sum" if sample.average == "sum" else "ratio"
            for query, value in sample.values.items():
                if not math.isnan(value):
                    numerators[row, places[query]] = value
                    denominators[row, places[query]] = 1.0
        values = np.array([one.entries[name].value for one in results])
        return cls(label, values, numerators, denominators, form)

    def resampled(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the runs' numbers over resampled queries.

        Args:
            weights: How often each query was drawn, shape (queries,).

        Returns:
            Shape (runs,); not finite if no drawn query has a value.
        """
        import numpy as np

        above = self.numerators @ weights
        if self.form == "sum":
            return np.asarray(above)
        below = self.denominators @ weights
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(above / below)
