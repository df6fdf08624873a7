"""How much the means of groups differ: a test, their spread, and means shrunken to the whole."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["GroupMeans", "group_means"]

#: Degrees of freedom of the common variance in that of each group, and in those of the test.
PRIOR, TEST_PRIOR = 5.0, 0.5
#: Groups of fewer values, or clusters, are one group in the test.
LEAST = 6
#: Orders, or patterns of signs, drawn for the test.
DRAWS = 2000
#: Numbers drawn at a time, so that many values take little memory.
CHUNK = 1 << 20


@dataclass(frozen=True)
class GroupMeans:
    """The means of groups of values, and whether they differ by more than chance.

    Attributes:
        q: Cochran's Q of the test; NaN if nothing can be tested.
        p: Its p-value.
        tau: The standard deviation of the true means between groups, at least 0.
        shrunken: The mean of each group, shrunken towards the mean of all values.
    """

    q: float
    p: float
    tau: float
    shrunken: tuple[float, ...]


def group_means(
    groups: Sequence[NDArray[np.float64]],
    clusters: Sequence[NDArray[np.int64]] | None = None,
    *,
    seed: int = 0,
) -> GroupMeans:
    """Compares the means of groups of values, and shrinks them towards the mean of all.

    The variance of a group j with n_j values is moderated by the common variance s² within groups:
    ṽ_j = ((n_j - 1) s_j² + a s²) / (n_j - 1 + a), so that small groups have one, and its error is
    e_j² = ṽ_j / n_j (Smyth 2004). With weights w_j = 1 / e_j² and the weighted mean m, Cochran's
    Q = Σ w_j (m_j - m)².

    The variance between groups is DerSimonian and Laird's τ² = max(0, (Q - (k - 1)) / (Σ w_j -
    Σ w_j² / Σ w_j)), with a = 5. A shrunken mean is M + (m_j - M) τ² / (τ² + e_j²), where M is the
    mean of all values: with τ² = 0 each is M (Efron and Morris 1975).

    The test has a = 0.5, so that groups may vary differently, and groups of fewer than six values
    are one group in it. Its p-value is the share of orders of the values, among 2,000 random ones
    and the observed one, that reach Q (Pauly, Brunner and Konietschke 2015). With clusters, the
    sums of clusters are what varies, and p comes from 2,000 patterns of one sign per cluster for
    the differences from m (Cameron, Gelbach and Miller 2008).

    Args:
        groups: The values of each group, finite; some may be empty.
        clusters: The cluster of each value, as whole numbers; a cluster may have values in several
            groups.
        seed: Equal seeds give identical results.

    Returns:
        The test, and the shrunken means; NaN for empty groups. There is no test of fewer than two
        groups, or if values have no spread within groups.

    Examples:
        >>> import numpy as np
        >>> found = group_means([np.array([0.1, 0.2, 0.3] * 9), np.array([-0.3, -0.2, -0.1] * 9)])
        >>> found.p < 0.001, round(found.tau, 2)
        (True, 0.28)
        >>> [round(one, 3) for one in found.shrunken]
        [0.199, -0.199]

    References:
        Cochran (1954), Biometrics 10(1); DerSimonian and Laird (1986), Controlled Clinical Trials
        7(3); Efron and Morris (1975), Journal of the American Statistical Association 70(350);
        Smyth (2004), Statistical Applications in Genetics and Molecular Biology 3(1); Pauly,
        Brunner and Konietschke (2015), Journal of the Royal Statistical Society B 77(2); Cameron,
        Gelbach and Miller (2008), Review of Economics and Statistics 90(3).
    """
    import numpy as np

    ids = clusters or [np.arange(len(one)) for one in groups]
    held = [(one, own) for one, own in zip(groups, ids, strict=True) if len(one)]
    nothing = GroupMeans(math.nan, math.nan, math.nan, (math.nan,) * len(groups))
    if len(held) < 2 or not all(np.isfinite(one).all() for one, _ in held):
        return nothing
    parts = _Parts.of(held, clustered=clusters is not None)
    q, _, means, squares = (one[0] for one in parts.compare(parts.values[np.newaxis], PRIOR))
    if math.isnan(q):
        return nothing
    whole = math.fsum(parts.values.tolist()) / len(parts.values)
    weights = 1 / squares
    above = float(q) - (len(held) - 1)
    tau2 = max(0.0, above / float(weights.sum() - (weights**2).sum() / weights.sum()))
    kept = iter((whole + (means - whole) * (tau2 / (tau2 + squares))).tolist())
    shrunken = tuple(next(kept) if len(one) else math.nan for one in groups)
    q, p = _tested(held, clusters is not None, seed)
    return GroupMeans(q, p, math.sqrt(tau2), shrunken)


def _tested(
    held: Sequence[tuple[NDArray[np.float64], NDArray[np.int64]]], clustered: bool, seed: int
) -> tuple[float, float]:
    """Returns Q and p, of small groups as one; NaN if fewer than two are left."""
    import numpy as np

    large = [one for one in held if len(np.unique(one[1])) >= LEAST]
    small = [one for one in held if len(np.unique(one[1])) < LEAST]
    if small:
        if not clustered:
            small = [(one, np.arange(len(one)) + LEAST * n) for n, (one, _) in enumerate(small)]
        values, ids = (np.concatenate(part) for part in zip(*small, strict=True))
        if len(np.unique(ids)) > 1:
            large.append((values, ids))
    if len(large) < 2:
        return math.nan, math.nan
    parts = _Parts.of(large, clustered=clustered)
    found = parts.compare(parts.values[np.newaxis], TEST_PRIOR)
    q, centre = float(found[0][0]), float(found[1][0])
    return q, math.nan if math.isnan(q) else parts.p_value(q, centre, seed)


@dataclass(frozen=True)
class _Parts:
    """Groups of values in one row, each group's values in the order of their clusters.

    Attributes:
        values: All of them.
        ids: The cluster of each.
        sizes: The number of values of each group.
        starts: The place of its first value.
        counts: The number of its clusters.
        firsts: The place of the first value of each cluster in each group.
        clustered: Whether clusters are larger than one value.
    """

    values: NDArray[np.float64]
    ids: NDArray[np.int64]
    sizes: NDArray[np.int64]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    firsts: NDArray[np.int64]
    clustered: bool

    @classmethod
    def of(
        cls, groups: Sequence[tuple[NDArray[np.float64], NDArray[np.int64]]], *, clustered: bool
    ) -> _Parts:
        import numpy as np

        orders = [np.argsort(ids, kind="stable") for _, ids in groups]
        pairs = list(zip(groups, orders, strict=True))
        values = np.concatenate([one[order] for (one, _), order in pairs])
        ids = np.concatenate([own[order] for (_, own), order in pairs])
        sizes = np.array([len(one) for one, _ in groups])
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        new = np.concatenate([[True], ids[1:] != ids[:-1]])
        new[starts] = True
        counts = np.add.reduceat(new.astype(np.int64), starts)
        names = np.unique(ids, return_inverse=True)[1]
        return cls(values, names, sizes, starts, counts, np.flatnonzero(new), clustered)

    def compare(self, rows: NDArray[np.float64], prior: float) -> tuple[NDArray[np.float64], ...]:
        """Returns each row's Q, weighted mean, means of groups and their squared errors.

        Args:
            rows: Shape (rows, values).
            prior: The degrees of freedom of the common variance.
        """
        import numpy as np

        means = np.add.reduceat(rows, self.starts, axis=1) / self.sizes
        around = rows - np.repeat(means, self.sizes, axis=1)
        sums = np.add.reduceat(around, self.firsts, axis=1) if self.clustered else around
        groups = np.concatenate([[0], np.cumsum(self.counts)[:-1]])
        within = np.add.reduceat(sums * sums, groups, axis=1)
        wide = self.sizes / self.counts
        free = float(((self.counts - 1) * wide).sum())
        # Rounding must not look like a spread.
        least = (1e-12 * np.abs(rows).max(axis=1, keepdims=True)) ** 2
        common = within.sum(axis=1, keepdims=True) / (free or math.nan)
        common = np.where(common > least, common, math.nan)
        squares = (within + prior * common * wide) / (self.counts - 1 + prior)
        squares *= self.counts / self.sizes**2
        weights = 1 / squares
        centre = (weights * means).sum(axis=1, keepdims=True) / weights.sum(axis=1, keepdims=True)
        return (weights * (means - centre) ** 2).sum(axis=1), centre[:, 0], means, squares

    def p_value(self, q: float, centre: float, seed: int) -> float:
        """Returns the share of draws, the observed values among them, that reach Q."""
        import numpy as np

        reached = 0
        for rows in self._draws(centre, seed):
            found = self.compare(rows, TEST_PRIOR)[0]
            # A draw without spread within groups separates them entirely.
            reached += int(np.count_nonzero(~(found < q * (1 - 1e-9))))
        return (reached + 1) / (DRAWS + 1)

    def _draws(self, centre: float, seed: int) -> Iterator[NDArray[np.float64]]:
        """Yields values in random orders, or with random signs around the weighted mean."""
        import numpy as np

        chance = np.random.default_rng([seed, len(self.values)])
        step = max(1, CHUNK // len(self.values))
        for first in range(0, DRAWS, step):
            count = min(step, DRAWS - first)
            if self.clustered:
                signs = chance.choice([-1.0, 1.0], (count, int(self.ids.max()) + 1))
                yield centre + signs[:, self.ids] * (self.values - centre)
            else:
                yield chance.permuted(np.tile(self.values, (count, 1)), axis=1)
