"""Which of many systems differ: every pair tested together, step by step, by paired draws.

Each system has a value per unit (a query, or a cluster of queries), possibly in several parts
(tasks). Two tests look at every pair, and a pair is separated only if both separate it:

- Sign flips. In each draw a random half of the units changes the sign of its differences. Exact if
  differences are symmetric, for any number of units.
- Bootstrap t. In each draw units are drawn with replacement, and the mean is divided by its error
  in that draw. It follows the skewness of differences.

Both compare the largest statistic of all pairs and both directions, and leave out step by step the
pairs that are already separated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics.paired import Resampling
from relyon.analysis.statistics.power import ENOUGH_QUERIES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["MOST_UNITS", "Part", "Separation", "separation"]

#: More units than this are added up at random in BATCHES batches: their sums are as good as normal.
MOST_UNITS, BATCHES = 1000, 500
#: The least squared error in a draw, as a share of that of the data: a pair that differs on few
#: queries would otherwise have huge statistics, and hide all others.
LEAST_ERROR = 0.05
#: Draws, and pairs, that are looked at together, so that memory is bounded.
DRAWS, PAIRS = 256, 1024
#: Up to this many units all sign patterns are used.
EXACT = 12
#: Two statistics are equal if they differ by less than this share.
NOISE = 1e-9


@dataclass(frozen=True)
class Part:
    """The units of one task, or of the only one.

    Attributes:
        sums: Systems x units: the sum of each unit's values.
        sizes: How many values each unit has.
        weight: The weight of the part's mean in the whole.
    """

    sums: Floats
    sizes: Floats
    weight: float = 1.0

    @property
    def means(self) -> Floats:
        """Each system's mean over the values."""
        found: Floats = self.sums.sum(axis=1) / self.sizes.sum()
        return found


@dataclass(frozen=True)
class Separation:
    """Corrected p-values of pairs of systems; the direction is that of the estimates.

    Attributes:
        values: Each system's value: the weighted mean of the means of the parts.
        errors: The standard error of each value.
        difference_errors: Systems x systems: that of each difference.
        p: Systems x systems: corrected for all pairs.
        own_p: Row by row: corrected for the pairs of this one system, chosen beforehand.
        best_p: For each system: of the hypothesis that no other one is better.
        draws: Sign patterns, and bootstrap samples.
        units: How many units there are, after batches are made.
    """

    values: Floats
    errors: Floats
    difference_errors: Floats
    p: Floats
    own_p: Floats
    best_p: Floats
    draws: tuple[int, int]
    units: int

    def ranks(self, alpha: float, own: bool = False) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns the first and the last rank of each system's interval.

        1 + the number of systems that are separated from it and better, and the number of systems
        minus the number of those that are separated and worse.

        Args:
            alpha: 1 - the confidence level.
            own: Whether the level holds for one system chosen beforehand, not for all together.
        """
        better, worse = self.apart(alpha, own)
        return better.sum(axis=1) + 1, len(self.values) - worse.sum(axis=1)

    def apart(self, alpha: float, own: bool = False) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Returns, row by row, the systems that are separated from this one: better, and worse.

        Args:
            alpha: 1 - the confidence level.
            own: As for `ranks`.
        """
        table = (self.own_p if own else self.p) <= alpha
        higher = self.values[None, :] > self.values[:, None]
        lower = self.values[None, :] < self.values[:, None]
        return table & higher, table & lower


def separation(parts: Sequence[Part], draws: Resampling | None = None) -> Separation:
    r"""Tests every pair of systems on the same units, with one error rate for all pairs.

    With d the difference of two systems in a unit (θ = Σ d / number of values), the two statistics
    are u = Σ d / √Σ d², redrawn as Σ ε d / √Σ d² with random signs ε; and t = θ / error(θ), redrawn
    as (θ* - θ) / error*(θ*), where error*² is at least 5% of error². A pair's p is the larger of
    the two, each (draws with a maximum at least as large + 1) / (draws + 1): the maximum runs over
    both directions of all pairs with the same or a smaller statistic, and the reverse direction of
    all others (step-down). Up to 12 units all sign patterns are used, in place of draws.

    The chance that any pair is separated wrongly, because the two are equal or in the other order,
    is at most α, if differences are symmetric, or there are many units. Pairs that differ in fewer
    than six units have p = 1.

    With several parts (fixed tasks) θ is the weighted mean of their means, the bootstrap draws
    within each part, and the signs change differences minus the means of the parts that fit θ = 0
    best. More than 1,000 units are first added up at random in 500 batches.

    Args:
        parts: One per task; higher values are better. All have the same systems.
        draws: Number of draws (1,000) and seed.

    Raises:
        ValueError: If a part has fewer than two units, and there are several.

    Examples:
        >>> import numpy as np
        >>> values = np.random.default_rng(0).normal(size=(3, 50)) + [[0.0], [0.1], [2.0]]
        >>> found = separation([Part(values, np.ones(50))])
        >>> [rank.tolist() for rank in found.ranks(0.05)]
        [[2, 2, 1], [3, 3, 1]]

    References:
        Romano and Wolf (2005), JASA 100, for step-down maxima; Mogstad, Romano, Shaikh and Wilhelm
        (2024), Review of Economic Studies 91(1), for ranks; Efron and Tibshirani (1993), §12.5, for
        the bootstrap t; Hsu (1981), Annals of Statistics 9, for the best.
    """
    resampling = draws or Resampling(1000)
    if len(parts) > 1 and any(one.sums.shape[1] < 2 for one in parts):
        raise ValueError("a part has fewer than two units")
    used = _batches(parts, resampling.seed)
    systems = len(used[0].sums)
    pairs = _Pairs.of(used)
    flips = _Maxima.of(pairs, pairs.flip_statistic(), systems)
    units = sum(one.sums.shape[1] for one in used)
    for signs in _signs(units, resampling):
        flips.add(pairs.flipped(signs))
    # All patterns contain that of the data; drawn ones do not.
    p, own, best = flips.p(0 if units <= EXACT else 1)
    boots = _Maxima.of(pairs, pairs.t_statistic(), systems)
    for drawn in _counts(used, resampling):
        boots.add(pairs.drawn(drawn))
    for first, second in zip((p, own, best), boots.p(1), strict=True):
        first[:] = first.clip(second, None)
    return Separation(
        sum(one.weight * one.means for one in parts),  # type: ignore[arg-type]
        pairs.errors(),
        pairs.difference_errors(systems),
        p,
        own,
        best,
        (flips.draws, boots.draws),
        units,
    )


def _batches(parts: Sequence[Part], seed: int) -> list[Part]:
    """Returns parts with at most MOST_UNITS units in all: others are added up at random."""
    import numpy as np

    total = sum(one.sums.shape[1] for one in parts)
    if total <= MOST_UNITS:
        return list(parts)
    source = np.random.PCG64(seed)
    found = []
    for one in parts:
        units = one.sums.shape[1]
        count = min(units, max(20, round(BATCHES * units / total)))
        order = np.argsort(source.random_raw(units), kind="stable")
        place = np.empty(units, dtype=np.int64)
        place[order] = np.arange(units) % count
        ends = np.argsort(place, kind="stable")
        starts = np.searchsorted(place[ends], np.arange(count))
        sums = np.add.reduceat(one.sums[:, ends], starts, axis=1)
        found.append(Part(sums, np.add.reduceat(one.sizes[ends], starts), one.weight))
    return found


def _signs(units: int, resampling: Resampling) -> Iterator[Floats]:
    """Yields draws x units of 1 and -1: all patterns, if there are few units."""
    import numpy as np

    if units <= EXACT:
        numbers = np.arange(2**units)
        for start in range(0, len(numbers), DRAWS):
            bits = (numbers[start : start + DRAWS, None] >> np.arange(units)) & 1
            yield (1 - 2 * bits).astype(np.float64)
        return
    source = np.random.PCG64([resampling.seed, 1])
    for first in range(0, resampling.resamples, DRAWS):
        count = min(DRAWS, resampling.resamples - first)
        words = source.random_raw(count * math.ceil(units / 64)).astype("<u8")
        coins = np.unpackbits(words.view(np.uint8)).reshape(count, -1)[:, :units]
        yield 1.0 - 2.0 * coins.astype(np.float64)


def _counts(parts: Sequence[Part], resampling: Resampling) -> Iterator[list[Floats]]:
    """Yields, by part, draws x units: how often each unit is drawn."""
    import numpy as np

    source = np.random.PCG64([resampling.seed, 2])
    for first in range(0, resampling.resamples, DRAWS):
        count = min(DRAWS, resampling.resamples - first)
        found = []
        for one in parts:
            units = one.sums.shape[1]
            raw = (source.random_raw(units * count) >> np.uint64(11)).astype(np.float64)
            drawn = np.minimum((raw * (units / 2.0**53)).astype(np.int64), units - 1)
            flat = drawn + units * np.repeat(np.arange(count), units)
            times = np.bincount(flat, minlength=units * count).reshape(count, units)
            found.append(times.astype(np.float64))
        yield found


class _Pairs:
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
    def of(cls, parts: Sequence[Part]) -> _Pairs:
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


@dataclass
class _Maxima:
    """Counts of draws whose maximum is at least the statistic, for three families of pairs."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    signs: Floats
    observed: Floats
    order: NDArray[np.int64]
    members: list[NDArray[np.int64]]
    best: Floats
    counts: NDArray[np.int64]
    own_counts: list[NDArray[np.int64]]
    best_counts: NDArray[np.int64]
    draws: int = 0

    @classmethod
    def of(cls, pairs: _Pairs, statistic: Floats, systems: int) -> _Maxima:
        """Returns empty counts.

        Args:
            pairs: The pairs.
            statistic: Of each pair, positive if the first system is better.
            systems: The number of systems.
        """
        import numpy as np

        first, second = pairs.first, pairs.second
        observed = np.abs(statistic)
        order = np.argsort(observed, kind="stable")
        members: list[list[int]] = [[] for _ in range(systems)]
        best = np.full(systems, -math.inf)
        for pair in order.tolist():
            for system, sign in ((first[pair], -1.0), (second[pair], 1.0)):
                members[system].append(pair)
                best[system] = max(best[system], sign * statistic[pair])
        return cls(
            first,
            second,
            np.where(statistic >= 0, 1.0, -1.0),
            observed,
            order,
            [np.array(one, dtype=np.int64) for one in members],
            best,
            np.zeros(len(first), dtype=np.int64),
            [np.zeros(len(one), dtype=np.int64) for one in members],
            np.zeros(systems, dtype=np.int64),
        )

    def add(self, drawn: Floats) -> None:
        """Counts draws: draws x pairs, positive if the first system is better."""
        import numpy as np

        self.draws += len(drawn)
        drawn *= self.signs
        self.counts[self.order] += _at_least(drawn[:, self.order], self.observed[self.order])
        for system, pairs in enumerate(self.members):
            mine = drawn[:, pairs]
            # Positive if the other system is better than this one.
            away = np.where(self.first[pairs] == system, -1.0, 1.0) * self.signs[pairs]
            most = (mine * away).max(axis=1)
            self.own_counts[system] += _at_least(mine, self.observed[pairs])
            self.best_counts[system] += int((most >= _least(self.best[system])).sum())

    def p(self, more: int) -> tuple[Floats, Floats, Floats]:
        """Returns p for all pairs, for the pairs of each system, and of each being the best.

        Args:
            more: 1 if the data count as one of the draws; 0 if they are among them.
        """
        import numpy as np

        systems = len(self.members)
        whole, own = np.ones((systems, systems)), np.ones((systems, systems))
        found = self._monotone(self.counts[self.order], more)
        pairs = self.order
        whole[self.first[pairs], self.second[pairs]] = found
        whole[self.second[pairs], self.first[pairs]] = found
        for system, mine in enumerate(self.members):
            other = np.where(self.first[mine] == system, self.second[mine], self.first[mine])
            own[system, other] = self._monotone(self.own_counts[system], more)
        best = (self.best_counts + more) / (self.draws + more)
        best[self.best <= 0] = 1.0
        return whole, own, best

    def _monotone(self, counts: NDArray[np.int64], more: int) -> Floats:
        """Returns p by ascending statistic: none is below that of a larger statistic."""
        import numpy as np

        p = (counts + more) / (self.draws + more)
        found: Floats = np.maximum.accumulate(p[::-1])[::-1]
        return found


def _least(observed: Floats | float) -> Floats | float:
    return observed * (1 - NOISE) - 1e-12


def _at_least(drawn: Floats, observed: Floats) -> NDArray[np.int64]:
    """Returns for how many draws the maximum is at least the statistic.

    Args:
        drawn: Draws x pairs by ascending statistic, in the direction of the data; overwritten.
        observed: The statistics.
    """
    import numpy as np

    reverse = -drawn.min(axis=1)
    drawn[:, 0] = np.maximum(drawn[:, 0], reverse)
    highest = np.maximum.accumulate(drawn, axis=1, out=drawn)
    found: NDArray[np.int64] = np.greater_equal(highest, _least(observed)).sum(axis=0)
    return found
