"""Means and deviations by query and measure: trec_eval's option -Z."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from relyon.compat.trec_eval.measures import number
from relyon.compat.trec_eval.options import TrecEvalError

__all__ = ["MISSING", "Scores", "read_scores"]

#: The number printed without a mean and deviation.
MISSING = -1000000.0


@dataclass(frozen=True)
class Scores:
    """Mean and deviation by query and measure."""

    table: Mapping[tuple[str, str], tuple[float, float]]

    def of(self, query: str, measure: str, value: float) -> float:
        """Returns how many deviations a value is above the mean.

        Examples:
            >>> scores = Scores({("q", "map"): (0.5, 0.25)})
            >>> scores.of("q", "map", 1.0), scores.of("q", "P_5", 1.0)
            (2.0, -1000000.0)
        """
        found = self.table.get((query, measure))
        if found is None:
            return MISSING
        mean, deviation = found
        if deviation:
            return (value - mean) / deviation
        return 0.0 if value == mean else MISSING


def read_scores(path: str) -> Scores:
    """Reads lines of query, measure, mean and deviation.

    Raises:
        TrecEvalError: If it cannot be read.
    """
    table = {}
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for line_number, line in enumerate(file, 1):
                fields = line.split()
                if len(fields) != 4:
                    raise TrecEvalError(f"{path}:{line_number}: expected 4 columns", 2)
                table[fields[0], fields[1]] = (number(fields[2]), number(fields[3]))
    except OSError as error:
        raise TrecEvalError(f"cannot read zscores file '{path}': {error.strerror}", 2) from None
    return Scores(table)
