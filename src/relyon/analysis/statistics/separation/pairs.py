"""The differences of every pair of systems, and their statistics in the data and in draws."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from relyon.analysis.statistics.power import ENOUGH_QUERIES
from relyon.analysis.statistics.separation.parts import Part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["LEAST_ERROR", "Pairs"]

#: The least squared error in a draw, as a share of that of the data: a pair that differs on few
#: queries would otherwise have huge statistics, and hide all others.
LEAST_ERROR = 0.05
#: Pairs that are looked at together, so that memory is bounded.
PAIRS = 1024


class Pairs:
    """The differences of every pair, and their statistics in the data and in draws.

    Args:
        parts: The parts.
        first: The number of each pair's first system.
        second: That of its second.
    """

    def __init__(
        self, parts: Sequence[Part], first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> None:
        import numpy as np

        self.parts, self.first, self.second = parts, first, second
        self.scales = [one.weight / one.sizes.sum() for one in parts]
        self.centred = [
            scale * (one.sums - one.means[:, None] * one.sizes)
            for one, scale in zip(parts, self.scales, strict=True)
        ]
        self.factors = [one.sums.shape[1] / max(one.sums.shape[1] - 1, 1) for one in parts]
        count = len(first)
        self.differences = np.array([one.means[first] - one.means[second] for one in parts])
        weights = np.array([one.weight for one in parts])
        self.whole = weights @ self.differences
        squares = np.zeros((len(parts), count))
        self.differing = np.zeros(count, dtype=np.int64)
        for block in self._blocks():
            for place, one in enumerate(parts):
                apart = one.sums[first[block]] - one.sums[second[block]]
                self.differing[block] += np.count_nonzero(apart, axis=1)
                spread = self._centred_differences(place, block)
                squares[place, block] = self.factors[place] * (spread * spread).sum(axis=1)
        self.square = squares.sum(axis=0)
        # The means of the parts that are likeliest if the whole difference is 0.
        if len(parts) == 1:
            self.null = np.zeros_like(self.differences)
        else:
            known = self.square > 0
            shares = np.where(known, squares / np.where(known, self.square, 1.0), weights[:, None])
            self.null = self.differences - self.whole * shares / weights[:, None]
        norms = np.zeros(count)
        for block in self._blocks():
            for place, one in enumerate(parts):
                apart = one.sums[first[block]] - one.sums[second[block]]
                apart -= self.null[place, block, None] * one.sizes
                norms[block] += self.scales[place] ** 2 * (apart * apart).sum(axis=1)
        self.norms = np.sqrt(norms)

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Pairs:
        """Returns all pairs."""
        import numpy as np

        first, second = np.triu_indices(len(parts[0].sums), 1)
        return cls(parts, first, second)

    def _blocks(self) -> Iterator[slice]:
        for start in range(0, len(self.first), PAIRS):
            yield slice(start, start + PAIRS)

    def _centred_differences(self, place: int, block: slice) -> Floats:
        rows = self.centred[place]
        found: Floats = rows[self.first[block]] - rows[self.second[block]]
        return found

    def errors(self) -> Floats:
        """Returns the standard error of each system's value."""
        import numpy as np

        squares = [
            factor * (one * one).sum(axis=1)
            for one, factor in zip(self.centred, self.factors, strict=True)
        ]
        found: Floats = np.sqrt(np.sum(squares, axis=0))
        return found

    def difference_errors(self, systems: int) -> Floats:
        """Returns the standard error of each difference, systems x systems."""
        import numpy as np

        found = np.zeros((systems, systems))
        found[self.first, self.second] = found[self.second, self.first] = np.sqrt(self.square)
        return found

    def flip_statistic(self) -> Floats:
        """Returns u of every pair."""
        import numpy as np

        found: Floats = np.divide(
            self.whole, self.norms, out=np.zeros_like(self.whole), where=self.norms > 0
        )
        return found

    def flipped(self, signs: Floats) -> Floats:
        """Returns draws x pairs: u of each draw of signs."""
        import numpy as np

        found = np.zeros((len(signs), len(self.first)))
        start = 0
        for place, one in enumerate(self.parts):
            mine = signs[:, start : start + one.sums.shape[1]]
            start += one.sums.shape[1]
            sums = self.scales[place] * (mine @ one.sums.T)
            found += sums[:, self.first] - sums[:, self.second]
            if len(self.parts) > 1:
                sizes = self.scales[place] * (mine @ one.sizes)
                found -= sizes[:, None] * self.null[place]
        found[:, self.norms == 0] = 0.0
        found /= np.where(self.norms > 0, self.norms, 1.0)
        return found

    @property
    def _few(self) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self.differing < ENOUGH_QUERIES
        return found

    def t_statistic(self) -> Floats:
        """Returns t of every pair: infinite without any spread, 0 if the two are too alike."""
        import numpy as np

        flat = self._flat
        found: Floats = np.divide(
            self.whole, np.sqrt(self.square), out=np.zeros_like(self.whole), where=~flat
        )
        found[flat] = np.copysign(math.inf, self.whole[flat])
        found[self._few | (self.whole == 0)] = 0.0
        return found

    @property
    def _flat(self) -> NDArray[np.bool_]:
        """Whether all units of a pair have the same difference, but for rounding."""
        found: NDArray[np.bool_] = self.square <= (1e-12 * self.whole) ** 2
        return found

    def drawn(self, counts: Sequence[Floats]) -> Floats:
        """Returns draws x pairs: t of each bootstrap sample, centred."""
        import numpy as np

        draws = len(counts[0])
        found = np.empty((draws, len(self.first)))
        means = [times @ rows.T for rows, times in zip(self.centred, counts, strict=True)]
        flat = self._flat | self._few
        for block in self._blocks():
            one, two = self.first[block], self.second[block]
            moved, square = np.zeros((draws, len(one))), np.zeros((draws, len(one)))
            for place, times in enumerate(counts):
                spread = self._centred_differences(place, block)
                mean = means[place][:, one] - means[place][:, two]
                moved += mean
                spread *= spread
                part = times @ spread.T
                mean *= mean
                mean /= times.shape[1]
                part -= mean
                part *= self.factors[place]
                square += part
            least = np.where(flat[block], 1.0, LEAST_ERROR * self.square[block])
            np.maximum(square, least, out=square)
            np.sqrt(square, out=square)
            np.divide(moved, square, out=found[:, block])
        found[:, flat] = 0.0
        return found
