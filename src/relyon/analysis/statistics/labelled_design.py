"""Queries with human values among all with a model's: weights, strata, clusters, variances."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.statistics.bounded import FEW
from relyon.analysis.statistics.clusters.mean import degrees_of_sizes
from relyon.analysis.statistics.distributions import student
from relyon.analysis.statistics.labelled_values import (
    codes,
    equal_within,
    given_shares,
    numbers,
    same_length,
)
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

__all__ = ["LabelledDesign"]

#: From so many labelled queries on a mean is nearly normal; with fewer, samples are drawn.
FEW_DRAWN = 100
DRAWS = 1999


@dataclass(frozen=True)
class LabelledDesign:
    """The checked values and how the labelled queries were drawn.

    Attributes:
        y: Human values of the labelled queries.
        f: The model's values of the same queries.
        every: The model's values of all queries.
        weights: Each labelled query's weight in the mean; they add up to 1.
        every_weights: Each query's weight in the mean, labelled or not; they add up to 1.
        places: The stratum of each labelled query.
        every_places: The stratum of every query.
        open: Each labelled query's 1 − n/N of its stratum; 1 where a share of weights is unequal.
        groups: The cluster of each labelled query, None without.
        every_groups: The cluster of every query, None without.
        simple: Whether the labelled queries are a simple random sample.
        finite: Whether the population is finite.
    """

    y: Floats
    f: Floats
    every: Floats
    weights: Floats
    every_weights: Floats
    places: Whole
    every_places: Whole
    open: Floats
    groups: Whole | None
    every_groups: Whole | None
    simple: bool
    finite: bool

    @classmethod
    def of(
        cls,
        human: ArrayLike,
        model: ArrayLike,
        model_all: ArrayLike,
        weights: ArrayLike | None,
        strata: tuple[Iterable[Hashable], Iterable[Hashable]] | None,
        clusters: tuple[Iterable[Hashable], Iterable[Hashable]] | None,
        finite: bool,
        shares: Mapping[Hashable, float] | None = None,
    ) -> LabelledDesign:
        import numpy as np

        y, f, every = (
            numbers(name, values)
            for name, values in (("human", human), ("model", model), ("model_all", model_all))
        )
        same_length("model", len(f), "human", len(y))
        given = np.ones(len(y)) if weights is None else numbers("weights", weights)
        same_length("weights", len(given), "human", len(y))
        if not (given > 0).all():
            raise ParameterError(message("analysis.powered-weight", value=float(given.min())))
        if Counter(f.tolist()) - Counter(every.tolist()):
            raise ParameterError(
                message("analysis.powered-not-among", count=len(f), total=len(every)),
                hint=message("analysis.powered-give-all"),
            )
        places, every_places, names = codes("strata", strata, len(y), len(every))
        sizes = np.bincount(every_places, minlength=len(names))
        counts = np.bincount(places, minlength=len(names))
        empty = [str(name) for name, n, all_ in zip(names, counts, sizes, strict=True) if not n]
        if empty:
            raise ParameterError(
                message("analysis.powered-empty-stratum", count=len(empty), names=empty[:3]),
                hint=message("analysis.powered-join-strata"),
            )
        few = [str(name) for name, n, all_ in zip(names, counts, sizes, strict=True) if n > all_]
        if few:
            raise ParameterError(message("analysis.powered-stratum-counts", names=few[:3]))
        total = np.bincount(places, given, minlength=len(names))
        part = sizes / len(every) if shares is None else given_shares(shares, names)
        share = given / total[places] * part[places]
        equal = equal_within(given, places)
        groups, every_groups, _ = codes("clusters", clusters, len(y), len(every))
        left = 1 - counts / sizes
        open_ = left[places] if equal and clusters is None else np.ones(len(y))
        return cls(
            y,
            f,
            every,
            share,
            (part / sizes)[every_places],
            places,
            every_places,
            open_,
            groups if clusters is not None else None,
            every_groups if clusters is not None else None,
            strata is None and clusters is None and equal,
            finite,
        )

    @property
    def count(self) -> int:
        return len(self.y)

    @property
    def census(self) -> bool:
        """Whether all queries are labelled."""
        return self.count == len(self.every)

    @property
    def effective(self) -> float:
        """The number of labelled queries, or clusters, with equal weights that say as much."""
        import numpy as np

        sizes = self.weights if self.groups is None else np.bincount(self.groups, self.weights)
        return 1 / float((sizes[sizes > 0] ** 2).sum())

    def centred(self, values: Floats) -> Floats:
        """Returns labelled values less the weighted mean of their stratum."""
        return values - self.means(values)[self.places]

    def means(self, values: Floats) -> Floats:
        """Returns the weighted mean of labelled values in each stratum."""
        import numpy as np

        strata = int(self.every_places.max()) + 1
        sums = np.bincount(self.places, self.weights * values, minlength=strata)
        return sums / np.bincount(self.places, self.weights, minlength=strata)

    def shares(self) -> Floats:
        """Returns each labelled query's share of its stratum."""
        import numpy as np

        return self.weights / np.bincount(self.places, self.weights)[self.places]

    def slope(self) -> tuple[float, Floats]:
        """Returns λ before it is cut, and each query's k x / Σ k x²; 0 and zeros if x is 0."""
        import numpy as np

        x = self.centred(self.f)
        if float(np.abs(x).max()) <= 1e-12 * max(1.0, float(np.abs(self.f).max())):
            return 0.0, np.zeros(self.count)
        k = self.weights**2 * self.open / np.maximum(1 - self.shares(), 1e-9)
        if not (k * x * x).sum() > 0:
            return 0.0, np.zeros(self.count)
        pull = k * x / (k * x * x).sum()
        return float((pull * self.centred(self.y)).sum()), pull

    def distance(self) -> float:
        """Returns Σ W (f̄_N − f̄_L): how far the labelled queries are off by the model's values."""
        return self.model_mean - float((self.weights * self.f).sum())

    @property
    def model_mean(self) -> float:
        """The mean of the model's values over all queries."""
        return float((self.every_weights * self.every).sum())

    def sampling(self, slope: float, pull: Floats) -> float:
        """Returns the variance that comes from labelling n of the N queries.

        Args:
            slope: λ.
            pull: k x / Σ k x² if λ is estimated, else zeros.
        """
        return float((self.contributions(slope, pull) ** 2).sum())

    def contributions(self, slope: float, pull: Floats) -> Floats:
        """Returns how far each labelled query, or cluster, moves the estimate: jackknife values.

        Args:
            slope: λ.
            pull: k x / Σ k x² if λ is estimated, else zeros.
        """
        import numpy as np

        x = self.centred(self.f)
        rest = self.centred(self.y - slope * self.f)
        parts = (self.weights + self.distance() * pull) * rest
        share, leverage = self.shares(), pull * x
        if self.groups is None:
            left = np.maximum(1 - share - leverage, 1e-9)
            return np.asarray(np.sqrt(self.open * (1 - share)) * parts / left, float)
        sums = np.bincount(self.groups, parts, minlength=int(self.groups.max()) + 1)
        held = np.bincount(self.groups, self.weights, minlength=len(sums))
        lever = np.bincount(self.groups, leverage, minlength=len(sums))
        scaled = np.sqrt(1 - np.minimum(held, 1)) * sums / np.maximum(1 - held - lever, 1e-9)
        if self.finite or self.every_groups is None:
            return np.asarray(scaled, float)
        # The N queries of a cluster move the mean of the model's values together.
        rest_means = self.means(self.y - slope * self.f)[self.every_places]
        every = self.every_weights
        moved = slope * (self.every - self.model_mean) + rest_means - (every * rest_means).sum()
        whole = np.bincount(self.every_groups, every * moved)
        whole[: len(scaled)] += scaled
        return np.asarray(whole, float)

    def unseen(self, slope: float, share: float) -> float:
        """Returns the variance from errors of the model that the labelled queries do not show.

        Args:
            slope: λ.
            share: The share of queries that can be wrong, times the number of labelled ones.
        """
        import numpy as np

        none = np.zeros(self.count)
        human = self.sampling(0.0, none)
        spread = float((self.weights * self.centred(self.y) ** 2).sum())
        if not spread > 0:
            return human
        part = min(share / self.effective, 1.0)
        apart = np.sort((self.every - self.every.mean()) ** 2)[::-1]
        largest = float(apart[: max(1, math.ceil(part * len(apart)))].mean())
        return part * human * (1 + slope**2 * largest / spread)

    def shift_p(self) -> float:
        """Returns the p-value of the model's mean over labelled queries against that over all.

        All the model's values are known: the distance of a simple sample of fewer than 100 is
        compared with those of random samples of them, of others by Student's distribution.
        """
        import numpy as np

        test = replace(self, y=self.f, finite=True)
        distance = test.distance()
        error = math.sqrt(test.sampling(0.0, np.zeros(self.count)))
        if self.census or self.count < 2 or not error > 1e-12 * float(np.abs(self.f).max()):
            return math.nan
        if self.simple and self.count < FEW_DRAWN:
            return self._drawn_p(abs(distance))
        return 2 * student(test.degrees(False), -abs(distance) / error)

    def _drawn_p(self, distance: float) -> float:
        """Returns the share of random samples whose mean is as far from that of all queries.

        They are drawn without replacement; with it if fewer than one in 20 queries is labelled,
        which hardly differs and errs on the safe side.
        """
        import numpy as np

        count, total = self.count, len(self.every)
        random = np.random.default_rng(0)
        if total > 20 * count:
            draws = random.integers(total, size=(DRAWS, count))
        else:
            draws = random.random((DRAWS, total)).argpartition(count - 1, axis=1)[:, :count]
        apart = np.abs((self.every - self.model_mean)[draws].mean(axis=1))
        return (1 + int((apart >= distance * (1 - 1e-9)).sum())) / (DRAWS + 1)

    def beyond(self) -> float:
        """Returns the variance of the mean of N queries as a sample of all similar ones."""
        if self.finite or self.groups is not None:
            return 0.0
        import numpy as np

        share = self.shares()
        spread = share * self.centred(self.y) ** 2 / np.maximum(1 - share, 1e-9)
        variances = np.bincount(self.places, spread)
        sizes = np.bincount(self.every_places)
        strata = np.bincount(self.every_places, self.every_weights)
        means = self.means(self.y)
        # Strata of known shares do not vary; others are as large as chance made them.
        between = strata * (means - (strata * means).sum()) ** 2 / len(self.every)
        known = not self.proportional
        return float((strata**2 * variances / sizes).sum() + (0.0 if known else between.sum()))

    def hidden(self, bounds: tuple[float, float]) -> float:
        """Returns the variance that strata can hide: those whose values hardly differ.

        Of n values of a stratum m differ from the most frequent one, which has more than half of
        them, and m < 6: their own variance, which is 0 if they are all equal, is replaced by that
        of a share of (m + 1) / (n + 2) at the farther end of the range.

        Args:
            bounds: The range of the values; what was seen counts for an end without limit.
        """
        import numpy as np

        if self.groups is not None or not self.every_places.any():
            return 0.0
        low, high = (
            end if math.isfinite(end) else float(seen)
            for end, seen in zip(bounds, (self.y.min(), self.y.max()), strict=True)
        )
        found, shares = [], self.shares()
        for place in np.unique(self.places).tolist():
            own = self.places == place
            values, times = np.unique(self.y[own], return_counts=True)
            count, most = int(own.sum()), int(times.max())
            left = float(self.open[own].max())
            if 2 * most <= count or count - most >= FEW or not left > 0:
                continue
            mode = float(values[times.argmax()])
            share = (count - most + 1) / (count + 2)
            expected = max(high - mode, mode - low) ** 2 * share * (1 - share)
            squares = float((shares[own] ** 2).sum())
            spread = float((shares[own] * self.centred(self.y)[own] ** 2).sum())
            gap = max(expected - spread / max(1 - squares, 1e-9), 0.0)
            part = float(self.weights[own].sum())
            found.append(part**2 * squares * gap * (left if self.finite else 1.0))
        return math.fsum(found)

    @property
    def proportional(self) -> bool:
        """Whether strata count by their share of all queries."""
        return bool(self.every_weights.max() - self.every_weights.min() <= 1e-9 / len(self.every))

    def degrees(self, fitted: bool) -> float:
        """Returns Student's degrees of freedom.

        Args:
            fitted: Whether λ was estimated.
        """
        import numpy as np

        if self.groups is not None:
            sizes = np.bincount(self.groups, self.weights).astype(np.float64)
            found = degrees_of_sizes(sizes[sizes > 0])
        else:
            rest = self.centred(self.y)
            strata = range(int(self.places.max()) + 1)
            own = [degrees_of_sizes(self.weights[self.places == place]) for place in strata]
            # As the strata vary, and as if all varied alike: two values can lie close by chance.
            found = min(
                _satterthwaite(np.bincount(self.places, self.open * squares).tolist(), own)
                for squares in ((self.weights * rest) ** 2, self.weights**2)
            )
        return max(found - fitted, 1.0) if not math.isnan(found) else math.nan

    def lone(self) -> bool:
        """Whether a stratum that is not labelled whole has a single labelled query."""
        import numpy as np

        counts = np.bincount(self.places)
        return bool(((counts == 1)[self.places] & (self.open > 0)).any())

    def values_of_spread(self) -> Floats:
        """Returns what must differ for its spread to be believed: human values, or of clusters."""
        import numpy as np

        if self.groups is None:
            return self.y
        held = np.bincount(self.groups, self.weights)
        sums = np.bincount(self.groups, self.weights * self.y)
        kept = held > 0
        return np.asarray(sums[kept] / held[kept], float)


def _satterthwaite(terms: Sequence[float], degrees: Sequence[float]) -> float:
    """Returns the degrees of freedom of a sum of variances with their own each."""
    pairs = [(term, one) for term, one in zip(terms, degrees, strict=True) if term > 0]
    below = math.fsum(term**2 / one for term, one in pairs)
    return math.fsum(terms) ** 2 / below if below > 0 else min(degrees)
